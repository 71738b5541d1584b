import * as z from "zod/mini";
import { hasPassed } from "./elapsed.ts";
import { keptRecord, record } from "./kernel/record.ts";
import { flag, listOf, moment, pathName, seconds, text, wholeNumber } from "./kernel/values.ts";
import type { Target } from "./target.ts";

/** A recognition-counts report: its rows as they were when it was first requested. */
export interface Report {
  readonly databaseId: string;
  /** File name without `.csv`. */
  readonly file: string;
  readonly rows: readonly { readonly targetId: string; readonly count: number }[];
  readonly requestedAt: number;
  readonly processingTimeSeconds: number;
  readonly processed: boolean;
}

/** What snapshots keep. */
export const reportRecord = z.lazy(() =>
  keptRecord<Report>({
    databaseId: pathName,
    file: text,
    rows: listOf(record({ targetId: pathName, count: wholeNumber })),
    requestedAt: moment,
    processingTimeSeconds: seconds,
    processed: flag,
  }),
);

export function isReady(report: Report, now: number): boolean {
  return report.processed || hasPassed(report.requestedAt, report.processingTimeSeconds, now);
}

/** The months that a report can be asked for. */
export type ReportMonth = "current" | "previous";

/** The month of a moment as `YYYY-MM`, or of the one before it (UTC). */
export function monthName(month: ReportMonth, now: number): string {
  const today = new Date(now);
  const back = month === "current" ? 0 : 1;
  return isoDate(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).slice(0, "YYYY-MM".length);
}

/** Name of the file that a report has, without `.csv`: the current month's by the hour, the previous one's by month. */
export function reportFile(month: ReportMonth, now: number): string {
  return month === "current"
    ? isoDate(now).slice(0, "YYYY-MM-DDTHH".length).replace("T", "-")
    : monthName(month, now);
}

const isoDate = (time: number): string => new Date(time).toISOString();

/** What a report says: targets that were recognised in that month, by target id. */
export function reportRows(targets: readonly Target[], month: ReportMonth): Report["rows"] {
  return targets
    .map((target) => ({
      targetId: target.targetId,
      count: month === "current" ? target.currentMonthRecos : target.previousMonthRecos,
    }))
    .filter(({ count }) => count !== 0)
    .sort((a, b) => (a.targetId < b.targetId ? -1 : 1));
}

/** The report as CSV; every line ends with CRLF. */
export function reportCsv({ rows }: Report): string {
  const lines = rows.map(({ targetId, count }) => `${csvField(targetId)},${count}`);
  return ["target_id,reco_count", ...lines].map((line) => `${line}\r\n`).join("");
}

/** Ids that a test chose may hold anything. */
const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
