/* Status and rating are functions of stored timestamps and the clock. Imports no library: the page uses it too. */

import { type AnyCause, cause } from "./causes/causes.ts";

/** The status of processing; a `failed` target is never found. */
export type TargetStatus = "processing" | "success" | "failed";

interface Processing {
  readonly processingTimeSeconds: number;
  /** Whether processing was finished early on request; an update starts it again. */
  readonly processed: boolean;
}

/** The result of processing an image. */
export interface ProcessingResult {
  /** The status after processing. */
  readonly outcome: "success" | "failed";
  /** The rater's result, 0 to 5. */
  readonly rating: number;
}

/** Status and rating of a cloud database's target depend on these. */
export interface TargetProcessing extends Processing, ProcessingResult {
  /** Milliseconds since the epoch. */
  readonly uploadDate: number;
  readonly lastModifiedDate: number;
  /** Whether the rating is shown even before half the processing time has passed since upload. */
  readonly rated: boolean;
}

/**
 * Whether a period is over: it lasts while `elapsed < seconds`. Setting the clock back only makes the wait longer.
 *
 * @param since - start, in milliseconds since the epoch.
 */
export function hasPassed(since: number, seconds: number, now: number): boolean {
  return Math.max(0, now - since) >= seconds * 1000;
}

/** Remaining processing time in milliseconds; 0: it is over. */
export const processingLeft = (
  { processed, processingTimeSeconds }: Processing,
  since: number,
  now: number,
): number => (processed ? 0 : Math.max(0, processingTimeSeconds * 1000 - Math.max(0, now - since)));

/** Whether processing is over; for targets of either kind. */
export function isProcessed(
  { processed, lastModifiedDate, processingTimeSeconds }: Processing & { readonly lastModifiedDate: number },
  now: number,
): boolean {
  return processed || hasPassed(lastModifiedDate, processingTimeSeconds, now);
}

/** `processing` until the processing time has passed since the last change. */
export function statusAt(target: TargetProcessing, now: number): TargetStatus {
  return isProcessed(target, now) ? target.outcome : "processing";
}

/** -1 until half the processing time has passed since upload; then the rater's result, even if processing failed. */
export function ratingAt(target: TargetProcessing, now: number): number {
  return isRatingShown(target, now) ? target.rating : -1;
}

export function isRatingShown(
  { rated, uploadDate, processingTimeSeconds }: TargetProcessing,
  now: number,
): boolean {
  return rated || hasPassed(Math.floor(uploadDate), processingTimeSeconds / 2, now);
}

/** Why no query can find a target now. */
export function whyNotFound(
  target: TargetProcessing & { readonly activeFlag: boolean },
  now: number,
): AnyCause | undefined {
  if (!target.activeFlag) return cause("target.inactive");
  const status = statusAt(target, now);
  if (status === "failed") return cause("target.failed");
  if (status === "processing") {
    const left = processingLeft(target, target.lastModifiedDate, now);
    return cause("target.waiting", { seconds: Math.ceil(left) / 1000 });
  }
  const rating = ratingAt(target, now);
  return rating > 0 ? undefined : cause("target.unrated", { rating });
}
