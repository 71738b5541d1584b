import { crc32 } from "node:zlib";
import { formatOf, jpegFrame, type PixelSize } from "../emulator/image-header.ts";
import type { Random } from "../emulator/random.ts";
import { sha256Hex } from "../general/sha256.ts";
import { MAX_PNG_ROWS, MAX_TARGET_IMAGE_BYTES, MAX_TARGET_IMAGE_PIXELS } from "../schema/protocol.ts";
import type { ImageMeasures, NewImage } from "../schema/target.ts";
import { readHeader } from "./decode.ts";
import { measure, type Wants } from "./measures.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./ratings/rating.ts";

/** Why an image is not accepted. */
interface RefusedImage {
  readonly ok: false;
  readonly resultCode: "BadImage" | "ImageTooLarge";
  readonly reason: string;
}

/** An image that is accepted, with what was measured of it. */
interface AcceptedImage {
  readonly ok: true;
  readonly image: NewImage;
}

export const MAX_QUERY_IMAGE_SIDE = 30_000;

const COLOUR_TYPES = new Map([
  [0, "greyscale"],
  [2, "RGB"],
  [3, "palette"],
  [4, "greyscale with alpha"],
  [6, "RGB with alpha"],
]);

/**
 * Checks a target's image. Never throws for bad bytes.
 * @param bytes must not be written to afterwards
 * @param wants what to measure while it is decoded
 */
export async function inspectTargetImage(
  bytes: Buffer,
  wants: Wants = {},
): Promise<RefusedImage | AcceptedImage> {
  const declared = declaredHeader(bytes);
  // An image that decodes also opens, which would take a quarter longer.
  if (declared && !refusalOf(bytes, declared)) {
    const image = await measureWhole(bytes, declared.png, wants);
    if (typeof image !== "string") return { ok: true, image };
  }
  const opened = await openImage(bytes);
  if (typeof opened === "string") return refuse("BadImage", opened);
  const refusal = refusalOf(bytes, opened);
  if (refusal) return refusal;
  const image = await measureWhole(bytes, opened.png, wants);
  if (typeof image === "string") return refuse("BadImage", `${image}; expected a complete, undamaged image`);
  return { ok: true, image };
}

function refusalOf(bytes: Buffer, { header, png }: OpenedImage): RefusedImage | undefined {
  const { width, height } = header;
  const colour = png ? refusedPngColour(png) : refusedJpegColour(header);
  if (colour) return refuse("BadImage", colour);
  if (bytes.length > MAX_TARGET_IMAGE_BYTES) {
    return refuse(
      "ImageTooLarge",
      `the image has ${bytes.length} bytes; expected at most ${MAX_TARGET_IMAGE_BYTES}`,
    );
  }
  if (width * height > MAX_TARGET_IMAGE_PIXELS) {
    const found = `the image has ${width}x${height} = ${width * height} pixels`;
    return refuse("ImageTooLarge", `${found}; expected at most ${MAX_TARGET_IMAGE_PIXELS}`);
  }
  if (png && height > MAX_PNG_ROWS)
    return refuse("BadImage", `the PNG has ${height} rows; expected at most ${MAX_PNG_ROWS}`);
  return undefined;
}

/** Measures an image that is complete and undamaged; otherwise says what is wrong with it. */
async function measureWhole(
  bytes: Buffer,
  png: PngHeader | undefined,
  wants: Wants,
): Promise<NewImage | string> {
  const inChunks = png && findPngDamage(bytes);
  if (inChunks !== undefined) return inChunks;
  const image = { bytes, sha256: sha256Hex(bytes) };
  const measures = await measure(image, wants);
  return measures.damage === undefined
    ? { ...image, measures }
    : `the image's data is incomplete or damaged (${measures.damage})`;
}

/** Checks a query's image, which only has to open. Never throws for bad bytes. */
export async function inspectQueryImage(bytes: Buffer): Promise<RefusedImage | { readonly ok: true }> {
  const opened = await openImage(bytes);
  if (typeof opened === "string") return refuse("BadImage", opened);
  const { width, height } = opened.header;
  if (Math.max(width, height) > MAX_QUERY_IMAGE_SIDE) {
    const found = `the image is ${width}x${height} pixels`;
    return refuse("BadImage", `${found}; expected sides of at most ${MAX_QUERY_IMAGE_SIDE}`);
  }
  return { ok: true };
}

