import type { default as Sharp, Sharp as SharpImage } from "sharp";
import { formatOf } from "../core/image-header.ts";
import { loadModule } from "../core/load-module.ts";
import { messageOf } from "../core/text.ts";
import { Semaphore } from "./scheduling.ts";

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

/** Why an image could not be decoded. */
export interface Undecodable {
  readonly damage: string;
}

/** Side, in pixels, of the square that images are compared at. */
export const THUMBNAIL_SIDE = 256;

/** A progressive image is decoded whole before it is scaled: a bigger one would take hundreds of megabytes. */
const MAX_PROGRESSIVE_PIXELS = 37_748_736;
/** Each may hold an image of up to 113 MB. More at once than cores: part of a decode waits. */
const decoders = new Semaphore(4);

let loaded: typeof Sharp | undefined;

/** Loads sharp on first use: 50 ms and a native library, which many test files never need. */
function sharp(): typeof Sharp {
  const module: typeof Sharp = loaded ?? loadModule("sharp");
  loaded = module;
  return module;
}

/** The one door to the decoder: nothing but PNG and JPEG goes through it, whatever sharp could read. */
async function decode<T>(
  bytes: Buffer,
  failOn: "none" | "truncated",
  run: (image: SharpImage) => Promise<T>,
): Promise<T | Undecodable> {
  if (!formatOf(bytes)) return { damage: "neither a PNG nor a JPEG file" };
  // Not inside the `try`: that sharp cannot be loaded is no fault of the image.
  const image = sharp()(bytes, { ignoreIcc: true, limitInputPixels: false, failOn });
  try {
    return await run(image);
  } catch (error) {
    return { damage: messageOf(error).split("\n", 1).join("") };
  }
}

/** Reads the header of a file. */
export function readHeader(bytes: Buffer): Promise<ImageHeader | Undecodable> {
  return decode(bytes, "truncated", async (image) => {
    const { width, height, channels, isProgressive } = await image.metadata();
    return { width, height, components: channels, progressive: isProgressive };
  });
}

/**
 * Decodes all pixels, without rotating by EXIF or converting by ICC; not when the data ends early or is damaged.
 * @param use makes of the pixels what is wanted: few images have theirs in memory at a time
 */
export function decodePixels<T>(
  bytes: Buffer,
  use: (pixels: Pixels) => Promise<T>,
): Promise<T | Undecodable> {
  return decoders.run(async () => {
    const decoded = await decode(bytes, "truncated", (image) =>
      image.removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    );
    if ("damage" in decoded) return decoded;
    const { data, info } = decoded;
    return use({ data, width: info.width, height: info.height });
  });
}

/** Longest side, in pixels, of a thumbnail for people. */
const DRAWN_SIDE = 360;

/** Draws an image small, in its own shape, as WebP. */
export function drawThumbnail(bytes: Buffer): Promise<Buffer | Undecodable> {
  return decoders.run(async () => {
    const header = await readHeader(bytes);
    if ("damage" in header) return header;
    const refused = tooLargeToDecode(header);
    if (refused !== undefined) return refused;
    return decode(bytes, "none", (image) =>
      image
        .resize(DRAWN_SIDE, DRAWN_SIDE, { fit: "inside", withoutEnlargement: true })
        .webp({ quality: 78 })
        .toBuffer(),
    );
  });
}

/** Scales an image to 256x256 while decoding it, so that a huge one needs little memory. Missing data stays blank. */
export function decodeThumbnail(bytes: Buffer): Promise<Buffer | Undecodable> {
  return decoders.run(async () => {
    const header = await readHeader(bytes);
    if ("damage" in header) return header;
    const refused = tooLargeToDecode(header);
    if (refused !== undefined) return refused;
    return decode(bytes, "none", scaleToThumbnail);
  });
}

const scaleToThumbnail = (image: SharpImage): Promise<Buffer> =>
  image
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: "fill", kernel: "cubic" })
    .removeAlpha()
    .raw()
    .toBuffer();

/** Longest shorter side, in pixels, of a JPEG that is decoded at its own size to be scaled. */
const MAX_UNSHRUNK_SIDE = 512;
const PNG_DEPTH_AT = 24;

/**
 * Scales decoded pixels to what {@link decodeThumbnail} makes of the same file, for less; undefined where that would differ:
 * large JPEG files are decoded at a smaller size, and 16-bit samples are scaled before they are rounded.
 */
export async function thumbnailOfPixels(
  bytes: Buffer,
  { data, width, height }: Pixels,
): Promise<Buffer | undefined> {
  const isSame =
    formatOf(bytes) === "PNG"
      ? bytes[PNG_DEPTH_AT] === 8 && !bytes.includes("tRNS")
      : Math.min(width, height) <= MAX_UNSHRUNK_SIDE;
  return isSame
    ? scaleToThumbnail(sharp()(data, { raw: { width, height, channels: 3 }, limitInputPixels: false }))
    : undefined;
}

function tooLargeToDecode({ width, height, progressive }: ImageHeader): Undecodable | undefined {
  return progressive && width * height > MAX_PROGRESSIVE_PIXELS
    ? { damage: `too large to be decoded whole, as progressive images are: ${width}x${height} pixels` }
    : undefined;
}
