import { createRequire } from "node:module";
import type { default as Sharp, SharpOptions } from "sharp";

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

const OPTIONS: SharpOptions = { ignoreIcc: true, limitInputPixels: false };
/** Each decode may hold an image of up to 113 MB. */
const CONCURRENT_DECODES = 2;

let loaded: typeof Sharp | undefined;

/** Loads sharp on first use: 50 ms and a native library, which many test files never need. */
function sharp(): typeof Sharp {
  // Not `import()`: Jest cannot run that in CommonJS.
  const module: typeof Sharp = loaded ?? createRequire(import.meta.url)("sharp");
  loaded = module;
  return module;
}

/**
 * Reads the header of a PNG or JPEG file. The caller has looked at the signature: nothing else may reach a decoder.
 * @throws Error, of the decoder, when it cannot be read.
 */
export async function readHeader(bytes: Buffer): Promise<ImageHeader> {
  const { width, height, channels, isProgressive } = await sharp()(bytes, OPTIONS).metadata();
  return { width, height, components: channels, progressive: isProgressive };
}

/**
 * Decodes all pixels, without rotating by EXIF or converting by ICC.
 * @throws Error, of the decoder, when the data ends early or is damaged.
 */
export function decodePixels(bytes: Buffer): Promise<Pixels> {
  return inDecodeSlot(async () => {
    const image = sharp()(bytes, { ...OPTIONS, failOn: "truncated" });
    const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  });
}

/**
 * Scales an image to 256x256 while decoding it, so that a huge one needs little memory. Missing data stays blank.
 * @throws Error, of the decoder, when there is nothing that can be decoded.
 */
export function decodeThumbnail(bytes: Buffer): Promise<Buffer> {
  return inDecodeSlot(() =>
    sharp()(bytes, { ...OPTIONS, failOn: "none" })
      .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: "fill", kernel: "cubic" })
      .removeAlpha()
      .raw()
      .toBuffer(),
  );
}

let running = 0;
const queued: (() => void)[] = [];

async function inDecodeSlot<T>(decode: () => Promise<T>): Promise<T> {
  if (running < CONCURRENT_DECODES) running += 1;
  else await new Promise<void>((resolve) => queued.push(resolve));
  try {
    return await decode();
  } finally {
    const next = queued.shift();
    if (next) next();
    else running -= 1;
  }
}
