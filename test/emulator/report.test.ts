import { describe, expect, it } from "vitest";
import { reportCsv, reportFile } from "../../src/core/schema/report.ts";

/** Moment, the current month's file, the previous month's file. */
const NAMES: readonly (readonly [string, string, string])[] = [
  ["2024-02-28T23:59:59.999Z", "2024-02-28-23", "2024-01"],
  ["2024-02-29T00:00:00.000Z", "2024-02-29-00", "2024-01"],
  ["2024-02-29T23:59:59.999Z", "2024-02-29-23", "2024-01"],
  ["2024-03-01T00:00:00.000Z", "2024-03-01-00", "2024-02"],
  ["2023-02-28T23:59:59.999Z", "2023-02-28-23", "2023-01"],
  ["2023-03-01T00:00:00.000Z", "2023-03-01-00", "2023-02"],
  ["2100-02-28T12:00:00.000Z", "2100-02-28-12", "2100-01"],
  ["2100-03-01T00:00:00.000Z", "2100-03-01-00", "2100-02"],
  ["2025-12-31T23:59:59.999Z", "2025-12-31-23", "2025-11"],
  ["2026-01-01T00:00:00.000Z", "2026-01-01-00", "2025-12"],
  ["2026-01-31T23:00:00.000Z", "2026-01-31-23", "2025-12"],
  ["2026-02-01T00:30:00.000Z", "2026-02-01-00", "2026-01"],
  ["2026-03-30T10:00:00.000Z", "2026-03-30-10", "2026-02"],
  ["2026-03-31T10:00:00.000Z", "2026-03-31-10", "2026-02"],
  ["2026-05-31T01:59:59.000Z", "2026-05-31-01", "2026-04"],
  ["2026-07-31T09:00:00.000Z", "2026-07-31-09", "2026-06"],
  ["2026-10-25T01:30:00.000Z", "2026-10-25-01", "2026-09"],
  ["2026-11-21T10:42:00.000Z", "2026-11-21-10", "2026-10"],
  ["1999-12-31T23:59:59.999Z", "1999-12-31-23", "1999-11"],
  ["2000-01-01T00:00:00.000Z", "2000-01-01-00", "1999-12"],
];

describe("reportFile", () => {
  it.each(NAMES)("at %s is %s, or %s", (moment, current, previous) => {
    const now = Date.parse(moment);
    expect(reportFile("current", now)).toBe(current);
    expect(reportFile("previous", now)).toBe(previous);
  });
});

describe("reportCsv", () => {
  it("quotes ids that would break a line apart", () => {
    const rows = [
      { targetId: 'a"b', count: 1 },
      { targetId: "c,d", count: 2 },
    ];
    const report = { databaseId: "", file: "", requestedAt: 0, processingTimeSeconds: 0, processed: true };
    expect(reportCsv({ ...report, rows })).toBe('target_id,reco_count\r\n"a""b",1\r\n"c,d",2\r\n');
  });
});
