import { availableParallelism } from "node:os";
import type { default as Sharp, Sharp as SharpImage } from "sharp";
import { freeMemory } from "../general/free-memory.ts";
import { formatOf, type ImageFormat, pixelSizeOf } from "../general/image-header.ts";
import { loadOnceInProcess } from "../general/load-module.ts";
import { isRefusedByNode, NotPermittedError } from "../general/permissions.ts";
import { Semaphore, useSpareTime, yieldToEventLoop } from "../general/scheduling.ts";
import { messageOf } from "../general/text.ts";
import { MAX_PNG_ROWS, MAX_TARGET_IMAGE_PIXELS } from "../schema/protocol.ts";
import { DecoderError } from "./decoder-error.ts";
import { keepDecoderLimits } from "./decoder-limits.ts";
import { type ImageHeader, regularHeader } from "./header.ts";
import { type DecodedJpeg, decodeJpeg, useRows } from "./jpeg.ts";
import {
  fitsKernel,
  isEnlarged,
  isHalved,
  isScaledFaster,
  scalesAsFile,
  scaleToThumbnail,
  THUMBNAIL_SIDE,
} from "./scale.ts";
import { upright } from "./upright.ts";

export type { SharpImage };

/** A grey picture: one byte a pixel, row by row. */
export interface GreyPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Decoded pixels, row by row: 8-bit R, G, B of each, or grey. */
export interface Pixels extends GreyPicture {
  readonly data: Buffer;
}

export interface FreedPixels extends Pixels {
  /** Nothing reads the pixels afterwards. */
  free(): void;
}

interface DecodedPixels extends FreedPixels {
  /** Those that {@link useThumbnail} scales; undefined if it needs the file. */
  readonly toScale: Pixels | undefined;
}

export interface Undecodable {
  readonly damage: string;
}

/** About 600 MB. Larger images are not decoded. */
const MAX_WHOLE_PIXELS = { PNG: MAX_TARGET_IMAGE_PIXELS, JPEG: 100_000_000 };
const largeDecoder = new Semaphore(1);
/** Decoders of thumbnails and of grey pictures. More than cores, because decoding waits part of the time. */
export const decoders = new Semaphore(4);
/** Each holds up to 113 MB and a core for up to a second. One core is for the event loop, which would wait above 10 ms. */
const wholeDecoders = new Semaphore(Math.max(1, Math.min(4, availableParallelism() - 1)));

/** Errors of libvips about the machine, not the image. */
const MACHINE_FAILED =
  /out of memory|cannot allocate|alloc(ation)? failed|unable to (create|start) thread|too many open files|no space left/i;

const READ_OPTIONS = { ignoreIcc: true, limitInputPixels: false };

let decoder: typeof Sharp | undefined;

/** @throws NotPermittedError if Node was told to load no addons. */
function loadDecoder(): typeof Sharp {
  if (decoder !== undefined) return decoder;
  const restoreLimits = keepDecoderLimits();
  try {
    const loaded: typeof Sharp = loadOnceInProcess("sharp");
    restoreLimits();
    decoder = loaded;
    return loaded;
  } catch (error) {
    if (!messageOf(error).includes("ERR_DLOPEN_DISABLED")) throw error;
    const why = isRefusedByNode("addon")
      ? "Node's permissions refuse addons: start Node with --allow-addons"
      : "of --no-addons: start Node without this option";
    throw new NotPermittedError(`the image decoder cannot be loaded, because ${why}`, { cause: error });
  }
}

/** The only access to the decoder. Refuses other formats that sharp reads. Throws a DecoderError if the machine failed. */
async function decode<T>(
  bytes: Buffer,
  failOn: "none" | "truncated",
  run: (image: SharpImage) => Promise<T>,
): Promise<T | Undecodable> {
  if (!formatOf(bytes)) return { damage: "neither a PNG nor a JPEG file" };
  // Outside the `try`: a failure to load sharp is not the image's fault.
  const sharp = loadDecoder();
  const image = sharp(bytes, { ...READ_OPTIONS, failOn });
  try {
    const running = run(image);
    useSpareTime();
    return await running;
  } catch (error) {
    const message = messageOf(error);
    if (MACHINE_FAILED.test(message))
      throw new DecoderError(`the image decoder failed: ${message}`, { cause: error });
    return { damage: message.split("\n", 1).join("") };
  }
}

