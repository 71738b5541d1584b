import { spareTime, yieldToEventLoop } from "../general/scheduling.ts";
import type { ImageMeasures } from "../schema/target.ts";
import { measured } from "./cache.ts";
import { decodePixels, type GreyPicture, type Pixels, thumbnailOfPixels, useStrips } from "./decode.ts";
import type { PixelRows } from "./jpeg.ts";
import { pixelsKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "./kernels/instantiate.ts";
import { sketchEarly, sketches } from "./matching/ranking.ts";
import { sketchThumbnail } from "./matching/similarity.ts";
import { type GreyRows, greyRows, PIXELS_PER_SLICE, rowsOfSlice } from "./ratings/brisque/features.ts";
import { brisqueScore } from "./ratings/brisque/score.ts";
import { isScaledFaster } from "./scale.ts";

const CHANNELS = 3;
/** A target succeeds when the mean deviation of its colour channels is above this. */
const FLAT_IMAGE_DEVIATION = 5;

/** What is measured of an image, besides whether it decodes and whether it is flat. */
export interface Wants {
  readonly brisque?: boolean;
  /** Whether it will be compared by structural similarity. */
  readonly sketch?: boolean;
  /** Whether the pixels that the sketch is made of are kept for comparisons. Default: true. */
  readonly keepPixels?: boolean;
}

/** Bytes that no longer change. */
export interface HashedImage {
  readonly bytes: Buffer;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
}

/** Decodes an image whole and measures it, once even for concurrent callers. A failure is not remembered. */
export function measure(
  { bytes, sha256 }: HashedImage,
  { brisque = false, sketch = false, keepPixels = true }: Wants,
): Promise<ImageMeasures> {
  const known = measured.get(sha256);
  if (known && (known.brisque || !brisque)) return known.made;
  // Most tests add one picture and query with the same, which takes no sketch.
  const isFirst = measured.size === 0;
  const made = new Promise<ImageMeasures>((resolve, reject) => {
    const decodeWhole = () =>
      decodePixels(bytes, async (pixels) => {
        const { data, width, height, toScale } = pixels;
        const read = (row: number, rows: number) =>
          data.subarray(row * width * CHANNELS, (row + rows) * width * CHANNELS);
        const measures = measureRows({ width, height, read }, brisque, pixels);
        measures.then(resolve, reject);
        // Only comparisons need the sketch, and wait for it.
        const sketched =
          sketch && !isFirst && toScale
            ? sketches.begin(sha256, () => sketchOf({ bytes, sha256 }, toScale, measures, keepPixels))
            : undefined;
        // Only a few images are in memory at a time.
        const isOver = Promise.allSettled([measures, sketched]).then(() => pixels.free());
        if (!isScaledFaster(pixels)) await isOver;
        return measures;
      });
    const decodeOnce = async () => {
      const inStrips = brisque
        ? await useStrips(bytes, rowsOfSlice, (rows) => measureRows(rows, true))
        : undefined;
      return inStrips ?? decodeWhole();
    };
    decodeOnce().then(resolve, reject);
  });
  measured.set(sha256, { made, brisque });
  made.catch(() => {
    if (measured.peek(sha256)?.made === made) measured.delete(sha256);
  });
  return made;
}

/** @param whole all pixels, if they are in memory; otherwise the rating reads them */
async function measureRows(
  { width, height, read }: PixelRows,
  brisque: boolean,
  whole?: Pixels,
): Promise<ImageMeasures> {
  const totals = new Float64Array(2 * CHANNELS);
  let counted = 0;
  const grey: GreyRows = {
    width,
    height,
    read: (row, rows) => {
      counted += rows * width;
      return reduceSlice(read(row, rows), totals);
    },
  };
  const wide = width > PIXELS_PER_SLICE ? whole : undefined;
  const score = brisque ? await brisqueScore(wide ? greyRows((await reduce(wide)).grey) : grey) : undefined;
  const deviates =
    whole && counted < width * height
      ? await deviatesMoreThan(FLAT_IMAGE_DEVIATION, whole)
      : deviationOf(totals, counted, counted) > FLAT_IMAGE_DEVIATION;
  return { isFlat: !deviates, brisque: score };
}

/** After the rating: an addition is answered without the sketch. */
async function sketchOf(
  { bytes, sha256 }: HashedImage,
  pixels: Pixels,
  rated: Promise<unknown>,
  keepPixels: boolean,
) {
  await rated.catch(() => {});
  if (isScaledFaster(pixels)) await spareTime();
  return thumbnailOfPixels(pixels, bytes, (thumbnail) =>
    keepPixels ? sketchEarly(sha256, thumbnail) : sketchThumbnail(thumbnail),
  );
}

interface Kernel extends KernelMemory<"SOURCE" | "GREY"> {
  reduce(count: number): void;
}

const load = keptWhileUsed(() => instantiate<Kernel>(pixelsKernel));

/** Of each channel the sum of its values, then of each the sum of its squares. */
type Totals = Float64Array;

/** Adds up to so many pixels as the kernel takes to totals. Returns their grey values, which the next call replaces. */
function reduceSlice(pixels: Uint8Array, totals: Totals): Uint8Array {
  const kernel = load();
  const { buffer } = kernel.memory;
  const count = pixels.length / CHANNELS;
  new Uint8Array(buffer).set(pixels, kernel.SOURCE.value);
  kernel.reduce(count);
  for (const [index, sum] of new Float64Array(buffer, 0, totals.length).entries())
    totals[index] = (totals[index] ?? 0) + sum;
  return new Uint8Array(buffer, kernel.GREY.value, count);
}

/** Makes an image grey, and finds its deviation, in slices. Grey is Y of ITU-R 601 as OpenCV rounds it. */
export async function reduce({ data, width, height }: Pixels): Promise<ReducedImage> {
  const count = width * height;
  const grey = new Uint8Array(count);
  const totals = new Float64Array(2 * CHANNELS);
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    if (start > 0) await yieldToEventLoop();
    const slice = data.subarray(start * CHANNELS, (start + PIXELS_PER_SLICE) * CHANNELS);
    grey.set(reduceSlice(slice, totals), start);
  }
  return { grey: { data: grey, width, height }, deviation: deviationOf(totals, count, count) };
}

