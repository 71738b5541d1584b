import { exactMatcher, type ImageMatcher, structuralSimilarityMatcher } from "../images/matchers.ts";
import { brisqueRater, perfectRater, randomRater, type TargetRater } from "../images/raters.ts";
import { type MockCloudRecoOptions, type ResolvedOptions, resolveOptions } from "../options.ts";

export const MATCHER_NAMES = ["exact", "structural_similarity"] as const;
/** A matcher, by the name that servers know it by. */
export type MatcherName = (typeof MATCHER_NAMES)[number];

export const RATER_NAMES = ["brisque", "perfect", "random"] as const;
/** A rater, by the name that servers know it by. */
export type RaterName = (typeof RATER_NAMES)[number];

/** How servers behave; the same as in process, with matchers and raters by name. Protocol section 11. */
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
  > {
  /** Processing time of targets, reports and datasets made from now on, in seconds. Default 2. */
  readonly processingTimeSeconds?: number;
  /** What a query finds. Default `structural_similarity`. */
  readonly queryMatcher?: MatcherName;
  /** What counts as a duplicate. Default `structural_similarity`. */
  readonly duplicatesMatcher?: MatcherName;
  /** Gives an added image its tracking rating. Default `brisque`. */
  readonly targetRater?: RaterName;
  /** Base URL of report downloads. Default: the target API server's own. */
  readonly serviceBaseUrl?: string;
}

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
 * @param ownUrl - of the target API server.
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what is accepted.
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
