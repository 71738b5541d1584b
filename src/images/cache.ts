import { createHash } from "node:crypto";
import type { GreyImage } from "./brisque/features.ts";
import type { Undecodable } from "./decode.ts";
import type { SimilarityFeatures } from "./similarity-features.ts";

/** What is kept about an image, under the hash of its bytes. All of it follows from those bytes alone. */
interface Facets {
  /** What is wrong with the image's data; null when nothing is. */
  damage: string | null;
  /** The outcome of a full decode, kept until the image has been rated. */
  decoded: DecodedImage | Undecodable;
  deviation: number;
  brisqueRating: number;
  /** Null for what cannot be decoded. */
  features: SimilarityFeatures | null;
}

/** What is left of a full decode. */
export interface DecodedImage {
  readonly grey: GreyImage;
  /** Mean deviation of the colour channels. */
  readonly deviation: number;
}

interface CachedImage {
  readonly facets: { [Facet in keyof Facets]?: Promise<Facets[Facet]> };
  bytes: number;
}

interface ImageCache {
  /** Least recently used first. */
  readonly images: Map<string, CachedImage>;
  bytes: number;
  maxBytes: number;
}

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
/** About what an entry costs beside its large parts. */
const ENTRY_BYTES = 500;
/** The ESM and the CommonJS build of the package share one cache; another version with another shape does not. */
const SHARED = Symbol.for("mock-cloud-reco.image-cache.1");

/** The cache of this process, for all mocks in it. */
function sharedCache(): ImageCache {
  const existing: ImageCache | undefined = Reflect.get(globalThis, SHARED);
  if (existing) return existing;
  const cache: ImageCache = { images: new Map(), bytes: 0, maxBytes: DEFAULT_MAX_BYTES };
  Object.defineProperty(globalThis, SHARED, { value: cache });
  return cache;
}

/** Lower-case hex SHA-256 of bytes: the key of an image. */
export function hashImage(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Bounds the memory that prepared images may take, in bytes, for the whole process; 256 MiB by default. A target takes
 * about 233 kB, a third of that when it is grey. With less than all targets need, queries prepare some anew each time.
 * @throws RangeError when it is not a number of at least 0.
 */
export function setImageCacheBytes(bytes: number): void {
  if (!(bytes >= 0))
    throw new RangeError(`imageCacheBytes is ${bytes}; accepted is a number of bytes, at least 0`);
  const cache = sharedCache();
  cache.maxBytes = bytes;
  evict(cache);
}

/** How much the cache holds, and may hold. */
export function imageCacheUse(): {
  readonly images: number;
  readonly bytes: number;
  readonly maxBytes: number;
} {
  const { images, bytes, maxBytes } = sharedCache();
  return { images: images.size, bytes, maxBytes };
}

/**
 * What is known about an image: made once, however many ask at the same time. A failure is not kept.
 * @param sizeOf the bytes that the value takes, where they matter
 */
export function remembered<Facet extends keyof Facets>(
  facet: Facet,
  sha256: string,
  make: () => Promise<Facets[Facet]>,
  sizeOf: (value: Facets[Facet]) => number = () => 0,
): Promise<Facets[Facet]> {
  const cache = sharedCache();
  const image = touch(cache, sha256);
  const known = image.facets[facet];
  if (known) return known;
  const made = make();
  Object.assign(image.facets, { [facet]: made });
  const isCurrent = () => cache.images.get(sha256) === image && image.facets[facet] === made;
  made.then(
    (value) => {
      if (isCurrent()) grow(cache, image, sizeOf(value));
    },
    () => {
      if (isCurrent()) delete image.facets[facet];
    },
  );
  return made;
}

/** Whether something is known about an image, or being made. */
export function isRemembered(facet: keyof Facets, sha256: string): boolean {
  return sharedCache().images.get(sha256)?.facets[facet] !== undefined;
}

/** The bytes that the outcome of a full decode takes. */
export function decodedBytes(decoded: DecodedImage | Undecodable): number {
  return "damage" in decoded ? 0 : decoded.grey.data.length;
}

/** Drops the outcome of a full decode, once nobody needs it any more. */
export async function forgetDecoded(sha256: string): Promise<void> {
  const cache = sharedCache();
  const image = cache.images.get(sha256);
  const decoded = image?.facets.decoded;
  if (!image || !decoded) return;
  const bytes = decodedBytes(await decoded);
  if (cache.images.get(sha256) !== image || image.facets.decoded !== decoded) return;
  delete image.facets.decoded;
  grow(cache, image, -bytes);
}

function touch(cache: ImageCache, sha256: string): CachedImage {
  const existing = cache.images.get(sha256);
  const image = existing ?? { facets: {}, bytes: 0 };
  cache.images.delete(sha256);
  cache.images.set(sha256, image);
  if (!existing) grow(cache, image, ENTRY_BYTES);
  return image;
}

function grow(cache: ImageCache, image: CachedImage, bytes: number): void {
  image.bytes += bytes;
  cache.bytes += bytes;
  evict(cache);
}

function evict(cache: ImageCache): void {
  for (const [sha256, image] of cache.images) {
    if (cache.bytes <= cache.maxBytes) return;
    cache.images.delete(sha256);
    cache.bytes -= image.bytes;
  }
}
