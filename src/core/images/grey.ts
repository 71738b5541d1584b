import { freeMemory } from "../general/free-memory.ts";
import { orientationOf, type PixelSize } from "../general/image-header.ts";
import {
  decoders,
  decodeScaled,
  type FreedPixels,
  fromPixels,
  pixelsOf,
  type SharpImage,
  type Undecodable,
} from "./decode.ts";
import { decodeBrightness } from "./jpeg.ts";

/** How many times larger a small image may become. */
const ENLARGED = 2;
/** Shares of R, G and B in the brightness that JPEG files store. */
const LUMA: [number, number, number] = [0.299, 0.587, 0.114];

/**
 * Decodes an image to 8-bit grey, upright by EXIF, `side` pixels long, or twice as long as it is if that is less.
 * Transparent parts are grey. Not from a rating's pixels: a file's brightness is decoded in less time.
 */
export async function decodeGrey(bytes: Buffer, side: number): Promise<FreedPixels | Undecodable> {
  const own = orientationOf(bytes) === 1 ? await decoders.run(() => greyOfJpeg(bytes, side)) : undefined;
  return (
    own ??
    decodeScaled(bytes, (image, size) => {
      const flat = image.autoOrient().flatten({ background: "#888" });
      const isGrey = size.components < 3;
      const grey = isGrey ? flat.toColourspace("b-w") : flat.recomb([LUMA, LUMA, LUMA]).extractChannel(0);
      return scaledGrey(grey, size, side);
    })
  );
}

/** Of files that a kernel decodes. */
async function greyOfJpeg(bytes: Buffer, side: number): Promise<FreedPixels | undefined> {
  const own = await decodeBrightness(bytes);
  if (own === undefined || Math.max(own.width, own.height) === side) return own;
  return scaledGrey(fromPixels(own, 1).toColourspace("b-w"), own, side).finally(own.free);
}

async function scaledGrey(
  image: SharpImage,
  { width, height }: PixelSize,
  side: number,
): Promise<FreedPixels> {
  const most = Math.min(ENLARGED * Math.max(width, height), side);
  const pixels = await pixelsOf(image.resize(most, most, { fit: "inside" }));
  return { ...pixels, free: () => freeMemory(pixels.data) };
}
