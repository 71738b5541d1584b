import * as z from "zod/mini";
import { loadedOnce } from "../core/general/load-module.ts";
import { declareComparison, type ImageMatcher, type Recogniser } from "../core/images/matching/comparison.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import { checked } from "../core/schema/zod/problems.ts";
import { optional, record } from "../core/schema/zod/record.ts";
import { wholeNumberFrom } from "../core/schema/zod/values.ts";
import type * as Engine from "./engine.ts";

const DEFAULT_INLIERS = 8;
/** Fewer features than this determine no position. */
const LEAST_INLIERS = 5;

/** Loads what recognises pictures with the first one. */
const engine = loadedOnce<typeof Engine>(() => import("./engine.ts"));

/** Ignores a failure: the code that needs the result computes it again. */
const ready: Recogniser["ready"] = (image) =>
  engine()
    .then(({ prepareAdded }) => prepareAdded(image))
    .catch(() => {});

const prepare: Recogniser["prepare"] = (image, isWanted) =>
  engine.soon(({ targetFeatures }) => targetFeatures.prepare(image, isWanted));

/** Finds targets in photographs, by at least 8 local features. See {@link createFeatureMatcher}. */
export const featureMatcher: ImageMatcher = featuresAgreeing(DEFAULT_INLIERS);

interface FeatureOptions {
  /**
   * Features that must agree on one position: an integer of at least 5. Default 8. Two fewer are enough if half of the
   * pixels there look like the target's; three, if three quarters of many do.
   */
  readonly minimumInliers?: number | undefined;
}

const featureOptions = z.lazy(() =>
  record<FeatureOptions>(optional({ minimumInliers: wholeNumberFrom(LEAST_INLIERS) })),
);

/**
 * Makes a matcher that finds targets in photographs: tilted up to 60°, half covered, from a fifth of the frame's size to larger
 * than it. It compares local features in grey, so it sees no colours. Scores are from 0.5 to 1, which is for equal files.
 * Duplicates are only whole pictures of each other. An image that cannot be decoded matches nothing but its own copy.
 * @throws InvalidOptionError naming the option, its value and what was expected.
 * @example new MockCloudReco({ queryMatcher: createFeatureMatcher({ minimumInliers: 12 }) })
 */
export function createFeatureMatcher(options: FeatureOptions = {}): ImageMatcher {
  return featuresAgreeing(checked("options", featureOptions, options).minimumInliers ?? DEFAULT_INLIERS);
}

function featuresAgreeing(minimumInliers: number): ImageMatcher {
  const recogniser: Recogniser = {
    rank: async (...given) => (await engine()).rankByFeatures(minimumInliers, ...given),
    ready,
    prepare,
    summaryOf: async (image) => (await engine()).packedFeaturesOf(image),
    rate: async (image) => (await engine()).featureRatingOf(image),
  };
  return declareComparison({ by: "features", minimumInliers, recogniser }, async (a, b) =>
    (await engine()).compareFeatures(a, b, minimumInliers),
  );
}

/**
 * Rates images by how well {@link featureMatcher} recognises them: by how many features differ, and how far these are spread.
 * Images without features or that cannot be decoded get 0.
 */
export const featureRater: TargetRater = async (image) => (await engine()).rateByFeatures(image);
