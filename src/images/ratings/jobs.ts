import type { LRUCache } from "lru-cache";
import {
  BackgroundJob,
  forgetStopped,
  type LateSteps,
  postponeBackground,
} from "../../emulator/scheduling.ts";
import type { Pixels, Undecodable } from "../decode.ts";

/** What is done with an image's pixels after the request that added it was answered. */
interface LateWork {
  result(): Promise<unknown>;
}

/** Pixels that wait for it: when they take more, some of it has to be done before other images are added. */
const MOST_WAITING_BYTES = 64 * 2 ** 20;
/** When they take more, it is done while other images are added. */
const MANY_WAITING_BYTES = MOST_WAITING_BYTES / 2;
/** The oldest first. */
const waiting = new Map<LateWork, Pixels>();
/** How many works wait for the same pixels. */
const worksOf = new Map<Pixels, number>();
let waitingBytes = 0;

/** Puts the work off while images are being added, unless much of it is waiting. */
export function putOff(): void {
  if (waitingBytes < MANY_WAITING_BYTES) postponeBackground();
}

/** Has the oldest work done, while too much is waiting. */
export async function untilFewerWait(): Promise<void> {
  if (waitingBytes > MOST_WAITING_BYTES) forgetStopped();
  for (const work of waiting.keys()) {
    if (waitingBytes <= MOST_WAITING_BYTES) return;
    await work.result().catch(() => {});
  }
}

/** Counts pixels as waiting, until {@link endWaiting} was called for each of their works. */
export function beginWaiting(pixels: Pixels, work: LateWork): void {
  const works = worksOf.get(pixels) ?? 0;
  if (works === 0) waitingBytes += pixels.data.length;
  worksOf.set(pixels, works + 1);
  waiting.set(work, pixels);
}

export function endWaiting(work: LateWork): void {
  const pixels = waiting.get(work);
  if (pixels === undefined) return;
  waiting.delete(work);
  const works = (worksOf.get(pixels) ?? 1) - 1;
  if (works > 0) worksOf.set(pixels, works);
  else {
    worksOf.delete(pixels);
    waitingBytes -= pixels.data.length;
  }
}

/**
 * The job that rates an image, later or when somebody needs the rating. An image that was rated a short while ago has the same.
 * @param jobs - by SHA-256
 * @param decoded - pixels that are held until the image is rated
 */
export function ratingJob(
  jobs: LRUCache<string, BackgroundJob<number>>,
  sha256: string,
  decoded: Pixels | Undecodable | undefined,
  begin: () => LateSteps<number>,
): BackgroundJob<number> {
  // Two requests may have added the same image.
  const other = jobs.get(sha256);
  if (other) return other;
  const isHeld = decoded !== undefined && !("damage" in decoded);
  const job: BackgroundJob<number> = new BackgroundJob(
    isHeld ? () => untilEnd(begin(), () => endWaiting(job)) : begin,
  );
  jobs.set(sha256, job);
  if (isHeld) beginWaiting(decoded, job);
  return job;
}

/** Leaves it to those who have the job to do it, as its mock has stopped. */
export function forgetJob(
  jobs: LRUCache<string, BackgroundJob<number>>,
  sha256: string,
  job: BackgroundJob<number>,
): void {
  jobs.delete(sha256);
  endWaiting(job);
}

function* untilEnd<T>(steps: LateSteps<T>, end: () => void): LateSteps<T> {
  try {
    return yield* steps;
  } finally {
    end();
  }
}