interface OpenedImage {
  readonly header: PixelSize & { readonly components?: number };
  /** Present for a PNG; a JPEG otherwise. */
  readonly png: PngHeader | undefined;
}

/** Opens PNG and JPEG files, detected by their signatures; other formats never reach a decoder. */
async function openImage(bytes: Buffer): Promise<OpenedImage | string> {
  const expected = "expected a PNG or JPEG file";
  if (bytes.length === 0) return `the image is empty; ${expected}`;
  const format = formatOf(bytes);
  if (!format) {
    const kind = likelyKind(bytes);
    return `the image begins with ${firstBytes(bytes)}; ${expected}${kind === undefined ? "" : `: ${kind}`}`;
  }
  const png = format === "PNG" ? readPngHeader(bytes) : undefined;
  if (typeof png === "string") return `${png}; ${expected}`;
  const header = await readHeader(bytes);
  return "damage" in header
    ? `the ${format} cannot be opened (${header.damage}); ${expected}`
    : { header, png };
}

/** Reads an image's header without the decoder. */
function declaredHeader(bytes: Buffer): OpenedImage | undefined {
  if (formatOf(bytes) === undefined) return undefined;
  if (formatOf(bytes) === "JPEG") {
    const header = jpegFrame(bytes);
    return header && { header, png: undefined };
  }
  const png = readPngHeader(bytes);
  return typeof png === "string" ? undefined : { header: png, png };
}

/** From the header chunk: a tRNS chunk changes the decoder's report. */
function refusedPngColour({ depth, colourType }: PngHeader): string | undefined {
  if (colourType === 0 && (depth === 2 || depth === 4 || depth === 8)) return undefined;
  if (colourType === 2 && (depth === 8 || depth === 16)) return undefined;
  const name = `${depth}-bit ${COLOUR_TYPES.get(colourType) ?? "unknown"}`;
  const expected = "expected greyscale of 2, 4 or 8 bits, or RGB of 8 or 16 bits";
  return `the image is a PNG of colour type ${colourType} (${name}); ${expected}: convert it to RGB`;
}

function refusedJpegColour({ components }: OpenedImage["header"]): string | undefined {
  if (components === 1 || components === 3) return undefined;
  return `the JPEG has ${components} colour components (CMYK or YCCK); expected 1 or 3: convert it to RGB`;
}

function refuse(resultCode: RefusedImage["resultCode"], reason: string): RefusedImage {
  return { ok: false, resultCode, reason };
}

function firstBytes(bytes: Buffer): string {
  const start = bytes.subarray(0, 8);
  return `the bytes ${start.toString("hex")} (${JSON.stringify(start.toString("latin1"))})`;
}

interface PngHeader extends PixelSize {
  /** Bits per sample: 1, 2, 4, 8 or 16. */
  readonly depth: number;
  /** 0 greyscale, 2 RGB, 3 palette, 4 greyscale with alpha, 6 RGB with alpha. */
  readonly colourType: number;
}

const SIGNATURE_LENGTH = 8;
const CHUNK_OVERHEAD = 12;
const HEADER_LENGTH = 13;

/** Checks the checksum too, which the decoder ignores. */
function readPngHeader(bytes: Buffer): PngHeader | string {
  const chunk = readChunk(bytes, SIGNATURE_LENGTH);
  if (typeof chunk === "string") return chunk;
  if (chunk.type !== "IHDR" || chunk.length !== HEADER_LENGTH)
    return "the PNG does not begin with an IHDR chunk";
  const header = bytes.subarray(SIGNATURE_LENGTH + 8);
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    depth: header.readUInt8(8),
    colourType: header.readUInt8(9),
  };
}

/** Checks all chunks up to IEND. Returns the first defect, or undefined. */
function findPngDamage(bytes: Buffer): string | undefined {
  for (let offset = SIGNATURE_LENGTH; ; ) {
    const chunk = readChunk(bytes, offset);
    if (typeof chunk === "string") return chunk;
    if (chunk.type === "IEND") return undefined;
    offset += chunk.length + CHUNK_OVERHEAD;
  }
}

