import { loadOnceInProcess } from "../../general/load-module.ts";
import { decodeThumbnail } from "../decode.ts";
import { THUMBNAIL_SIDE } from "../scale.ts";

const CHANNELS = 3;

interface Plane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1;
}

/** The part of image-ssim used here; its own declarations refer to sources that do not compile under strict settings. */
interface ImageSsim {
  compare(image1: Plane, image2: Plane, windowSize: number): { ssim: number };
}

/** Side, in pixels, of the windows that the score is the mean of. */
const SSIM_WINDOW = 6;

/**
 * The definition of the structural similarity score: image-ssim on each of the R, G and B planes of two 256x256
 * thumbnails, mean of the three; 1 for equal images.
 */
export function structuralSimilarity(a: Uint8Array, b: Uint8Array): number {
  return meanScore(planesOf(a, b));
}

function meanScore(pairs: readonly (readonly [Plane, Plane])[]): number {
  const imageSsim: ImageSsim = loadOnceInProcess("image-ssim");
  const scores = pairs.map(([first, second]) => imageSsim.compare(first, second, SSIM_WINDOW).ssim);
  return scores.reduce((total, score) => total + score, 0) / scores.length;
}

const planesOf = (a: Uint8Array, b: Uint8Array) =>
  [0, 1, 2].map((channel) => [plane(a, channel), plane(b, channel)] as const);

/** The structural similarity of two images; null when one cannot be decoded. */
export async function compareImages(a: Buffer, b: Buffer): Promise<number | null> {
  const [first, second] = await Promise.all([decodeThumbnail(a), decodeThumbnail(b)]);
  return "damage" in first || "damage" in second ? null : structuralSimilarity(first, second);
}

/** Similarity of two images by place. */
export interface SimilarityMap {
  /** Windows in a row. */
  readonly columns: number;
  /** The score of each window, row by row: their mean is the score of the images. */
  readonly windows: readonly number[];
}

/** The scores of all windows of two 256x256 thumbnails, by the definition of {@link structuralSimilarity}. */
export function similarityMap(a: Uint8Array, b: Uint8Array): SimilarityMap {
  const planes = planesOf(a, b);
  const starts = Array.from({ length: Math.ceil(THUMBNAIL_SIDE / SSIM_WINDOW) }, (_, at) => at * SSIM_WINDOW);
  const windows = starts.flatMap((top) =>
    starts.map((left) => {
      const window = (plane: Plane) => windowOf(plane, left, top);
      return meanScore(planes.map(([first, second]) => [window(first), window(second)]));
    }),
  );
  return { columns: starts.length, windows };
}

function windowOf({ data, width, height }: Plane, left: number, top: number): Plane {
  const columns = Math.min(SSIM_WINDOW, width - left);
  const rows = Math.min(SSIM_WINDOW, height - top);
  const placeOf = (at: number) => (top + Math.floor(at / columns)) * width + left + (at % columns);
  return {
    data: new Uint8Array(columns * rows).map((_, at) => data[placeOf(at)] ?? 0),
    width: columns,
    height: rows,
    channels: 1,
  };
}

function plane(thumbnail: Uint8Array, channel: number): Plane {
  // `Uint8Array.from` takes three times as long.
  const data = new Uint8Array(THUMBNAIL_SIDE ** 2).map((_, at) => thumbnail[at * CHANNELS + channel] ?? 0);
  return { data, width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, channels: 1 };
}
