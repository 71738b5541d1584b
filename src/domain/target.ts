import type { Awaitable } from "../runtime/awaitable.ts";
import { hasPassed } from "./elapsed.ts";

/** Where processing has got to (protocol section 5): what ends `failed` is never found. */
export type TargetStatus = "processing" | "success" | "failed";

/** Bytes of a target's image, by content; a store behind a network loads them when they are asked for. */
export interface TargetImage {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  bytes(): Awaitable<Buffer>;
}

/** Recognitions of one target; only ever set through the mock or the target manager, never counted. */
export interface RecognitionCounts {
  readonly currentMonthRecos: number;
  readonly previousMonthRecos: number;
  readonly totalRecos: number;
}

/** A target of a cloud database. Immutable: a change makes a new record. */
export interface Target extends RecognitionCounts {
  readonly id: string;
  readonly name: string;
  /** Width in scene units, above 0. */
  readonly width: number;
  readonly image: TargetImage;
  readonly active: boolean;
  /** Metadata as it was sent: base64 in the service's own reading of it. */
  readonly metadata: string | null;
  readonly processingTimeSeconds: number;
  /** Milliseconds since the epoch. */
  readonly uploadedAt: number;
  /** Creation order within the database: strictly increasing, whatever the clock did. */
  readonly sequence: number;
  readonly modifiedAt: number;
  readonly deletedAt: number | null;
  /** What processing ends in. */
  readonly outcome: "success" | "failed";
  /** What the rater gave, 0 to 5. */
  readonly rating: number;
  /** Processing was cut short on request; an update starts it again. */
  readonly processed: boolean;
  /** The rating is shown although half the processing time has not passed since upload. */
  readonly rated: boolean;
}

/** A template target of a VuMark database. */
export interface TemplateTarget {
  readonly id: string;
  readonly name: string;
  readonly processingTimeSeconds: number;
  readonly uploadedAt: number;
  readonly modifiedAt: number;
  readonly processed: boolean;
}

/** `processing` until the processing time has passed since the last change (protocol section 5). */
export function statusAt(target: Target, now: number): TargetStatus {
  return isProcessed(target, now) ? target.outcome : "processing";
}

/** Whether processing is over; of targets of both kinds. */
export function isProcessed(
  target: Pick<Target, "processed" | "modifiedAt" | "processingTimeSeconds">,
  now: number,
): boolean {
  return target.processed || hasPassed(target.modifiedAt, target.processingTimeSeconds, now);
}

/** -1 until half the processing time has passed since upload; then what the rater gave, also when failed. */
export function ratingAt(target: Target, now: number): number {
  return target.rated || hasPassed(target.uploadedAt, target.processingTimeSeconds / 2, now)
    ? target.rating
    : -1;
}
