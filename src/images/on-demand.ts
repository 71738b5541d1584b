import type { Wanted } from "../emulator/scheduling.ts";
import type * as Engine from "./engine.ts";
import { type ComparedImage, comparisonOf, type ImageMatcher } from "./matching/comparison.ts";
import type { TargetRater } from "./ratings/rating.ts";

let loading: Promise<typeof Engine> | undefined;
let loaded: typeof Engine | undefined;

/** Loads what works on images when the first one arrives: most test files never need it. */
function engine(): Promise<typeof Engine> {
  loading ??= import("./engine.ts").then((module) => {
    loaded = module;
    return module;
  });
  return loading;
}

/** The package's own raters rate later; others get the image's bytes. */
export const assessImage: typeof Engine.assessImage = async (image, rater, ...given) =>
  (await engine()).assessImage(
    image,
    rater === brisqueRater ? "brisque" : rater === featureRater ? "features" : rater,
    ...given,
  );

/**
 * Rates images by BRISQUE, a measure of quality: 5 - floor(score / 20), at least 0. Images of one colour, that are too small
 * to be measured or that cannot be decoded get 0.
 */
export const brisqueRater: TargetRater = (image) => rateImage(image);

/**
 * Rates images by how well {@link featureMatcher} recognises them: by how many features differ, and how far these are spread.
 * Images without features or that cannot be decoded get 0.
 */
export const featureRater: TargetRater = (image) => rateByFeatures(image);

const rateByFeatures: typeof Engine.rateByFeatures = async (...given) =>
  (await engine()).rateByFeatures(...given);

export const featureRatingOf: typeof Engine.featureRatingOf = async (...given) =>
  (await engine()).featureRatingOf(...given);

const rateImage: typeof Engine.rateImage = async (...given) => (await engine()).rateImage(...given);

export const compareImages: typeof Engine.compareImages = async (...given) =>
  (await engine()).compareImages(...given);

export const drawPicture: typeof Engine.drawPicture = async (...given) =>
  (await engine()).drawPicture(...given);

export const encodePixels: typeof Engine.encodePixels = async (...given) =>
  (await engine()).encodePixels(...given);

export const inspectQueryImage: typeof Engine.inspectQueryImage = async (...given) =>
  (await engine()).inspectQueryImage(...given);

export const inspectTargetImage: typeof Engine.inspectTargetImage = async (...given) =>
  (await engine()).inspectTargetImage(...given);

export const rankTargets: typeof Engine.rankTargets = async (...given) =>
  (await engine()).rankTargets(...given);

export const whyNotDecoded: typeof Engine.whyNotDecoded = async (...given) =>
  (await engine()).whyNotDecoded(...given);

export const compareFeatures: typeof Engine.compareFeatures = async (...given) =>
  (await engine()).compareFeatures(...given);

/**
 * What prepares images for these matchers, in the background; undefined when none of them compares prepared images.
 * @param by - when that has stopped, images are only prepared when they are compared
 */
export function backgroundPreparation(
  matchers: readonly ImageMatcher[],
  by: Wanted,
): ((image: ComparedImage) => void) | undefined {
  const isPrepared = matchers.some((matcher) => !["bytes", undefined].includes(comparisonOf(matcher)?.by));
  return isPrepared ? (image) => prepareInBackground(image, matchers, by) : undefined;
}

/** At once if it can be: `isolate` and `restore` call this for each image, for which promises double their time. */
const prepareInBackground: typeof Engine.prepareInBackground = (...given) => {
  if (loaded !== undefined) return loaded.prepareInBackground(...given);
  // A failure is ignored: whoever needs the result computes it again.
  engine().then(
    (module) => module.prepareInBackground(...given),
    () => {},
  );
};
