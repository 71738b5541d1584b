import { describe, expect, it } from "vitest";
import { confirmedBy, contradictionsIn, type Evidence, readEvidence, withObservations } from "./evidence.ts";

const FILE = `# A comment.
- api: target
  checks:
    served:
      - { id: target-a, route: summary, says: answers, get: summary }
      - { id: target-b, route: add, says: "accepts {this}, too", get: created,
          send: { fields: { width: 2 } }, assumed: "similar: a test" }
      - { id: target-c, route: list, says: answers, get: listed, observed: "a test @2026-09" }
      - {
          id: target-e,
          route: get,
        }
  orders:
    - { id: target-order-1-2, route: add, of: [target-a, target-b], assumed: never attempted }
`;

const row = (id: string, known: string, holds: boolean): Evidence["rows"][number] => ({
  ...{ id, known, holds, response: { status: 200, headers: [], body: "" } },
  differences: holds ? [] : [{ what: "status", expected: "200", got: "500" }],
});
const evidence: Evidence = {
  ...{ service: "https://vws.vuforia.com", profile: "vuforia", date: "2026-11-27" },
  rows: [
    row("target-a", "assumed: never attempted", true),
    row("target-b", "assumed: similar: a test", true),
    row("target-c", "observed: a test @2026-09", true),
    row("target-d", "assumed: never attempted", false),
  ],
};

describe("evidence", () => {
  it("is read as it was written, and nothing else is", () => {
    expect(readEvidence(JSON.stringify(evidence))).toEqual(evidence);
    expect(() => readEvidence(JSON.stringify({ ...evidence, more: 1 }))).toThrow("more");
    expect(() => readEvidence(JSON.stringify({ ...evidence, date: "today" }))).toThrow("date");
  });

  it("confirms the assumed rows that hold", () => {
    expect(confirmedBy(evidence)).toEqual(["target-a", "target-b"]);
  });

  it("shows both sides of what does not hold", () => {
    expect(contradictionsIn(evidence)).toEqual([
      "target-d (assumed: never attempted)",
      "  status\n    expected 200\n    got      500",
    ]);
  });

  it("is put into rows, and nothing else of a file changes", () => {
    const ids = ["target-a", "target-b", "target-e", "target-order-1-2", "target-elsewhere"];
    const observed = 'observed: "A. Person, issue 7 @2026-11-27"';
    expect(withObservations(FILE, ids, "A. Person, issue 7 @2026-11-27")).toBe(
      FILE.replace("get: summary }", `get: summary,\n          ${observed} }`)
        .replace("route: get,\n        }", `route: get,\n          ${observed} }`)
        .replace('assumed: "similar: a test"', observed)
        .replace("assumed: never attempted", observed),
    );
  });
});
