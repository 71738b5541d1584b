import { loadModule } from "../runtime/load-module.ts";
import { THUMBNAIL_SIDE } from "./decode.ts";

interface Plane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1;
}

/** The part of image-ssim that is used; its own declarations point at sources that strict settings refuse. */
interface ImageSsim {
  compare(image1: Plane, image2: Plane, windowSize: number): { ssim: number };
}

/** Side, in pixels, of the windows that the score is the mean of. */
export const SSIM_WINDOW = 6;

/**
 * The definition of the structural similarity score: image-ssim on each of the R, G and B planes of two 256x256
 * thumbnails, mean of the three; 1 for equal images.
 */
export function structuralSimilarity(a: Buffer, b: Buffer): number {
  const imageSsim: ImageSsim = loadModule("image-ssim");
  const scores = [0, 1, 2].map(
    (channel) => imageSsim.compare(plane(a, channel), plane(b, channel), SSIM_WINDOW).ssim,
  );
  return scores.reduce((total, score) => total + score, 0) / scores.length;
}

function plane(thumbnail: Buffer, channel: number): Plane {
  const data = Uint8Array.from(
    { length: THUMBNAIL_SIDE ** 2 },
    (_, index) => thumbnail[index * 3 + channel] ?? 0,
  );
  return { data, width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, channels: 1 };
}
