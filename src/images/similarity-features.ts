import { THUMBNAIL_SIDE } from "./decode.ts";
import { SSIM_WINDOW } from "./structural-similarity.ts";

/** A thumbnail prepared for the kernel, which says what is in it and in which order: 233 kB, 78 kB when grey. */
export interface SimilarityFeatures {
  /** All three planes are the same one. */
  readonly grey: boolean;
  /** For each window of each plane: n times the sum of the squared pixels, minus the square of their sum. */
  readonly spreads: Uint32Array;
  /** For each window of each plane: the sum of its pixels. */
  readonly sums: Uint16Array;
  /** For each window of each plane: its pixels, and zeros up to 36. */
  readonly pixels: Uint8Array;
}

const WINDOW_PIXELS = SSIM_WINDOW ** 2;
const PLANES = 3;

interface Window {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Full windows first, then those at the right and bottom edge, then the corner. */
const windows: readonly Window[] = listWindows().sort((a, b) => b.width * b.height - a.width * a.height);

/** Prepares a 256x256 RGB thumbnail; about a millisecond. */
export function prepareFeatures(thumbnail: Buffer): SimilarityFeatures {
  const grey = isGrey(thumbnail);
  const count = (grey ? 1 : PLANES) * windows.length;
  const features = {
    grey,
    spreads: new Uint32Array(count),
    sums: new Uint16Array(count),
    pixels: new Uint8Array(count * WINDOW_PIXELS),
  };
  for (let index = 0; index < count; index++) {
    const window = windows[index % windows.length];
    if (window) addWindow(features, index, thumbnail, window, Math.floor(index / windows.length));
  }
  return features;
}

/** The bytes that features take. */
export function featureBytes({ spreads, sums, pixels }: SimilarityFeatures): number {
  return spreads.byteLength + sums.byteLength + pixels.byteLength;
}

function addWindow(
  { spreads, sums, pixels }: SimilarityFeatures,
  index: number,
  thumbnail: Buffer,
  { x, y, width, height }: Window,
  plane: number,
): void {
  let sum = 0;
  let squares = 0;
  let target = index * WINDOW_PIXELS;
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) {
      const value = thumbnail[(row * THUMBNAIL_SIDE + column) * PLANES + plane] ?? 0;
      pixels[target++] = value;
      sum += value;
      squares += value * value;
    }
  }
  sums[index] = sum;
  spreads[index] = width * height * squares - sum * sum;
}

function isGrey(thumbnail: Buffer): boolean {
  for (let index = 0; index < thumbnail.length; index += PLANES) {
    if (thumbnail[index] !== thumbnail[index + 1] || thumbnail[index] !== thumbnail[index + 2]) return false;
  }
  return true;
}

function listWindows(): Window[] {
  const starts = Array.from(
    { length: Math.ceil(THUMBNAIL_SIDE / SSIM_WINDOW) },
    (_, index) => index * SSIM_WINDOW,
  );
  const length = (start: number) => Math.min(SSIM_WINDOW, THUMBNAIL_SIDE - start);
  return starts.flatMap((y) => starts.map((x) => ({ x, y, width: length(x), height: length(y) })));
}
