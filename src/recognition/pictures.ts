import { hash } from "node:crypto";
import { loadedOnce } from "../core/general/load-module.ts";
import { yieldToEventLoop } from "../core/general/scheduling.ts";
import { ImageMemo, imageObjects } from "../core/images/cache.ts";
import type { GreyPicture } from "../core/images/decode.ts";
import { decodeGrey } from "../core/images/grey.ts";
import { keptWhileUsed } from "../core/images/kernels/instantiate.ts";
import type { ComparedImage, ComparedTarget } from "../core/images/matching/comparison.ts";
import type { FeatureRating } from "../core/images/ratings/rating.ts";
import {
  FeatureFinder,
  type Features,
  HALF_QUERY_SEARCH,
  inParts,
  packFeatures,
  placeOf,
  QUERY_SEARCH,
  type SearchSettings,
  SHORT_QUERY_SEARCH,
  TARGET_SEARCH,
  type TargetFeatures,
  unpackFeatures,
} from "./extract.ts";
import { Pyramid, reduce, shorten } from "./pixels.ts";
import { type Projections, readProjections } from "./projections.ts";
import { rateFeatures } from "./rate.ts";
import { countDifferent, type QueryPicture } from "./recognise.ts";

const projections = loadedOnce(() => readProjections());
const finder = keptWhileUsed((projections: Projections) => new FeatureFinder(projections));

const find = async (picture: GreyPicture, search: SearchSettings): Promise<Features> =>
  finder(await projections()).find(picture, search);

/** How a query is searched. */
export interface QueryPass extends Pick<QueryPicture, "pixels" | "level"> {
  readonly search: SearchSettings;
  /** The targets that share most features with it are verified: at least so many. */
  readonly verified: number;
  /** One side of the query is halved, which rights a tilted target: searched only if nothing is found otherwise. */
  readonly isShort?: true;
}

/** The whole of a query, and its half size and shortened if it is larger than targets' pictures; none if it cannot be decoded. */
export async function passesOfQuery(image: ComparedImage): Promise<readonly QueryPass[]> {
  const grey = await decodeGrey(await image.bytes(), QUERY_SEARCH.side);
  if ("damage" in grey) return [];
  const whole = { pixels: new Pyramid(grey, grey.free), level: 0, search: QUERY_SEARCH, verified: 12 };
  if (Math.max(grey.width, grey.height) <= TARGET_SEARCH.side) return [whole];
  const half = { ...whole, level: 1, search: HALF_QUERY_SEARCH, verified: 6 };
  return [whole, half, { ...whole, search: SHORT_QUERY_SEARCH, verified: 6, isShort: true }];
}

/** Its pixels are overwritten afterwards. */
export async function usePassesOfQuery<T>(
  image: ComparedImage,
  use: (passes: readonly QueryPass[]) => Promise<T>,
): Promise<T> {
  const passes = await passesOfQuery(image);
  return use(passes).finally(() => passes[0]?.pixels.free());
}

export async function featuresOfQuery({ pixels, level, search, isShort }: QueryPass): Promise<QueryPicture> {
  const picture = pixels.level(level);
  return { ...(await find(isShort ? shorten(picture) : picture, search)), pixels, level };
}

// From the file, not from the rating's pixels: decision 0006.
export async function featuresOfTarget(image: ComparedImage): Promise<TargetFeatures | null> {
  const grey = await decodeGrey(await image.bytes(), TARGET_SEARCH.side);
  if ("damage" in grey) return null;
  const found = find(grey, TARGET_SEARCH).then((features) => ({ ...features, small: reduce(grey) }));
  return found.finally(grey.free);
}

export const targetFeatures = new ImageMemo(async (image: ComparedImage) => {
  const packed = await image.summary?.("features");
  return (packed && unpackFeatures(packed)) ?? featuresOfTarget(image);
});

/** Targets that are only looked at: about 1 ms. */
const LOOKED_AT_PER_SLICE = 4096;
/** Targets whose features are found, if they have not been yet, while others are decoded. */
const PREPARED_AT_ONCE = 32;

export const endsSlice = (index: number) => index % LOOKED_AT_PER_SLICE === LOOKED_AT_PER_SLICE - 1;

/** The features of targets' images, in order; null for those that cannot be decoded. */
export async function featuresOfTargets(
  targets: readonly ComparedTarget[],
): Promise<readonly (TargetFeatures | null)[]> {
  // At once in its full size: an array that grows is copied again and again.
  const prepared: (TargetFeatures | null)[] = new Array(targets.length).fill(null);
  let done = 0;
  for (const [index, { image }] of targets.entries()) {
    if (endsSlice(index)) await yieldToEventLoop();
    if (index < done) continue;
    const made = targetFeatures.of(image);
    if (!(made instanceof Promise)) prepared[index] = made;
    else {
      const part = targets.slice(index, index + PREPARED_AT_ONCE);
      const features = await Promise.all(part.map((target) => targetFeatures.of(target.image)));
      for (const [place, each] of features.entries()) prepared[index + place] = each;
      done = index + part.length;
    }
  }
  return prepared;
}

/** The features of an image for a process that does not have it. Undefined when it cannot be decoded. */
export async function packedFeaturesOf(image: ComparedImage): Promise<Buffer | undefined> {
  // Afterwards, only the packed ones are needed here.
  imageObjects.add(image);
  const features = await targetFeatures.of(image);
  return features === null ? undefined : packFeatures(features);
}

export const imageOf = (bytes: Buffer, sha256 = hash("sha256", bytes)): ComparedImage => ({
  sha256,
  bytes: () => bytes,
});

/** From 0 to 5 stars; 0 for an image that cannot be decoded. */
export const rateByFeatures = async (bytes: Buffer): Promise<number> =>
  (await featureRatingOf(imageOf(bytes)))?.rating ?? 0;

/** Rates an image, with advice; undefined if it cannot be decoded. */
export async function featureRatingOf(image: ComparedImage): Promise<FeatureRating | undefined> {
  const features = await targetFeatures.of(image);
  return features === null ? undefined : rateFeatures(features, countDifferent(features));
}

/** Places of features in a picture, as fractions of its width and height. */
export interface FoundFeatures {
  readonly places: readonly (readonly [x: number, y: number])[];
  /** Of a target's picture; null for a query's. */
  readonly recognition: FeatureRating | null;
}

const featuresOfWhole = (query: ComparedImage): Promise<Features | null> =>
  usePassesOfQuery(query, async ([whole]) => (whole === undefined ? null : featuresOfQuery(whole)));

/** Undefined when the image cannot be decoded. */
export async function findFeatures(
  bytes: Buffer,
  as: "query" | "target",
): Promise<FoundFeatures | undefined> {
  const image = imageOf(bytes);
  const features = await (as === "target" ? targetFeatures.of(image) : featuresOfWhole(image));
  if (features === null) return undefined;
  const { frames, count, width, height } = features;
  return {
    places: Array.from({ length: count }, (_, index) => {
      const [x = 0, y = 0] = placeOf(frames, index);
      return [inParts(x / width), inParts(y / height)];
    }),
    recognition: as === "target" ? rateFeatures(features, countDifferent(features)) : null,
  };
}
