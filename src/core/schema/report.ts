import * as z from "zod/mini";
import { hasPassed } from "./processing.ts";
import type { Target } from "./target.ts";
import { record, storedRecord } from "./zod/record.ts";
import { listOf, pathName, seconds, text, timestamp, trueOrFalse, wholeNumber } from "./zod/values.ts";

/** A recognition-counts report with the counts at the time of its first request. */
export interface Report {
  readonly databaseId: string;
  /** File name without `.csv`. */
  readonly file: string;
  readonly rows: readonly { readonly targetId: string; readonly count: number }[];
  readonly requestedAt: number;
  readonly processingTimeSeconds: number;
  readonly processed: boolean;
}

export const reportRecord = z.lazy(() =>
  storedRecord<Report>({
    databaseId: pathName,
    file: text,
    rows: listOf(record({ targetId: pathName, count: wholeNumber })),
    requestedAt: timestamp,
    processingTimeSeconds: seconds,
    processed: trueOrFalse,
  }),
);

export function isReady(report: Report, now: number): boolean {
  return report.processed || hasPassed(report.requestedAt, report.processingTimeSeconds, now);
}

export type ReportMonth = "current" | "previous";

/** The month of a moment, or the month before it, as `YYYY-MM` (UTC). */
export function monthName(month: ReportMonth, now: number): string {
  const today = new Date(now);
  const back = month === "current" ? 0 : 1;
  return isoDate(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back)).slice(0, "YYYY-MM".length);
}

/** A report's file name without `.csv`: the hour for the current month, the month for the previous one. */
export function reportFile(month: ReportMonth, now: number): string {
  return month === "current"
    ? isoDate(now).slice(0, "YYYY-MM-DDTHH".length).replace("T", "-")
    : monthName(month, now);
}

const isoDate = (time: number): string => new Date(time).toISOString();

/** Targets that were recognised in that month, by target id. */
export function reportRows(targets: readonly Target[], month: ReportMonth): Report["rows"] {
  return targets
    .map((target) => ({
      targetId: target.targetId,
      count: month === "current" ? target.currentMonthRecos : target.previousMonthRecos,
    }))
    .filter(({ count }) => count !== 0)
    .sort((a, b) => (a.targetId < b.targetId ? -1 : 1));
}

/** Every line ends with CRLF. */
export function reportCsv({ rows }: Report): string {
  const lines = rows.map(({ targetId, count }) => `${csvField(targetId)},${count}`);
  return ["target_id,reco_count", ...lines].map((line) => `${line}\r\n`).join("");
}

/** Ids of tests may hold any character. */
const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
