import { expect, test } from "vitest";
import type { JournalEntry } from "../../src/emulator/journal.ts";
import { recordRequest } from "../../src/emulator/recorded-message.ts";
import { LOG_LEVELS } from "../../src/mock/option.ts";
import { requestLog } from "../../src/servers/log.ts";

const entry = (given: Partial<JournalEntry>): JournalEntry => ({
  number: 7,
  time: new Date("2026-11-21T10:42:00.123Z"),
  api: "target",
  method: "GET",
  path: "/summary",
  request: recordRequest({ headers: [["X-Shown", "nowhere"]], query: "", body: Buffer.alloc(0) }, false),
  durationMs: 1.2345,
  ...given,
});
const served = entry({ operation: "databaseSummary", status: 200, resultCode: "Success", database: "shop" });
const refused = entry({ status: 500, resultCode: "Fail", refusedBy: "bodyGiven", reason: "no body" });
const failed = entry({ status: 502, refusedBy: "targetManager", reason: "unavailable" });

const logged = (level: (typeof LOG_LEVELS)[number]) => {
  const lines: string[] = [];
  const log = requestLog("target-api", level, (line) => lines.push(line));
  for (const each of [served, refused, failed]) log(each);
  return lines;
};

test("a line is JSON, and says why a request was refused", () => {
  const lines = logged("info");
  expect(lines.every((line) => line.endsWith("}\n") && !line.slice(0, -1).includes("\n"))).toBe(true);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: "2026-11-21T10:42:00.123Z",
      level: "info",
      server: "target-api",
      operation: "databaseSummary",
      method: "GET",
      path: "/summary",
      status: 200,
      resultCode: "Success",
      database: "shop",
      durationMs: 1.2,
    },
    expect.objectContaining({ level: "warn", status: 500, refusedBy: "bodyGiven", reason: "no body" }),
    expect.objectContaining({ level: "error", status: 502, reason: "unavailable" }),
  ]);
});

test("the level selects which requests have a line", () => {
  expect(LOG_LEVELS.map((level) => logged(level).length)).toEqual([0, 1, 2, 3]);
});
