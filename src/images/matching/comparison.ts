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
  | { readonly by: "structuralSimilarity"; readonly threshold: number };

/** A global symbol, so that it also identifies matchers of the package's other build, ESM or CommonJS. */
const COMPARISON = Symbol.for("mock-cloud-reco.comparison");

/** How a matcher compares, if it is a built-in one. */
export function comparisonOf(matcher: ImageMatcher): Comparison | undefined {
  return Reflect.get(matcher, COMPARISON);
}

/** Whether one of these matchers compares by structural similarity, so that images are worth preparing. */
export function compareBySimilarity(...matchers: readonly ImageMatcher[]): boolean {
  return matchers.some((matcher) => comparisonOf(matcher)?.by === "structuralSimilarity");
}

/** Makes a built-in matcher say how it compares. */
export function declareComparison(comparison: Comparison, matcher: ImageMatcher): ImageMatcher {
  return Object.defineProperty(matcher, COMPARISON, { value: comparison });
}
