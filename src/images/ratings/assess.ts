import type { Random } from "../../emulator/random.ts";
import type { BackgroundJob, Steps, Wanted } from "../../emulator/scheduling.ts";
import type { LateRating } from "../../schema/processing.ts";
import { ratingJobs, remembered } from "../cache.ts";
import type { Pixels, Undecodable } from "../decode.ts";
import { startRatingByFeatures } from "../matching/features/rank.ts";
import { deviatesMoreThan, reduceSteps, Upload } from "../upload.ts";
import { type BrisqueModel, brisqueModel, scoreSteps } from "./brisque/score.ts";
import { ratingJob } from "./jobs.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./rating.ts";

/** A rater of this package, which rates after the image was added. */
export type LateRater = "brisque" | "features";

/** The result of processing a target's image. */
interface Assessment {
  readonly outcome: "success" | "failed";
  /** Tracking rating, a whole number from 0 to 5; those by {@link LateRater} are made in the background. */
  readonly rating: number | LateRating;
  /** Of the image's bytes, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** A target succeeds when the mean deviation of its colour channels is above this. */
const FLAT_IMAGE_DEVIATION = 5;

/**
 * Assesses a target's image; one that cannot be decoded fails. Calls the rater each time, so the caller should keep the
 * result with the image.
 * @param known the image's own upload, as far as it is decoded
 * @param by when that has stopped, a {@link LateRater}'s rating is only made when somebody needs it
 * @throws TypeError or RangeError when the rater returns anything but a whole number from 0 to 5; what the rater throws.
 */
export async function assessImage(
  bytes: Buffer,
  rater: TargetRater | LateRater,
  random?: Random,
  known?: { readonly sha256: string },
  by?: Wanted,
): Promise<Assessment> {
  const upload = known instanceof Upload ? known : new Upload(bytes);
  const isFlat = await remembered("isFlat", upload.sha256, async () => {
    const decoded = await upload.decoded();
    return "damage" in decoded || !(await deviatesMoreThan(FLAT_IMAGE_DEVIATION, decoded));
  });
  const rating =
    typeof rater === "function"
      ? checkRating(await rater(bytes, random), "targetRater")
      : await startRating(upload, rater, isFlat, by);
  upload.forgetPixels();
  return { outcome: isFlat ? "failed" : "success", rating, sha256: upload.sha256 };
}

async function startRating(
  upload: Upload,
  rater: LateRater,
  isFlat: boolean,
  by: Wanted | undefined,
): Promise<number | LateRating> {
  const job = await (rater === "brisque" ? rateByBrisque(upload) : startRatingByFeatures(upload, !isFlat));
  if (job.known !== undefined) return job.known;
  job.start(by);
  return job;
}

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/**
 * Rates an image by its BRISQUE score, 0 when it cannot be decoded: later, or when somebody needs the rating. An image that was
 * rated a short while ago has the same job.
 */
async function rateByBrisque(upload: Upload): Promise<BackgroundJob<number>> {
  const known = ratingJobs.get(upload.sha256);
  if (known) return known;
  const [decoded, model] = await Promise.all([upload.decoded(), brisqueModel()]);
  const held = "damage" in decoded ? undefined : decoded.data;
  return ratingJob(ratingJobs, upload.sha256, held, () => ratingSteps(decoded, model));
}

function* ratingSteps(decoded: Pixels | Undecodable, model: BrisqueModel): Steps<number> {
  if ("damage" in decoded) return 0;
  const { grey } = yield* reduceSteps(decoded);
  yield;
  const score = yield* scoreSteps(grey, model);
  return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
}

export async function rateImage(image: Buffer): Promise<number> {
  const job = await rateByBrisque(new Upload(image));
  if (!job.isDone) job.start();
  return job.result();
}
