import { decodeThumbnail } from "./decode.ts";
import { structuralSimilarity } from "./similarity.ts";

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

/** One entry of {@link mappingMatcher}. */
export interface MappedImage {
  /** The query image, byte for byte. */
  readonly image: Uint8Array;
  /** The id or the name of the target that it matches. */
  readonly target: string;
  /** The score; higher is better. Default: 1. */
  readonly score?: number;
}

/** How a built-in matcher compares, so that queries can do the same faster. */
export type Comparison =
  | { readonly by: "bytes" }
  | { readonly by: "structuralSimilarity"; readonly threshold: number };

const DEFAULT_THRESHOLD = 0.6;
/** A global symbol, so that it also identifies matchers of the package's other build, ESM or CommonJS. */
const COMPARISON = Symbol.for("mock-cloud-reco.comparison");

/** Scores byte-equal images 1; others do not match. */
export const exactMatcher: ImageMatcher = declare({ by: "bytes" }, (a, b) => (a.equals(b) ? 1 : null));

/** Scores images by structural similarity when the score is above 0.6. See {@link createStructuralSimilarityMatcher}. */
export const structuralSimilarityMatcher: ImageMatcher = createStructuralSimilarityMatcher();

/** How a matcher compares, if it is a built-in one. */
export function comparisonOf(matcher: ImageMatcher): Comparison | undefined {
  return Reflect.get(matcher, COMPARISON);
}

/** Whether one of these matchers compares by structural similarity, so that images are worth preparing. */
export function compareBySimilarity(...matchers: readonly ImageMatcher[]): boolean {
  return matchers.some((matcher) => comparisonOf(matcher)?.by === "structuralSimilarity");
}

function declare(comparison: Comparison, matcher: ImageMatcher): ImageMatcher {
  return Object.defineProperty(matcher, COMPARISON, { value: comparison });
}

/**
 * Makes a matcher that scores images by structural similarity: both scaled to 256x256, the mean of image-ssim over the
 * R, G and B planes with windows of 6 pixels; 1 for equal images. An image that cannot be decoded matches nothing.
 * @param options.threshold only scores above this are matches: from -1 to 1, default 0.6
 * @throws RangeError when the threshold is not in that range.
 * @example new MockCloudReco({ queryMatcher: createStructuralSimilarityMatcher({ threshold: 0.4 }) })
 */
export function createStructuralSimilarityMatcher(
  options: { readonly threshold?: number } = {},
): ImageMatcher {
  const { threshold = DEFAULT_THRESHOLD } = options;
  if (!(threshold >= -1 && threshold <= 1)) {
    throw new RangeError(`threshold: expected a number from -1 to 1; got ${threshold}`);
  }
  return declare({ by: "structuralSimilarity", threshold }, async (a, b) => {
    const [first, second] = await Promise.all([decodeThumbnail(a), decodeThumbnail(b)]);
    if ("damage" in first || "damage" in second) return null;
    const score = structuralSimilarity(first, second);
    return score > threshold ? score : null;
  });
}

/**
 * Makes a matcher that matches chosen images with chosen targets, and nothing else.
 * @throws TypeError when a pair's score is not a finite number.
 * @example mappingMatcher([{ image: photo, target: "label", score: 0.9 }])
 */
export function mappingMatcher(pairs: readonly MappedImage[]): ImageMatcher {
  const entries = pairs.map(({ image, target, score = 1 }, index) => {
    if (!Number.isFinite(score)) {
      throw new TypeError(`mappingMatcher: pairs[${index}].score: expected a finite number; got ${score}`);
    }
    return { image: Buffer.from(image), target, score };
  });
  return (a, _b, target) => {
    const isTarget = (wanted: string) => wanted === target?.targetId || wanted === target?.name;
    return entries.find((entry) => isTarget(entry.target) && entry.image.equals(a))?.score;
  };
}
