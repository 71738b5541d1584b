import type { BackgroundJob, Steps } from "../../../emulator/scheduling.ts";
import { ratingJobs } from "../../cache.ts";
import { type DecodedImage, Upload } from "../../upload.ts";
import { ratingJob } from "../jobs.ts";
import { MAX_RATING } from "../rating.ts";
import { type BrisqueModel, brisqueModel, scoreSteps } from "./score.ts";

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/**
 * Rates an image by its BRISQUE score, 0 when it cannot be decoded: later, or when somebody needs the rating. An image that was
 * rated a short while ago has the same job.
 */
export async function rateByBrisque(upload: Upload): Promise<BackgroundJob<number>> {
  const known = ratingJobs.get(upload.sha256);
  if (known) return known;
  const [decoded, model] = await Promise.all([upload.decoded(), brisqueModel()]);
  const bytes = "damage" in decoded ? 0 : decoded.grey.data.length;
  return ratingJob(ratingJobs, upload.sha256, bytes, ratingSteps(decoded, model));
}

function* ratingSteps(
  decoded: DecodedImage | { readonly damage: string },
  model: BrisqueModel,
): Steps<number> {
  if ("damage" in decoded) return 0;
  const score = yield* scoreSteps(decoded.grey, model);
  return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
}

export const rateImage = async (image: Buffer): Promise<number> =>
  (await rateByBrisque(new Upload(image))).result();
