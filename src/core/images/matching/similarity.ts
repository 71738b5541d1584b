import { similarityKernel } from "../kernels/compiled.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "../kernels/instantiate.ts";
import { countSearch, isSearched, takeSpare } from "./spare-pixels.ts";

// image-ssim defines the scores that this computes, in definition.ts: decision 0005.

/** A thumbnail prepared for the kernel, whose source documents the layout: 233 kB, 78 kB when grey. */
export interface PreparedImage {
  /** All three planes are equal, and kept once. */
  readonly grey: boolean;
  /** For each window of each plane: n times the sum of the squared pixels, minus the square of their sum. */
  readonly spreads: Uint8Array;
  /** For each window of each plane: the sum of its pixels. */
  readonly sums: Uint8Array;
  /** For each window of each plane: its pixels, and zeros up to 36. */
  readonly pixels: Uint8Array;
}

/** A summary that is kept of every target (22 kB, 7 kB when grey). It suffices to rule out most images. */
export interface Sketch {
  readonly grey: boolean;
  readonly codes: Uint8Array;
  /** The most by which the codes may be off, summed over all windows. */
  readonly slack: number;
}

export interface Query {
  readonly image: PreparedImage;
  /** For comparison with sketches: 112 kB, kept while another query has the kernel. */
  sketch: Uint8Array | undefined;
}

interface Kernel
  extends KernelMemory<"THUMBNAIL" | "SPREADS" | "SUMS" | "WINDOW_PIXELS" | "SKETCH" | "QUERY_SKETCH"> {
  prepare(): number;
  sketch(grey: boolean): number;
  sketchQuery(grey: boolean): void;
  boundSketch(grey: boolean, slack: number, threshold: number): number;
  useAsQuery(grey: boolean): void;
  mayReach(grey: boolean, threshold: number): number;
  score(grey: boolean, threshold: number): number;
}

/** The kernel, and the image and the query in its memory: queries take turns. */
interface Loaded {
  readonly kernel: Kernel;
  readonly memory: Uint8Array;
  image: PreparedImage | undefined;
  sketched: Query | undefined;
  prepared: Query | undefined;
}

const PLANES = 3;
const WINDOWS = 43 * 43;
const WINDOW_PIXELS = 36;
const SKETCH_PLANE_BYTES = 7488;
const QUERY_SKETCH_BYTES = 112_320;

const load = keptWhileUsed((): Loaded => {
  const kernel = instantiate<Kernel>(similarityKernel);
  const memory = new Uint8Array(kernel.memory.buffer);
  return { kernel, memory, image: undefined, sketched: undefined, prepared: undefined };
});

/** Prepares a 256x256 RGB thumbnail: about 0.1 ms. */
export const prepareImage = (thumbnail: Uint8Array): PreparedImage => keepPrepared(putThumbnail(thumbnail));

/** Returns whether it is grey. */
function putThumbnail(thumbnail: Uint8Array): boolean {
  const scorer = load();
  scorer.memory.set(thumbnail, scorer.kernel.THUMBNAIL.value);
  scorer.image = undefined;
  return scorer.kernel.prepare() !== 0;
}

/** Copies what the kernel has prepared, which takes longer than to prepare it. */
function keepPrepared(grey: boolean): PreparedImage {
  const scorer = load();
  const { kernel } = scorer;
  const image = {
    grey,
    spreads: planesAt(kernel.SPREADS.value, grey, WINDOWS * 4),
    sums: planesAt(kernel.SUMS.value, grey, WINDOWS * 2),
    pixels: planesAt(
      kernel.WINDOW_PIXELS.value,
      grey,
      WINDOWS * WINDOW_PIXELS,
      grey ? undefined : takeSpare(),
    ),
  };
  scorer.image = image;
  return image;
}

/** Makes a sketch of a thumbnail: about 0.2 ms. */
export const sketchThumbnail = (thumbnail: Uint8Array): Sketch => sketchPut(putThumbnail(thumbnail));

/** Prepares a thumbnail, and makes a sketch of it: about 0.3 ms. */
export function prepareWithSketch(thumbnail: Uint8Array): { image: PreparedImage; sketch: Sketch } {
  const image = prepareImage(thumbnail);
  return { image, sketch: sketchPut(image.grey) };
}

/** Makes a sketch of what the kernel has prepared. */
function sketchPut(grey: boolean): Sketch {
  const { kernel } = load();
  const slack = kernel.sketch(grey);
  return { grey, slack, codes: planesAt(kernel.SKETCH.value, grey, SKETCH_PLANE_BYTES) };
}