/** Of a regular file, from its bytes: the decoder takes up to a millisecond. */
export async function readHeader(bytes: Buffer): Promise<ImageHeader | Undecodable> {
  return regularHeader(bytes) ?? decoders.run(() => askForHeader(bytes));
}

const askForHeader = (bytes: Buffer): Promise<ImageHeader | Undecodable> =>
  decode(bytes, "truncated", async (image) => {
    const { width, height, channels, isProgressive } = await image.metadata();
    return { width, height, components: channels, progressive: isProgressive };
  });

/**
 * Decodes all pixels, without EXIF rotation or ICC conversion. Fails when the data is truncated or damaged.
 * @param use processes the pixels; only a few images have theirs in memory at a time
 */
export function decodePixels<T>(
  bytes: Buffer,
  use: (pixels: DecodedPixels) => Promise<T>,
): Promise<T | Undecodable> {
  const damage = tooManyRows(bytes);
  if (damage !== undefined) return Promise.resolve({ damage });
  return wholeDecoders.run(async () => {
    const half = isHalved(bytes);
    const own = await decodeJpeg(bytes, { whole: true, half });
    if (own?.whole !== undefined) {
      const { whole, free } = own;
      return use({ ...whole, toScale: own.half ?? toScaleOf(whole, bytes), free });
    }
    const decoded = await decode(bytes, "truncated", (image) => pixelsOf(image.removeAlpha()));
    if ("damage" in decoded) return decoded;
    return use({ ...decoded, toScale: toScaleOf(decoded, bytes), free: () => freeMemory(decoded.data) });
  });
}

/** Uses a JPEG file's pixels while they are decoded, if no thumbnail is made of them. Undefined if {@link decodePixels} has to. */
export async function useStrips<T>(
  ...[bytes, ...given]: Parameters<typeof useRows<T>>
): Promise<T | undefined> {
  const size = pixelSizeOf(bytes);
  if (size === undefined || isHalved(bytes) || scalesAsFile(bytes, size)) return undefined;
  return wholeDecoders.run(() => useRows(bytes, ...given));
}

export async function pixelsOf(image: SharpImage): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

const DRAWN_SIDE = 360;

/** Scales an image down to a WebP thumbnail, upright as EXIF data says, keeping its aspect ratio. */
export function drawThumbnail(bytes: Buffer): Promise<Buffer | Undecodable> {
  return decodeScaled(bytes, (image) =>
    image
      .autoOrient()
      .resize(DRAWN_SIDE, DRAWN_SIDE, { fit: "inside", withoutEnlargement: true })
      .webp({ quality: 78 })
      .toBuffer(),
  );
}

/**
 * Scales an image to 256x256, upright by EXIF, while decoding it: huge images need little memory. Missing data stays blank.
 * @param use runs in a turn of the event loop of its own; the thumbnail is overwritten afterwards
 */
export async function useThumbnail<T>(
  bytes: Buffer,
  use: (thumbnail: Uint8Array) => T,
): Promise<T | Undecodable> {
  const own = await decodeToScale(bytes);
  const pixels = own?.half ?? own?.whole;
  if (own !== undefined && pixels !== undefined) {
    try {
      return use(scaledByKernel(pixels, bytes));
    } finally {
      own.free();
    }
  }
  const decoded = await decodeScaled(bytes, async (image, header) => {
    if (isScaledFaster(header) && scalesAsFile(bytes, header)) return pixelsOf(image);
    // The decoder turns whole pictures in memory.
    return isEnlarged(header)
      ? thumbnail(await scaleByDecoder(image.autoOrient()))
      : upright(thumbnail(await scaleByDecoder(image)), bytes);
  });
  if ("damage" in decoded) return decoded;
  await yieldToEventLoop();
  return use(isScaledFaster(decoded) ? scaledByKernel(decoded, bytes) : decoded.data);
}

