import { createRandom, type Random } from "../core/random.ts";
import { showWithType } from "../core/text.ts";
import { brisqueScore } from "./brisque/score.ts";
import { remembered } from "./cache.ts";
import { Upload, uploadIfKnown } from "./upload.ts";

/**
 * Rates a target's image for tracking: a whole number from 0 to 5, or a promise of one.
 * A custom rater is called once per stored image. `random` is the mock's own source of randomness, which follows its seed.
 */
export type TargetRater = (image: Buffer, random?: Random) => number | Promise<number>;

/** Best rating. */
export const MAX_RATING = 5;

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/**
 * Rates images by BRISQUE, a measure of quality: 5 - floor(score / 20), at least 0. Images of one colour, that are too small
 * to be measured or that cannot be decoded get 0.
 */
export const brisqueRater: TargetRater = (image) => {
  // An image that was not uploaded is hashed again, because the caller may have written to it.
  const upload = uploadIfKnown(image) ?? new Upload(image);
  return remembered("brisqueRating", upload.sha256, async () => {
    const decoded = await upload.decoded();
    if ("damage" in decoded) return 0;
    const score = await brisqueScore(decoded.grey);
    return Math.max(0, MAX_RATING - Math.floor(score / SCORE_PER_RATING));
  });
};

/** Rates every image 5. */
export const perfectRater: TargetRater = () => MAX_RATING;

/**
 * Rates images at random, from 0 to 5.
 * @param seed the same seed gives the same sequence of ratings; without one, the mock's seed decides
 * @example new MockCloudReco({ targetRater: randomRater("monday") })
 */
export function randomRater(seed?: string | number): TargetRater {
  const own = createRandom(seed);
  return (_image, random) => (seed === undefined && random ? random : own).integer(MAX_RATING + 1);
}

/**
 * Rates every image the same.
 * @throws RangeError when `rating` is not a whole number from 0 to 5.
 * @example new MockCloudReco({ targetRater: fixedRater(3) })
 */
export function fixedRater(rating: number): TargetRater {
  checkRating(rating, "fixedRater");
  return () => rating;
}

/**
 * Checks what a rater returned.
 * @throws TypeError when it is not a number, RangeError when it is not a whole number from 0 to 5.
 */
export function checkRating(rating: unknown, source: string): number {
  const expected = `expected a whole number from 0 to ${MAX_RATING}`;
  if (typeof rating !== "number") throw new TypeError(`${source}: ${expected}; got ${showWithType(rating)}`);
  if (!Number.isInteger(rating) || rating < 0 || rating > MAX_RATING) {
    throw new RangeError(`${source}: ${expected}; got ${rating}`);
  }
  return rating;
}
