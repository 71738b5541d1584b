import type { Random } from "../../emulator/random.ts";
import type { Wanted } from "../../emulator/scheduling.ts";
import type { LateRating } from "../../schema/processing.ts";
import { remembered } from "../cache.ts";
import { startRatingByFeatures } from "../matching/features/rank.ts";
import { Upload } from "../upload.ts";
import { rateByBrisque } from "./brisque/rate.ts";
import { checkRating, type TargetRater } from "./rating.ts";

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
  const deviation = await remembered("deviation", upload.sha256, async () => {
    const decoded = await upload.decoded();
    return "damage" in decoded ? 0 : decoded.deviation;
  });
  const rating =
    typeof rater === "function"
      ? checkRating(await rater(bytes, random), "targetRater")
      : await startRating(upload, rater, by);
  upload.forgetPixels();
  const outcome = deviation > FLAT_IMAGE_DEVIATION ? "success" : "failed";
  return { outcome, rating, sha256: upload.sha256 };
}

async function startRating(
  upload: Upload,
  rater: LateRater,
  by: Wanted | undefined,
): Promise<number | LateRating> {
  const job = await (rater === "brisque" ? rateByBrisque(upload) : startRatingByFeatures(upload));
  if (job.known !== undefined) return job.known;
  job.start(by);
  return job;
}
