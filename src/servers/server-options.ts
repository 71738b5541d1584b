import { setImageCacheBytes } from "../images/cache-limit.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import { exactMatcher, structuralSimilarityMatcher } from "../images/matching/matchers.ts";
import { brisqueRater, perfectRater, randomRater } from "../images/ratings/raters.ts";
import type { TargetRater } from "../images/ratings/rating.ts";
import {
  anyBaseUrl,
  commonOptions,
  type MockCloudRecoOptions,
  type ResolvedOptions,
  resolveOptions,
} from "../mock/options.ts";
import { oneOf } from "../schema/kernel/values.ts";

export const MATCHER_NAMES = ["exact", "structural_similarity"] as const;
/** The name of a matcher. */
export type MatcherName = (typeof MATCHER_NAMES)[number];

export const RATER_NAMES = ["brisque", "perfect", "random"] as const;
/** The name of a rater. */
export type RaterName = (typeof RATER_NAMES)[number];

/** Options of servers: as in process, but with matchers and raters by name. */
export interface ServerOptions
  extends Pick<
    MockCloudRecoOptions,
    | "profile"
    | "queryContentEncoding"
    | "responseDelaySeconds"
    | "modelTargetTrainingAllowanceExceeded"
    | "modelTargetClient"
    | "modelTargetUser"
    | "requestsPerSecondLimit"
    | "requestRateLimits"
    | "clock"
    | "seed"
    | "imageCacheBytes"
    | "journalCapacity"
    | "journalBodyBytes"
  > {
  /** Processing time of new targets, reports and datasets, in seconds. Default 2. */
  readonly processingTimeSeconds?: number;
  /** Decides which targets a query finds. Default `structural_similarity`. */
  readonly queryMatcher?: MatcherName;
  /** Decides which targets are duplicates. Default `structural_similarity`. */
  readonly duplicatesMatcher?: MatcherName;
  /** Rates added images. Default `brisque`. */
  readonly targetRater?: RaterName;
  /** Base URL of report downloads. Default: the target API server's own. */
  readonly serviceBaseUrl?: string;
}

/** The schema of each option. */
export const serverOptions = {
  ...commonOptions,
  queryMatcher: oneOf(...MATCHER_NAMES),
  duplicatesMatcher: oneOf(...MATCHER_NAMES),
  targetRater: oneOf(...RATER_NAMES),
  serviceBaseUrl: anyBaseUrl,
};

const MATCHERS: Readonly<Record<MatcherName, ImageMatcher>> = {
  exact: exactMatcher,
  structural_similarity: structuralSimilarityMatcher,
};

const RATERS: Readonly<Record<RaterName, (seed: string | number | undefined) => TargetRater>> = {
  brisque: () => brisqueRater,
  perfect: () => perfectRater,
  random: randomRater,
};

const PROCESSING_SECONDS = 2;

/**
 * Checks the options and adds the defaults.
 *
 * @param ownUrl - the target API server's URL.
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what was expected.
 */
export function resolveServerOptions(options: ServerOptions, ownUrl: string): ResolvedOptions {
  const { queryMatcher, duplicatesMatcher, targetRater, serviceBaseUrl, ...same } = options;
  return resolveOptions({
    processingTimeSeconds: PROCESSING_SECONDS,
    ...same,
    targetUrl: serviceBaseUrl ?? ownUrl,
    queryMatcher: MATCHERS[queryMatcher ?? "structural_similarity"],
    duplicatesMatcher: MATCHERS[duplicatesMatcher ?? "structural_similarity"],
    targetRater: RATERS[targetRater ?? "brisque"](options.seed),
  });
}

/** The cache belongs to the process: the latest setting applies. */
export function applyImageCacheBytes({ imageCacheBytes }: ServerOptions): void {
  if (imageCacheBytes !== undefined) setImageCacheBytes(imageCacheBytes);
}
