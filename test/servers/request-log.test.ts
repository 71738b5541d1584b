import type { JournalEntry } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { recordRequest } from "../../src/emulator/recorded-message.ts";
import { LOG_LEVELS } from "../../src/mock/option.ts";
import { type LogTarget, requestLog } from "../../src/servers/log.ts";

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

const logged = (level: (typeof LOG_LEVELS)[number], how: Partial<LogTarget> = {}) => {
  const lines: string[] = [];
  const log = requestLog("target-api", level, { ...how, write: (line) => lines.push(line) });
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

test("a readable line has the time, the request, its result and the reason for a refusal", () => {
  expect(logged("info", { format: "text" })).toEqual([
    "10:42:00 GET     /summary 200 Success\n",
    "10:42:00 GET     /summary 500 Fail  bodyGiven: no body\n",
    "10:42:00 GET     /summary 502  targetManager: unavailable\n",
  ]);
});

test("a readable line shows faults and missing responses, and nothing in it controls the terminal", () => {
  const lines: string[] = [];
  const log = requestLog("query", "info", { write: (line) => lines.push(line), format: "text" });
  log(entry({ fault: "addFault", reason: "the connection was reset", path: "/\u001b[2J\n\u009b" }));
  expect(lines).toEqual([
    "10:42:00 GET     /\ufffd[2J\ufffd\ufffd no response  fault addFault: the connection was reset\n",
  ]);
});

test("colours show at a glance what was refused and what failed", () => {
  const colours = logged("info", { format: "text", colours: true }).map(
    (line) => line.split("\u001b[").map((part) => part.split("m")[0])[3],
  );
  expect(colours).toEqual(["32", "33", "31"]);
});