function readChunk(bytes: Buffer, offset: number): { type: string; length: number } | string {
  if (offset + CHUNK_OVERHEAD > bytes.length)
    return `the PNG ends at byte ${bytes.length}, before its IEND chunk`;
  const length = bytes.readUInt32BE(offset);
  const end = offset + length + CHUNK_OVERHEAD;
  const name = bytes.toString("latin1", offset + 4, offset + 8);
  const type = /^[A-Za-z]{4}$/.test(name) ? name : undefined;
  if (type === undefined) return `the PNG has no valid chunk at byte ${offset}`;
  if (end > bytes.length) return `the PNG ends at byte ${bytes.length}, inside its ${type} chunk`;
  if (crc32(bytes.subarray(offset + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
    return `the checksum of the PNG's ${type} chunk at byte ${offset} is wrong`;
  }
  return { type, length };
}

/** Beginnings of other bytes, and what to do about them. */
const OTHER_KINDS: readonly (readonly [RegExp, string])[] = [
  // UTF-8's replacement character, which takes the place of an invalid first byte, or what that byte becomes.
  [
    /^(\xef\xbf\xbd|\xc2\x89P|\xc3\xbf\xc3\x98)/,
    "it went through a text encoding: read and send the file as bytes (a Buffer), never as a string",
  ],
  [/^(iVBORw0KGgo|\/9j\/)/, "it is base64 text of an image: decode it once more, or encode it once less"],
  [/^(89504e47|ffd8ff)/i, "it is hexadecimal text: send the image's bytes"],
  [/^data:image\//i, "it is a data URI: send the image's bytes only"],
  [/^GIF8/, "it is a GIF: convert it"],
  [/^RIFF.{4}WEBP/s, "it is a WebP: convert it"],
  [/^.{4}ftyp/s, "it is an AVIF or HEIC: convert it"],
  [/^BM/, "it is a BMP: convert it"],
  [/^(II\*\0|MM\0\*)/, "it is a TIFF: convert it"],
  [/^%PDF/, "it is a PDF: convert a page of it"],
  [
    /^\s*(<\?xml|<svg|<!doctype|<html)/i,
    "it is an SVG or an HTML page: is it the response of a failed download?",
  ],
  [/^(\[object |undefined$|null$)/, "it is the text of a value that is not an image: pass the image's bytes"],
  [/^\s*[{[]/, "it is JSON: is it the response of a failed download?"],
  [/^(\.{0,2}\/|[a-z]:\\|file:|https?:).*\.(png|jpe?g)$/i, "it is the name of a file: read the file"],
];

/** Guesses the kind of other bytes, and suggests a fix; undefined if unknown. */
function likelyKind(bytes: Buffer): string | undefined {
  // Hexadecimal digits that were decoded as base64.
  if (/^(89504e47|ffd8ff)/i.test(bytes.toString("base64", 0, 6)))
    return "it was sent in hexadecimal: encode the image's bytes as base64";
  const text = bytes.toString("latin1", 0, 300);
  return OTHER_KINDS.find(([beginning]) => beginning.test(text))?.[1];
}

/** The result of processing a target's image. */
interface Assessment {
  readonly outcome: "success" | "failed";
  /** Tracking rating, an integer from 0 to 5. */
  readonly rating: number;
  /** Of the image's bytes, in lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Assesses a target's image; one that cannot be decoded fails. Calls the rater each time, so the caller should keep the
 * result with the image.
 * @throws TypeError or RangeError when the rater returns anything but an integer from 0 to 5; what the rater throws.
 */
export async function assessImage(
  { bytes, sha256 = sha256Hex(bytes), measures: known }: NewImage,
  rater: TargetRater | "brisque",
  random?: Random,
): Promise<Assessment> {
  const byBrisque = rater === "brisque";
  const isEnough = known !== undefined && (!byBrisque || known.brisque !== undefined);
  const measures = isEnough ? known : await measure({ bytes, sha256 }, { brisque: byBrisque });
  const rating = byBrisque ? ratingOf(measures) : checkRating(await rater(bytes, random), "targetRater");
  const isFlat = measures.damage !== undefined || measures.isFlat;
  return { outcome: isFlat ? "failed" : "success", rating, sha256 };
}

/** How many points of a BRISQUE score, which is from 0 (best) to 100, cost one point of the rating. */
const SCORE_PER_RATING = 20;

/** Rates an image by its BRISQUE score; 0 when it cannot be decoded. */
export const rateImage = async (bytes: Buffer): Promise<number> =>
  ratingOf(await measure({ bytes, sha256: sha256Hex(bytes) }, { brisque: true }));

function ratingOf(measures: ImageMeasures): number {
  const { brisque } = { brisque: undefined, ...measures };
  return brisque === undefined ? 0 : Math.max(0, MAX_RATING - Math.floor(brisque / SCORE_PER_RATING));
}
