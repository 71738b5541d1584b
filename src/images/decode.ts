import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type { default as Sharp, Sharp as SharpImage } from "sharp";
import { formatOf } from "./format.ts";
import { Slots } from "./slots.ts";

/** What a file says about itself, read without decoding its pixels. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** Colour components, alpha included: 1 grey, 3 RGB, 4 RGBA or CMYK. */
  readonly components: number;
  /** Progressive JPEG or interlaced PNG: such a file is only decoded whole. */
  readonly progressive: boolean;
}

/** Decoded pixels: 8-bit R, G, B of each pixel, row by row. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Side, in pixels, of the square that images are compared at. */
export const THUMBNAIL_SIDE = 256;

/** A progressive image is decoded whole before it is scaled: a bigger one would take hundreds of megabytes. */
const MAX_PROGRESSIVE_PIXELS = 37_748_736;
/** Each decode may hold an image of up to 113 MB. */
const slots = new Slots(Math.min(4, availableParallelism()));

let loaded: typeof Sharp | undefined;

/** Loads sharp on first use: 50 ms and a native library, which many test files never need. */
function sharp(): typeof Sharp {
  // Not `import()`: Jest cannot run that in CommonJS.
  const module: typeof Sharp = loaded ?? createRequire(import.meta.url)("sharp");
  loaded = module;
  return module;
}

/** The one door to the decoder: nothing but PNG and JPEG goes through it, whatever sharp could read. */
function open(bytes: Buffer, failOn: "none" | "truncated"): SharpImage {
  if (!formatOf(bytes)) throw new Error("neither a PNG nor a JPEG file");
  return sharp()(bytes, { ignoreIcc: true, limitInputPixels: false, failOn });
}

/**
 * Reads the header of a file.
 * @throws Error, of the decoder, when it cannot be read.
 */
export async function readHeader(bytes: Buffer): Promise<ImageHeader> {
  const { width, height, channels, isProgressive } = await open(bytes, "truncated").metadata();
  return { width, height, components: channels, progressive: isProgressive };
}

/**
 * Decodes all pixels, without rotating by EXIF or converting by ICC.
 * @throws Error, of the decoder, when the data ends early or is damaged.
 */
export function decodePixels(bytes: Buffer): Promise<Pixels> {
  return slots.run(async () => {
    const image = open(bytes, "truncated").removeAlpha().raw();
    const { data, info } = await image.toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  });
}

/**
 * Scales an image to 256x256 while decoding it, so that a huge one needs little memory. Missing data stays blank;
 * undefined when there is nothing that can be decoded.
 */
export function decodeThumbnail(bytes: Buffer): Promise<Buffer | undefined> {
  return slots.run(async () => {
    try {
      const { width, height, progressive } = await readHeader(bytes);
      if (progressive && width * height > MAX_PROGRESSIVE_PIXELS) return undefined;
      return await open(bytes, "none")
        .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: "fill", kernel: "cubic" })
        .removeAlpha()
        .raw()
        .toBuffer();
    } catch {
      return undefined;
    }
  });
}
