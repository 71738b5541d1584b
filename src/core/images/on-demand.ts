import { createRandom, type Random } from "../emulator/random.ts";
import { hasConvertedLineEnds } from "../general/image-header.ts";
import { loadedOnce } from "../general/load-module.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";
import type { NewImage } from "../schema/target.ts";
import type * as Decode from "./decode.ts";
import type * as Engine from "./engine.ts";
import {
  type ComparedImage,
  compareBySimilarity,
  type ImageMatcher,
  recogniserOf,
} from "./matching/comparison.ts";
import type { Wants } from "./measures.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./ratings/rating.ts";

/** Loads what works on images when the first one arrives: most test files never need it. */
const engine = loadedOnce<typeof Engine>(() => import("./engine.ts"));

/** The package's own raters use what is known of the image; others get its bytes. */
export const assessImage: typeof Engine.assessImage = async (image, rater, ...given) =>
  (await engine()).assessImage(image, rater === brisqueRater ? "brisque" : rater, ...given);

/**
 * Returns the function that assesses images which are added. If one of these matchers recognises pictures, it prepares them for that,
 * so that queries do not wait.
 */
export function assessing(
  rater: TargetRater,
  matchers: readonly ImageMatcher[],
  random?: Random,
): (image: NewImage) => ReturnType<typeof assessImage> {
  const recogniser = recogniserOf(...matchers);
  if (recogniser === undefined) return (image) => assessImage(image, rater, random);
  return async (image) => {
    const prepared = recogniser.ready(image);
    const assessment = await assessImage(image, rater, random);
    await prepared;
    return assessment;
  };
}

/**
 * Rates images by BRISQUE, a measure of quality: 5 - floor(score / 20), at least 0. Images of one colour, that are too small
 * to be measured or that cannot be decoded get 0.
 */
export const brisqueRater: TargetRater = (image) => rateImage(image);

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
 * @throws RangeError when `rating` is not an integer from 0 to 5.
 * @example new MockCloudReco({ targetRater: fixedRater(3) })
 */
export function fixedRater(rating: number): TargetRater {
  checkRating(rating, "fixedRater");
  return () => rating;
}

/**
 * Measures of added images for this rater and these matchers. Where features are found anyway, a sketch for checks for duplicates takes
 * little longer. Pixels are for queries only.
 */
export const wantsOf = ({
  targetRater,
  queryMatcher,
  duplicatesMatcher,
}: {
  readonly targetRater: TargetRater;
  readonly queryMatcher: ImageMatcher;
  readonly duplicatesMatcher: ImageMatcher;
}): Wants => {
  const keepPixels = compareBySimilarity(queryMatcher);
  const forDuplicates = recogniserOf(queryMatcher) !== undefined && compareBySimilarity(duplicatesMatcher);
  return { brisque: targetRater === brisqueRater, sketch: keepPixels || forDuplicates, keepPixels };
};

const rateImage: typeof Engine.rateImage = async (...given) => (await engine()).rateImage(...given);

export const compareImages: typeof Engine.compareImages = async (...given) =>
  (await engine()).compareImages(...given);

/** Without what measures and compares: tests that only draw pictures need none of it. */
export const encodePng: typeof Decode.encodePng = async (...given) =>
  (await import("./decode.ts")).encodePng(...given);

export const inspectQueryImage: typeof Engine.inspectQueryImage = async (...given) =>
  (await engine()).inspectQueryImage(...given);

export const inspectTargetImage: typeof Engine.inspectTargetImage = async (...given) =>
  (await engine()).inspectTargetImage(...given);

export const rankTargets: typeof Engine.rankTargets = async (...given) =>
  (await engine()).rankTargets(...given);

export const whyNotDecoded: typeof Engine.whyNotDecoded = async (...given) =>
  (await engine()).whyNotDecoded(...given);

export const sketchOf: typeof Engine.sketchOf = async (...given) => (await engine()).sketchOf(...given);

/**
 * Returns the function that prepares images for these matchers, in the background; undefined if none of them compares prepared
 * images.
 * @param isWanted - asked before each image: a mock or server that has stopped wants none
 */
export function backgroundPreparation(
  matchers: readonly ImageMatcher[],
  isWanted: () => boolean,
): ((image: ComparedImage) => void) | undefined {
  const bySimilarity = compareBySimilarity(...matchers);
  const recogniser = recogniserOf(...matchers);
  if (!bySimilarity && recogniser === undefined) return undefined;
  return (image) => {
    if (bySimilarity) engine.soon(({ sketches }) => sketches.prepare(image, isWanted));
    else engine.now()?.sketches.keepLatest(image);
    recogniser?.prepare(image, isWanted);
  };
}

/** What is remarkable about a picture that is accepted; undefined if nothing is. */
export const remarkOnPicture = (bytes: Buffer): AnyCause | undefined =>
  hasConvertedLineEnds(bytes) ? cause("picture.line-ends") : undefined;
