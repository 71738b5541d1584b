import { decodePixels } from "./decode.ts";
import { meanChannelDeviation } from "./pixel-deviation.ts";
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
 * Assesses an accepted target image.
 * @throws TypeError or RangeError when the rater returns anything but a whole number from 0 to 5; what the rater throws.
 */
export async function assessImage(bytes: Buffer, rater: TargetRater): Promise<Assessment> {
  const deviation = await meanChannelDeviation(await decodePixels(bytes));
  const rating = checkRating(await rater(bytes), "targetRater");
  return { outcome: deviation > FLAT_IMAGE_DEVIATION ? "success" : "failed", rating };
}
