import type { LRUCache } from "lru-cache";
import {
  BackgroundJob,
  forgetStopped,
  type LateSteps,
  postponeBackground,
} from "../../emulator/scheduling.ts";

/** What is done with an image, its file or its pixels, after the request that added it was answered. */
interface LateWork {
  result(): Promise<unknown>;
}

/** Images that wait for it: when they take more, some of it has to be done before other images are added. */
const MOST_WAITING_BYTES = 64 * 2 ** 20;
/** When they take more, it is done while other images are added. */
const MANY_WAITING_BYTES = MOST_WAITING_BYTES / 2;
/** The oldest first. */
const waiting = new Map<LateWork, Buffer>();
/** How many works wait with the same file or pixels. */
const worksOf = new Map<Buffer, number>();
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

/** Counts what a work holds, a file or pixels, until {@link endWaiting} was called for each work that holds it. */
export function beginWaiting(held: Buffer, work: LateWork): void {
  const works = worksOf.get(held) ?? 0;
  if (works === 0) waitingBytes += held.length;
  worksOf.set(held, works + 1);
  waiting.set(work, held);
}

export function endWaiting(work: LateWork): void {
  const held = waiting.get(work);
  if (held === undefined) return;
  waiting.delete(work);
  const works = (worksOf.get(held) ?? 1) - 1;
  if (works > 0) worksOf.set(held, works);
  else {
    worksOf.delete(held);
    waitingBytes -= held.length;
  }
}

/**
 * The job that rates an image, later or when somebody needs the rating. An image that was rated a short while ago has the same.
 * One that the background leaves undone is held by nothing but the targets that have it.
 * @param jobs - by SHA-256
 * @param held - the file or the pixels that `begin` holds until the image is rated
 */
export function ratingJob(
  jobs: LRUCache<string, BackgroundJob<number>>,
  sha256: string,
  held: Buffer | undefined,
  begin: () => LateSteps<number>,
): BackgroundJob<number> {
  // Two requests may have added the same image.
  const other = jobs.get(sha256);
  if (other) return other;
  const job: BackgroundJob<number> = new BackgroundJob(
    function* (): LateSteps<number> {
      const rating = yield* begin();
      endWaiting(job);
      return rating;
    },
    () => {
      if (jobs.peek(sha256) === job) jobs.delete(sha256);
      endWaiting(job);
    },
  );
  jobs.set(sha256, job);
  if (held) beginWaiting(held, job);
  return job;
}
