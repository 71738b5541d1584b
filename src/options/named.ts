import type { ImageMatcher } from "../core/images/matching/comparison.ts";
import { exactMatcher, structuralSimilarityMatcher } from "../core/images/matching/matchers.ts";
import { brisqueRater, perfectRater, randomRater } from "../core/images/on-demand.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import { featureMatcher, featureRater } from "../recognition/matcher.ts";

/** The names of matchers in settings, which are text. */
export const MATCHER_NAMES = ["exact", "structural_similarity", "features"] as const;
/** The name of a matcher. */
export type MatcherName = (typeof MATCHER_NAMES)[number];
export const DEFAULT_MATCHER: MatcherName = "structural_similarity";
export const MATCHERS: Readonly<Record<MatcherName, ImageMatcher>> = {
  exact: exactMatcher,
  structural_similarity: structuralSimilarityMatcher,
  features: featureMatcher,
};

/** The names of raters in settings, which are text. */
export const RATER_NAMES = ["brisque", "features", "perfect", "random"] as const;
/** The name of a rater. */
export type RaterName = (typeof RATER_NAMES)[number];
export const DEFAULT_RATER: RaterName = "brisque";

/** The rater of that name; a random one with that seed. */
export const raterNamed = (name: RaterName, seed: string | number | undefined): TargetRater =>
  ({ brisque: brisqueRater, features: featureRater, perfect: perfectRater, random: randomRater(seed) })[name];

const OF_MATCHERS = {
  exact: { exactMatcher },
  structural_similarity: { structuralSimilarityMatcher },
  features: { featureMatcher },
};
/** Of options that are functions in process: the name of each on servers, and what the package exports for it. */
const EXPORTS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>> = {
  queryMatcher: OF_MATCHERS,
  duplicatesMatcher: OF_MATCHERS,
  targetRater: {
    brisque: { brisqueRater },
    features: { featureRater },
    perfect: { perfectRater },
    random: { "randomRater()": randomRater },
  },
};

/** The name on servers of a function that the package exports. */
export const nameOnServers = (option: string, given: unknown): string | undefined =>
  Object.entries(EXPORTS[option] ?? {}).find(([, exported]) => Object.values(exported).includes(given))?.[0];

/** The export that is meant by a name of servers. */
export const functionNamed = (option: string, given: unknown): string | undefined =>
  typeof given === "string" ? Object.keys(EXPORTS[option]?.[given] ?? {})[0] : undefined;
