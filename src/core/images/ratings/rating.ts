import type { Random } from "../../emulator/random.ts";
import { showWithType } from "../../general/text.ts";

/**
 * Rates a target's image for tracking: an integer from 0 to 5, or a promise of one.
 * A custom rater is called once per stored image, before the request is answered, which fails if it throws. `random` is the
 * mock's own source of randomness, which follows its seed.
 */
export type TargetRater = (image: Buffer, random?: Random) => number | Promise<number>;

/** How likely a picture is recognised by its features. */
export interface FeatureRating {
  /** From 0 to 5 stars. */
  readonly rating: number;
  /** The rating in words, with advice. */
  readonly advice: string;
}

export const MAX_RATING = 5;

/**
 * Checks what a rater returned.
 * @throws TypeError when it is not a number, RangeError when it is not an integer from 0 to 5.
 */
export function checkRating(rating: unknown, source: string): number {
  const expected = `expected a whole number from 0 to ${MAX_RATING}`;
  if (typeof rating !== "number") throw new TypeError(`${source}: ${expected}; got ${showWithType(rating)}`);
  if (!Number.isInteger(rating) || rating < 0 || rating > MAX_RATING) {
    throw new RangeError(`${source}: ${expected}; got ${rating}`);
  }
  return rating;
}