/** Decodes a JPEG file that the kernels decode and scale. */
async function decodeToScale(bytes: Buffer): Promise<DecodedJpeg | undefined> {
  const half = isHalved(bytes);
  const size = pixelSizeOf(bytes);
  const whole = size !== undefined && fitsKernel(size) && scalesAsFile(bytes, size);
  return half || whole ? decoders.run(() => decodeJpeg(bytes, { whole, half })) : undefined;
}

const toScaleOf = (pixels: Pixels, bytes: Buffer): Pixels | undefined =>
  scalesAsFile(bytes, pixels) ? pixels : undefined;

/** A copy of what {@link useThumbnail} makes. */
export const decodeThumbnail = (bytes: Buffer): Promise<Buffer | Undecodable> =>
  useThumbnail(bytes, (thumbnail) => Buffer.from(thumbnail));

const thumbnail = (data: Buffer): Pixels => ({ data, width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE });

/** Scales an image while decoding it. Missing data stays blank. */
export async function decodeScaled<T>(
  bytes: Buffer,
  scale: (image: SharpImage, header: ImageHeader) => Promise<T>,
): Promise<T | Undecodable> {
  const header = await readHeader(bytes);
  if ("damage" in header) return header;
  const damage = whyTooLargeToDecode(bytes, header);
  if (damage !== undefined) return { damage };
  const run = () => decoders.run(() => decode(bytes, "none", (image) => scale(image, header)));
  // Waits before it takes a decoder, so that others can decode.
  // Progressive and interlaced images are decoded as a whole before they are scaled, 6 bytes a pixel: larger ones one at a time.
  return header.progressive && areaOf(header) > MAX_TARGET_IMAGE_PIXELS ? largeDecoder.run(run) : run();
}

const scaleByDecoder = (image: SharpImage): Promise<Buffer> =>
  image
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: "fill", kernel: "cubic" })
    .removeAlpha()
    .raw()
    .toBuffer();

/** Of a file's pixels what {@link useThumbnail} makes of the file, if {@link scalesAsFile}. */
export async function thumbnailOfPixels<T>(
  stored: Pixels,
  file: Buffer,
  use: (thumbnail: Uint8Array) => T,
): Promise<T> {
  const decoded = fitsKernel(stored) ? undefined : await thumbnailByDecoder(stored, file);
  await yieldToEventLoop();
  return use(decoded ?? scaledByKernel(stored, file));
}

async function thumbnailByDecoder(stored: Pixels, file: Buffer): Promise<Buffer> {
  const isTurned = isEnlarged(stored);
  const scaled = thumbnail(await scaleByDecoder(fromPixels(isTurned ? upright(stored, file) : stored)));
  return (isTurned ? scaled : upright(scaled, file)).data;
}

function scaledByKernel(stored: Pixels, file: Buffer): Uint8Array {
  const { data, width, height } = upright(stored, file);
  return scaleToThumbnail(data, width, height);
}

export const fromPixels = ({ data, width, height }: Pixels, channels: 1 | 3 = 3): SharpImage => {
  const sharp = loadDecoder();
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
};

export const encodePng = (pixels: Pixels): Promise<Buffer> => fromPixels(pixels).png().toBuffer();

const areaOf = ({ width, height }: ImageHeader): number => width * height;

/** Whether the decoder would take too long for the rows of a PNG. */
const tooManyRows = (bytes: Buffer): string | undefined =>
  formatOf(bytes) === "PNG" && (pixelSizeOf(bytes)?.height ?? 0) > MAX_PNG_ROWS
    ? `scale the picture down: it has more than ${MAX_PNG_ROWS} rows`
    : undefined;

/** Says why an image that opens is too large to be decoded. */
export function whyTooLargeToDecode(bytes: Buffer, header: ImageHeader): string | undefined {
  const rows = tooManyRows(bytes);
  if (rows !== undefined) return rows;
  const format = formatOf(bytes) ?? "PNG";
  if (!header.progressive || areaOf(header) <= MAX_WHOLE_PIXELS[format]) return undefined;
  const kind = { PNG: "an interlaced PNG", JPEG: "a progressive JPEG" } satisfies Record<ImageFormat, string>;
  return (
    `scale the picture down: ${kind[format]} of ${header.width}x${header.height} pixels takes too much memory, because it is decoded as a whole; ` +
    `expected at most ${MAX_WHOLE_PIXELS[format]} pixels`
  );
}
