import type { LRUCache } from "lru-cache";
import { BackgroundJob, type Steps } from "../../emulator/scheduling.ts";

/** Images that wait to be rated hold one byte a pixel. More than this has to be rated before others are added. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
const waiting = new Map<BackgroundJob<number>, number>();
let waitingBytes = 0;

/**
 * The job that rates an image, later or when somebody needs the rating. An image that was rated a short while ago has the same.
 * @param jobs - by SHA-256
 * @param bytes - what it holds until the image is rated
 */
export async function ratingJob(
  jobs: LRUCache<string, BackgroundJob<number>>,
  sha256: string,
  bytes: number,
  steps: Steps<number>,
): Promise<BackgroundJob<number>> {
  const [oldest] = waiting.keys();
  if (waitingBytes > MOST_WAITING_BYTES) await oldest?.result().catch(() => {});
  // Two requests may have added the same image.
  const other = jobs.get(sha256);
  if (other) return other;
  const job: BackgroundJob<number> = new BackgroundJob(untilEnd(steps, () => endWaiting(job)));
  jobs.set(sha256, job);
  waiting.set(job, bytes);
  waitingBytes += bytes;
  return job;
}

function* untilEnd<T>(steps: Steps<T>, end: () => void): Steps<T> {
  try {
    return yield* steps;
  } finally {
    end();
  }
}

function endWaiting(job: BackgroundJob<number>): void {
  waitingBytes -= waiting.get(job) ?? 0;
  waiting.delete(job);
}
