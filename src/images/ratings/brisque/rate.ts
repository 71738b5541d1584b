import { BackgroundJob, type Steps } from "../../../emulator/scheduling.ts";
import { ratingJobs } from "../../cache.ts";
import { type DecodedImage, Upload } from "../../upload.ts";
import { MAX_RATING } from "../rating.ts";
import { type BrisqueModel, brisqueModel, scoreSteps } from "./score.ts";

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/** Images that wait to be rated hold one byte a pixel. More than this has to be rated before others are added. */
const MOST_WAITING_BYTES = 16 * 2 ** 20;
const waiting = new Map<BackgroundJob<number>, number>();
let waitingBytes = 0;

/**
 * Rates an image by its BRISQUE score, 0 when it cannot be decoded: later, or when somebody needs the rating. An image that was
 * rated a short while ago has the same job.
 */
export async function rateByBrisque(upload: Upload): Promise<BackgroundJob<number>> {
  const known = ratingJobs.get(upload.sha256);
  if (known) return known;
  const [decoded, model] = await Promise.all([upload.decoded(), brisqueModel()]);
  const [oldest] = waiting.keys();
  if (waitingBytes > MOST_WAITING_BYTES) await oldest?.result().catch(() => {});
  // Two requests may have added the same image.
  const other = ratingJobs.get(upload.sha256);
  if (other) return other;
  const job: BackgroundJob<number> = new BackgroundJob(ratingSteps(decoded, model, () => endWaiting(job)));
  ratingJobs.set(upload.sha256, job);
  if (!("damage" in decoded)) {
    waiting.set(job, decoded.grey.data.length);
    waitingBytes += decoded.grey.data.length;
  }
  return job;
}

function* ratingSteps(
  decoded: DecodedImage | { readonly damage: string },
  model: BrisqueModel,
  end: () => void,
): Steps<number> {
  try {
    if ("damage" in decoded) return 0;
    const score = yield* scoreSteps(decoded.grey, model);
    return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
  } finally {
    end();
  }
}

function endWaiting(job: BackgroundJob<number>): void {
  waitingBytes -= waiting.get(job) ?? 0;
  waiting.delete(job);
}

export const rateImage = async (image: Buffer): Promise<number> =>
  (await rateByBrisque(new Upload(image))).result();
