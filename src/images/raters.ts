/**
 * Rates a target's image for tracking: a whole number from 0 to 5, or a promise of one. Protocol section 12.
 * A custom rater is called once per stored image.
 */
export type TargetRater = (image: Buffer) => number | Promise<number>;

/** Best rating. */
export const MAX_RATING = 5;

/** Rates every image 5. */
export const perfectRater: TargetRater = () => MAX_RATING;

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
  const accepted = `accepted is a whole number from 0 to ${MAX_RATING}`;
  if (typeof rating !== "number")
    throw new TypeError(`${source}: the rating is ${show(rating)}; ${accepted}`);
  if (!Number.isInteger(rating) || rating < 0 || rating > MAX_RATING) {
    throw new RangeError(`${source}: the rating is ${rating}; ${accepted}`);
  }
  return rating;
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `${String(value)} (${typeof value})`;
}
