import { hash } from "node:crypto";
import type { Random } from "../emulator/random.ts";
import { formatOf, jpegFrame, type PixelSize } from "../general/image-header.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";
import { MAX_PNG_ROWS, MAX_TARGET_IMAGE_BYTES, MAX_TARGET_IMAGE_PIXELS } from "../schema/protocol.ts";
import type { ImageMeasures, NewImage } from "../schema/target.ts";
import { whyUndecodable } from "./damage.ts";
import { readHeader } from "./decode.ts";
import { measure, type Wants } from "./measures.ts";
import { otherKind } from "./other-kinds.ts";
import { findPngDamage, type PngHeader, readPngHeader } from "./png.ts";
import { checkRating, MAX_RATING, type TargetRater } from "./ratings/rating.ts";

/** Why an image is not accepted. */
interface RefusedImage {
  readonly ok: false;
  readonly resultCode: "BadImage" | "ImageTooLarge";
  readonly cause: AnyCause;
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
    if (!("code" in image)) return { ok: true, image };
  }
  const opened = await openImage(bytes);
  if ("code" in opened) return refuse("BadImage", opened);
  const refusal = refusalOf(bytes, opened);
  if (refusal) return refusal;
  const image = await measureWhole(bytes, opened.png, wants);
  return "code" in image ? refuse("BadImage", image) : { ok: true, image };
}

function refusalOf(bytes: Buffer, { header, png }: OpenedImage): RefusedImage | undefined {
  const { width, height } = header;
  const colour = png ? refusedPngColour(png) : refusedJpegColour(header);
  if (colour) return refuse("BadImage", colour);
  if (bytes.length > MAX_TARGET_IMAGE_BYTES) {
    const facts = { bytes: bytes.length, most: MAX_TARGET_IMAGE_BYTES };
    return refuse("ImageTooLarge", cause("image.too-large", facts));
  }
  if (width * height > MAX_TARGET_IMAGE_PIXELS) {
    const facts = { width, height, most: MAX_TARGET_IMAGE_PIXELS };
    return refuse("ImageTooLarge", cause("image.pixels", facts));
  }
  if (png && height > MAX_PNG_ROWS)
    return refuse("BadImage", cause("image.rows", { rows: height, most: MAX_PNG_ROWS }));
  return undefined;
}

/** Measures an image that is complete and undamaged; otherwise says what is wrong with it. */
async function measureWhole(
  bytes: Buffer,
  png: PngHeader | undefined,
  wants: Wants,
): Promise<NewImage | AnyCause> {
  const inChunks = png && findPngDamage(bytes);
  if (inChunks !== undefined) return inChunks;
  const image = { bytes, sha256: hash("sha256", bytes) };
  const measures = await measure(image, wants);
  const { damage } = measures;
  return damage === undefined ? { ...image, measures } : whyUndecodable(bytes, damage);
}

/** Checks a query's image, which only has to open. Never throws for bad bytes. */
export async function inspectQueryImage(bytes: Buffer): Promise<RefusedImage | { readonly ok: true }> {
  const opened = await openImage(bytes);
  if ("code" in opened) return refuse("BadImage", opened);
  const { width, height } = opened.header;
  if (Math.max(width, height) > MAX_QUERY_IMAGE_SIDE) {
    return refuse("BadImage", cause("image.sides", { width, height, most: MAX_QUERY_IMAGE_SIDE }));
  }
  return { ok: true };
}

interface OpenedImage {
  readonly header: PixelSize & { readonly components?: number };
  /** Present for a PNG; a JPEG otherwise. */
  readonly png: PngHeader | undefined;
}

/** Opens PNG and JPEG files, detected by their signatures; other formats never reach a decoder. */
async function openImage(bytes: Buffer): Promise<OpenedImage | AnyCause> {
  if (bytes.length === 0) return cause("image.empty");
  const format = formatOf(bytes);
  if (!format) return otherKind(bytes);
  const png = format === "PNG" ? readPngHeader(bytes) : undefined;
  if (png !== undefined && "code" in png) return png;
  const header = await readHeader(bytes);
  return "damage" in header ? whyUndecodable(bytes, header.damage, true) : { header, png };
}

/** Reads an image's header without the decoder. */
function declaredHeader(bytes: Buffer): OpenedImage | undefined {
  if (formatOf(bytes) === undefined) return undefined;
  if (formatOf(bytes) === "JPEG") {
    const header = jpegFrame(bytes);
    return header && { header, png: undefined };
  }
  const png = readPngHeader(bytes);
  return "code" in png ? undefined : { header: png, png };
}

/** From the header chunk: a tRNS chunk changes the decoder's report. */
function refusedPngColour({ depth, colourType }: PngHeader): AnyCause | undefined {
  if (colourType === 0 && (depth === 2 || depth === 4 || depth === 8)) return undefined;
  if (colourType === 2 && (depth === 8 || depth === 16)) return undefined;
  const name = `${depth}-bit ${COLOUR_TYPES.get(colourType) ?? "unknown"}`;
  return cause("image.colours", { type: colourType, name });
}

function refusedJpegColour({ components }: OpenedImage["header"]): AnyCause | undefined {
  if (components === 1 || components === 3) return undefined;
  return cause("image.colours", { components });
}

function refuse(resultCode: RefusedImage["resultCode"], why: AnyCause): RefusedImage {
  return { ok: false, resultCode, cause: why };
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
  { bytes, sha256 = hash("sha256", bytes), measures: known }: NewImage,
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
  ratingOf(await measure({ bytes, sha256: hash("sha256", bytes) }, { brisque: true }));

function ratingOf(measures: ImageMeasures): number {
  const { brisque } = { brisque: undefined, ...measures };
  return brisque === undefined ? 0 : Math.max(0, MAX_RATING - Math.floor(brisque / SCORE_PER_RATING));
}