/** Copies bytes of each plane from the kernel. */
function planesAt(at: number, grey: boolean, bytes: number, into?: Uint8Array): Uint8Array {
  const end = at + (grey ? 1 : PLANES) * bytes;
  if (into === undefined) return load().memory.slice(at, end);
  into.set(load().memory.subarray(at, end));
  return into;
}

/** The slack, and one byte more: earlier releases, which sketched stored pixels rather than upright ones, wrote 8 bytes. */
const HEAD_BYTES = 9;

/** A sketch as bytes, for another process: the slack, then the codes, whose length says whether it is grey. */
export function packSketch({ slack, codes }: Sketch): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleLE(slack);
  return Buffer.concat([head, codes]);
}

/** Returns undefined for data that {@link packSketch} did not write. */
export function unpackSketch(packed: Buffer): Sketch | undefined {
  const planes = (packed.length - HEAD_BYTES) / SKETCH_PLANE_BYTES;
  if (planes !== 1 && planes !== PLANES) return undefined;
  return {
    grey: planes === 1,
    slack: packed.readDoubleLE(),
    codes: Uint8Array.from(packed.subarray(HEAD_BYTES)),
  };
}

export function preparedBytes({ spreads, sums, pixels }: PreparedImage): number {
  return spreads.byteLength + sums.byteLength + pixels.byteLength;
}

/** Makes a query of a prepared image, in about 0.1 ms unless it is the one that was used last. */
export function makeQuery(image: PreparedImage): Query {
  const { sketched } = load();
  if (sketched?.image === image) return sketched;
  const query: Query = { image, sketch: undefined };
  putQuery(query);
  return query;
}

/** Searches with a query of a prepared image. */
export async function withQuery<Result>(
  image: PreparedImage,
  search: (query: Query) => Promise<Result>,
): Promise<Result> {
  const query = makeQuery(image);
  countSearch(image, 1);
  try {
    return await search(query);
  } finally {
    countSearch(image, -1);
  }
}

/** Puts a query into the kernel, to be compared with sketches. */
function putQuery(query: Query): void {
  const scorer = load();
  const { kernel, memory, sketched } = scorer;
  if (sketched === query) return;
  const at = kernel.QUERY_SKETCH.value;
  if (sketched && isSearched(sketched.image)) sketched.sketch ??= memory.slice(at, at + QUERY_SKETCH_BYTES);
  if (query.sketch) memory.set(query.sketch, at);
  else {
    putImage(query.image);
    kernel.sketchQuery(query.image.grey);
  }
  scorer.sketched = query;
}

/**
 * An upper bound of an image's score, from its sketch. When the bound is below the threshold, any number below the threshold.
 * Takes about 9 µs.
 */
export function boundScore(query: Query, { grey, codes, slack }: Sketch, threshold: number): number {
  putQuery(query);
  const { kernel, memory } = load();
  memory.set(codes, kernel.SKETCH.value);
  return kernel.boundSketch(grey, slack, threshold);
}

/**
 * Scores an image like image-ssim, within 1e-9; null when not above the threshold. Takes about 0.06 ms, or
 * less when the images differ so much that their pixels need not be compared.
 */
export function scoreImage(query: Query, image: PreparedImage, threshold: number): number | null {
  const scorer = load();
  const { kernel, memory } = scorer;
  if (scorer.prepared !== query) {
    putImage(query.image);
    kernel.useAsQuery(query.image.grey);
    scorer.prepared = query;
  }
  if (scorer.image !== image) {
    scorer.image = undefined;
    memory.set(image.spreads, kernel.SPREADS.value);
    memory.set(image.sums, kernel.SUMS.value);
  }
  if (!kernel.mayReach(image.grey, threshold)) return null;
  if (scorer.image !== image) memory.set(image.pixels, kernel.WINDOW_PIXELS.value);
  scorer.image = image;
  const score = kernel.score(image.grey, threshold);
  return score > threshold ? score : null;
}

function putImage(image: PreparedImage): void {
  const { spreads, sums, pixels } = image;
  const scorer = load();
  const { kernel, memory } = scorer;
  if (scorer.image === image) return;
  scorer.image = image;
  memory.set(spreads, kernel.SPREADS.value);
  memory.set(sums, kernel.SUMS.value);
  memory.set(pixels, kernel.WINDOW_PIXELS.value);
}
