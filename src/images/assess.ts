import type { Random } from "../runtime/random.ts";
import { forgetDecoded, hashImage, remembered } from "./cache.ts";
import { decodedImage } from "./decoded-image.ts";
import { checkRating, type TargetRater } from "./raters.ts";

/** What processing makes of a target's image. Protocol section 12. */
export interface Assessment {
  readonly outcome: "success" | "failed";
  /** Tracking rating, a whole number from 0 to 5. */
  readonly rating: number;
}

/** A target succeeds when the mean deviation of its colour channels is above this. */
const FLAT_IMAGE_DEVIATION = 5;

/**
 * Assesses a target's image; what cannot be decoded has failed. The rater is called each time, so the caller keeps the
 * outcome with the image.
 * @throws TypeError or RangeError when the rater returns anything but a whole number from 0 to 5; what the rater throws.
 */
export async function assessImage(bytes: Buffer, rater: TargetRater, random?: Random): Promise<Assessment> {
  const sha256 = hashImage(bytes);
  const deviation = await remembered("deviation", sha256, () => deviationOf(sha256, bytes));
  const rating = checkRating(await rater(bytes, random), "targetRater");
  await forgetDecoded(sha256);
  return { outcome: deviation > FLAT_IMAGE_DEVIATION ? "success" : "failed", rating };
}

async function deviationOf(sha256: string, bytes: Buffer): Promise<number> {
  const decoded = await decodedImage(sha256, bytes);
  return "damage" in decoded ? 0 : decoded.deviation;
}
