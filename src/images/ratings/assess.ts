import type { Random } from "../../emulator/random.ts";
import { rateByFeatures } from "../matching/features/rank.ts";
import { measure, sha256Of } from "../measures.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./rating.ts";

/** The result of processing a target's image. */
interface Assessment {
  readonly outcome: "success" | "failed";
  /** Tracking rating, an integer from 0 to 5. */
  readonly rating: number;
  /** Of the image's bytes, in lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Assesses a target's image; one that cannot be decoded fails. Calls the rater each time, so the caller should keep the
 * result with the image.
 * @throws TypeError or RangeError when the rater returns anything but an integer from 0 to 5; what the rater throws.
 */
export async function assessImage(
  bytes: Buffer,
  rater: TargetRater | "brisque" | "features",
  random?: Random,
): Promise<Assessment> {
  const measures = await measure(bytes, { brisque: rater === "brisque" });
  const rating =
    rater === "brisque"
      ? await rateImage(bytes)
      : rater === "features"
        ? await rateByFeatures(bytes)
        : checkRating(await rater(bytes, random), "targetRater");
  const isFlat = measures.damage !== undefined || measures.isFlat;
  return { outcome: isFlat ? "failed" : "success", rating, sha256: sha256Of(bytes) };
}

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/** Rates an image by its BRISQUE score; 0 when it cannot be decoded. */
export async function rateImage(image: Buffer): Promise<number> {
  const { brisque } = { brisque: undefined, ...(await measure(image, { brisque: true })) };
  return brisque === undefined ? 0 : Math.max(0, MAX_RATING - Math.floor(brisque / SCORE_PER_RATING));
}
