import { createRandom } from "../../emulator/random.ts";
import { brisqueRater, featureRater } from "../on-demand.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./rating.ts";

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

/** The names of raters in settings, which are text. */
export const RATER_NAMES = ["brisque", "features", "perfect", "random"] as const;
/** The name of a rater. */
export type RaterName = (typeof RATER_NAMES)[number];
export const DEFAULT_RATER: RaterName = "brisque";

/** The rater of that name; a random one with that seed. */
export const raterNamed = (name: RaterName, seed: string | number | undefined): TargetRater =>
  ({ brisque: brisqueRater, features: featureRater, perfect: perfectRater, random: randomRater(seed) })[name];
