import * as z from "zod/mini";
import { checked } from "../../schema/zod/problems.ts";
import { optional, record } from "../../schema/zod/record.ts";
import { binary, kind, listOf, text } from "../../schema/zod/values.ts";
import { compareImages } from "../on-demand.ts";
import { declareComparison, type ImageMatcher } from "./comparison.ts";

/** One entry of {@link mappingMatcher}. */
export interface MappedImage {
  /** The query image, byte for byte. */
  readonly image: Uint8Array;
  /** The id or the name of the target that it matches. */
  readonly target: string;
  /** The score; higher is better. Default: 1. */
  readonly score?: number | undefined;
}

const DEFAULT_THRESHOLD = 0.6;

/** Scores byte-equal images 1; others do not match. */
export const exactMatcher: ImageMatcher = declareComparison({ by: "bytes" }, (a, b) =>
  a.equals(b) ? 1 : null,
);

/** Scores images by structural similarity when the score is above 0.6. See {@link createStructuralSimilarityMatcher}. */
export const structuralSimilarityMatcher: ImageMatcher = similarityAbove(DEFAULT_THRESHOLD);

interface SimilarityOptions {
  /** Only scores above this are matches: from -1 to 1. Default 0.6. */
  readonly threshold?: number | undefined;
}

const similarityOptions = z.lazy(() =>
  record<SimilarityOptions>(
    optional({ threshold: kind("a number from -1 to 1", z.number().check(z.gte(-1), z.lte(1))) }),
  ),
);

/**
 * Makes a matcher that scores images by structural similarity: both upright as EXIF data says and scaled to 256x256,
 * the mean of image-ssim over the R, G and B planes with windows of 6 pixels; 1 for equal images. An image that cannot be decoded matches nothing.
 * @throws InvalidOptionError naming the option, its value and what was expected.
 * @example new MockCloudReco({ queryMatcher: createStructuralSimilarityMatcher({ threshold: 0.4 }) })
 */
export function createStructuralSimilarityMatcher(options: SimilarityOptions = {}): ImageMatcher {
  return similarityAbove(checked("options", similarityOptions, options).threshold ?? DEFAULT_THRESHOLD);
}

/** A matcher whose options are known to be valid. */
export function similarityAbove(threshold: number): ImageMatcher {
  return declareComparison({ by: "structuralSimilarity", threshold }, async (a, b) => {
    const score = await compareImages(a, b);
    return score !== null && score > threshold ? score : null;
  });
}

const mappedImages = z.lazy(() =>
  listOf<MappedImage>(
    kind(
      "an object",
      z.object({ image: binary, target: text, score: z.optional(kind("a finite number", z.number())) }),
    ),
  ),
);

/**
 * Makes a matcher that matches chosen images with chosen targets, and nothing else.
 * @throws InvalidOptionError naming the place in the list, its value and what was expected.
 * @example mappingMatcher([{ image: photo, target: "label", score: 0.9 }])
 */
export function mappingMatcher(pairs: readonly MappedImage[]): ImageMatcher {
  const entries = checked("pairs", mappedImages, pairs).map(({ image, target, score = 1 }) => ({
    image: Buffer.from(image),
    target,
    score,
  }));
  return (a, _b, target) => {
    const isTarget = (wanted: string) => wanted === target?.targetId || wanted === target?.name;
    return entries.find((entry) => isTarget(entry.target) && entry.image.equals(a))?.score;
  };
}
