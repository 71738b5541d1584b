import { describe, expect, test } from "vitest";
import { query } from "../../src/apis/query/operations.ts";
import { reportTable } from "../../src/apis/reports/checks.ts";
import { targetTable } from "../../src/apis/target/checks.ts";
import { instanceTable } from "../../src/apis/vumark/checks.ts";
import { DEFAULT_PROFILE, PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { QUERY_REFUSED } from "../../src/verify/query-refusals.ts";
import { TARGET_REFUSED } from "../../src/verify/target-refusals.ts";
import { describeBackends } from "../support/backends.ts";
import { expectEveryFact, FACTS_TIMEOUT } from "../support/fact-run.ts";

describeBackends("every fact holds", (backend) => {
  test.each(PROFILE_NAMES)(
    "%s, and the check that it names refuses the request",
    (profile) => expectEveryFact(backend, profile),
    FACTS_TIMEOUT,
  );

  test(
    "with realism and every lag 0, too",
    // What happens to one request in a billion makes the mock keep every change, as for a lag.
    () => expectEveryFact(backend, DEFAULT_PROFILE, { realism: { gatewayErrorRate: 1e-9 } }),
    FACTS_TIMEOUT,
  );
});

describe("the facts", () => {
  test("have an id and a sentence each, and say how they are known", () => {
    const ids = FACTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { id, sentence, known } of FACTS) {
      expect(id).toMatch(/^(target|query|model-target)-[a-z0-9-]+$/);
      expect(sentence).toMatch(/^[A-Z].{20,}\.$/s);
      expect(known.date !== undefined).toBe(known.by === "observed" || known.by === "recorded");
      expect(known.where !== undefined).toBe(known.by === "recorded");
    }
  });

  test("name every check of the target and the query API, in order", () => {
    const checks = Object.keys(TARGET_REFUSED.rows);
    for (const { rows } of [targetTable, instanceTable, reportTable]) {
      // Instances and reports have further checks after these, which are facts of their own.
      const own = rows.slice(0, 1 + rows.findIndex(({ name }) => name === "contentLengthFits"));
      expect(checks.filter((check) => own.some(({ name }) => name === check))).toEqual([
        ...new Set(own.map(({ name }) => name)),
      ]);
    }
    expect(Object.keys(QUERY_REFUSED.rows)).toEqual(query.checks.map(({ name }) => name));
    const named = new Set(FACTS.map(({ check }) => check));
    for (const check of [...checks, ...Object.keys(QUERY_REFUSED.rows)]) expect(named).toContain(check);
  });
});
