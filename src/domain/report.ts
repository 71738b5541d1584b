import { hasPassed } from "./elapsed.ts";

/** A recognition-counts report: its rows as they were when it was first requested (protocol section 7). */
export interface Report {
  readonly databaseId: string;
  /** File name without `.csv`. */
  readonly file: string;
  readonly rows: readonly { readonly targetId: string; readonly count: number }[];
  readonly requestedAt: number;
  readonly processingTimeSeconds: number;
  readonly processed: boolean;
}

export function isReady(report: Report, now: number): boolean {
  return report.processed || hasPassed(report.requestedAt, report.processingTimeSeconds, now);
}
