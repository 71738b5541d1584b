import type { Outline } from "../../schema/journal-entry.ts";
import { type NewImage, SUMMARY_KINDS, type SummaryKind } from "../../schema/target.ts";
import type { FeatureRating } from "../ratings/rating.ts";

/** The target that the second image of a comparison belongs to. */
export interface MatchedTarget {
  /** The target's id. */
  readonly targetId: string;
  /** The target's name. */
  readonly name: string;
  /** Application metadata, base64 as stored; null when there is none. */
  readonly applicationMetadata: string | null;
}

/**
 * Compares two images' bytes. Returns a finite number for a match (higher is better), null or undefined for no match, or a
 * promise of either. In a query, `a` is the query's image, `b` a target's image and `target` that target.
 */
export type ImageMatcher = (
  a: Buffer,
  b: Buffer,
  target?: MatchedTarget,
) => number | null | undefined | Promise<number | null | undefined>;

/** How a built-in matcher compares, so that queries can do the same faster. */
export type Comparison =
  | { readonly by: "bytes" }
  | { readonly by: "structuralSimilarity"; readonly threshold: number }
  | { readonly by: "features"; readonly minimumInliers: number; readonly recogniser: Recogniser };

/** What finds pictures in photographs. The core has none: a matcher brings its own. */
export interface Recogniser {
  /**
   * Finds the targets that an image shows.
   * @param most - how many of the best matches have to be found.
   * @param only - whether a picture that shows a target among other things, or a part of it, does not match.
   */
  rank<T extends ComparedTarget>(
    image: ComparedImage,
    targets: readonly T[],
    most: number,
    only?: "wholePictures",
  ): Promise<Ranking<T>>;
  /** Prepares an image that is added; never rejects. */
  ready(image: NewImage): Promise<void>;
  /** Prepares a target's image in the background, as long as that is wanted. */
  prepare(image: ComparedImage, isWanted: () => boolean): void;
  /** A summary of an image, for a process that does not have the image. Undefined when it cannot be decoded. */
  summaryOf(image: ComparedImage): Promise<Buffer | undefined>;
  /** Rates an image, with advice. Undefined when it cannot be decoded. */
  rate(image: ComparedImage): Promise<FeatureRating | undefined>;
}

/** A global symbol, so that it also identifies matchers of the package's other build, ESM or CommonJS. */
const COMPARISON: unique symbol = Symbol.for("mock-cloud-reco.comparison");

/** How a matcher compares, if it is a built-in one. */
export function comparisonOf(
  matcher: ImageMatcher & { readonly [COMPARISON]?: Comparison },
): Comparison | undefined {
  return matcher[COMPARISON];
}

/** Whether images are worth preparing. */
export function compareBySimilarity(...matchers: readonly ImageMatcher[]): boolean {
  return matchers.some((matcher) => comparisonOf(matcher)?.by === "structuralSimilarity");
}

/** The kinds of summaries that these matchers need. */
export function summariesFor(...matchers: readonly ImageMatcher[]): readonly SummaryKind[] {
  const ways = matchers.map((matcher) => comparisonOf(matcher)?.by);
  return SUMMARY_KINDS.filter((kind) =>
    ways.includes(kind === "sketch" ? "structuralSimilarity" : "features"),
  );
}

/** What recognises pictures, if one of these matchers does. */
export function recogniserOf(...matchers: readonly ImageMatcher[]): Recogniser | undefined {
  return matchers
    .map((matcher) => comparisonOf(matcher))
    .flatMap((comparison) => (comparison?.by === "features" ? [comparison.recogniser] : []))[0];
}

export function declareComparison(comparison: Comparison, matcher: ImageMatcher): ImageMatcher {
  return Object.defineProperty(matcher, COMPARISON, { value: comparison });
}

/** A target's image. Its prepared forms are kept as long as this object. */
export interface ComparedImage {
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** The image's bytes; only called when they are needed. */
  bytes(): Buffer | Promise<Buffer>;
  /** The result of `summaryOf`, if another process has the image. */
  summary?(kind: SummaryKind): Promise<Buffer | undefined>;
}

export interface ComparedTarget extends MatchedTarget {
  readonly image: ComparedImage;
}

/** The result of a comparison: each target is in exactly one of the lists. */
export interface Ranking<T> {
  /** Best first, equal scores in the order given. */
  readonly matches: readonly RankedMatch<T>[];
  /** Not compared, because they cannot be among the best that were requested. */
  readonly notCompared: readonly T[];
  /** The other targets, nearest first as far as known. */
  readonly unmatched: readonly T[];
  /** The image itself cannot be decoded, so nothing was compared with it. */
  readonly isUndecoded?: boolean;
  /** Why those do not match, as far as the matcher can say. */
  readonly whyNot?: (target: T) => string;
}

export interface RankedMatch<T> {
  readonly target: T;
  readonly score: number;
  /** Only of matchers that recognise pictures in photographs. */
  readonly recognition?: Recognition;
}

/** A target that was found in a picture. */
export interface Recognition {
  readonly why: string;
  readonly outline: Outline;
}