interface ReducedImage {
  readonly grey: GreyPicture;
  /** Mean deviation of the colour channels. */
  readonly deviation: number;
}

/** How many parts of an image are looked at first, and how many pixels of each. */
const [SAMPLES, SAMPLE_PIXELS] = [64, 1000];

/**
 * Whether the mean deviation of the colour channels is above a limit. A few parts mostly show it already: however little the
 * others deviate, they cannot make up for these.
 */
export async function deviatesMoreThan(limit: number, pixels: Pixels): Promise<boolean> {
  const { data, width, height } = pixels;
  const count = width * height;
  const totals = new Float64Array(2 * CHANNELS);
  const distance = Math.ceil(count / SAMPLES);
  let looked = 0;
  for (let start = 0; start < count; start += distance) {
    const end = Math.min(start + Math.min(SAMPLE_PIXELS, distance), count);
    reduceSlice(data.subarray(start * CHANNELS, end * CHANNELS), totals);
    looked += end - start;
  }
  return deviationOf(totals, looked, count) > limit || (await reduce(pixels)).deviation > limit;
}

/** The mean deviation of the channels, if `all` pixels were no farther from the mean of `counted` ones than these. */
function deviationOf(totals: Totals, counted: number, all: number): number {
  let sum = 0;
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const [total = 0, squares = 0] = [totals[channel], totals[CHANNELS + channel]];
    sum += Math.sqrt(Math.max(0, (squares - total ** 2 / counted) / all));
  }
  return sum / CHANNELS;
}
