import { formatOf } from "../general/image-header.ts";
import { AFTER_HEADER, CHUNK_OVERHEAD, readChunk, readPngHeader } from "./png.ts";

/** An image file's header, read without decoding its pixels. */
export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** Colour components, alpha included: 1 grey, 3 RGB, 4 RGBA or CMYK. */
  readonly components: number;
  /** Progressive JPEG or interlaced PNG: such a file can only be decoded as a whole. */
  readonly progressive: boolean;
}

/**
 * Reads the header of a regular file, which the decoder surely opens. Returns undefined for any other: only the decoder knows
 * whether that opens.
 */
export function regularHeader(bytes: Buffer): ImageHeader | undefined {
  const format = formatOf(bytes);
  return format && (format === "PNG" ? pngHeader(bytes) : jpegHeader(bytes));
}

const PHYS_BYTES = 9;
const MOST_SIDE = 65_500;
/** The kinds of PNG whose pixels the bytes of the header describe: grey, and RGB without or with alpha. */
const PNG_COMPONENTS = new Map([
  [0, 1],
  [2, 3],
  [6, 4],
]);

/** Of a PNG with at most its resolution between its header and its pixels. */
function pngHeader(bytes: Buffer): ImageHeader | undefined {
  const header = readPngHeader(bytes);
  if ("code" in header) return undefined;
  let at = AFTER_HEADER;
  if (nameAt(bytes, at) === "pHYs") {
    const resolution = readChunk(bytes, at, true);
    if ("code" in resolution || resolution.length !== PHYS_BYTES) return undefined;
    at += PHYS_BYTES + CHUNK_OVERHEAD;
  }
  if (at + 8 > bytes.length || nameAt(bytes, at) !== "IDAT" || bytes.readInt32BE(at) < 0) return undefined;
  const { width, height, depth, colourType } = header;
  const [compression, filter, interlace = 2] = bytes.subarray(26, 29);
  const components = PNG_COMPONENTS.get(colourType);
  if (components === undefined || depth !== 8 || compression !== 0 || filter !== 0 || interlace > 1)
    return undefined;
  return isSide(width) && isSide(height)
    ? { width, height, components, progressive: interlace === 1 }
    : undefined;
}

const nameAt = (bytes: Buffer, at: number): string => bytes.toString("latin1", at + 4, at + 8);

const isSide = (length: number): boolean => length > 0 && length <= MOST_SIDE;

const [SOF0, SOF2, DHT, SOS, DQT, DRI, APP0, APP1, APP15, COM] = [
  0xc0, 0xc2, 0xc4, 0xda, 0xdb, 0xdd, 0xe0, 0xe1, 0xef, 0xfe,
];

/** Of a JPEG whose segments up to the first scan are all as they should be, without EXIF data, which the decoder reads too. */
function jpegHeader(bytes: Buffer): ImageHeader | undefined {
  let frame: { readonly header: ImageHeader; readonly ids: readonly number[] } | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (bytes[at] !== 0xff || end < at + 4 || end > bytes.length) return undefined;
    const data = bytes.subarray(at + 4, end);
    if (marker === SOS) return frame && isScanOf(frame.ids, data) ? frame.header : undefined;
    if (marker === SOF0 || marker === SOF2) {
      frame = frame === undefined ? readFrame(data, marker === SOF2) : undefined;
      if (frame === undefined) return undefined;
    } else if (!isRegularSegment(marker, data)) return undefined;
    at = end;
  }
  return undefined;
}

const FRAME_HEAD = 6;
const SAMPLINGS: readonly (number | undefined)[] = [0x11, 0x12, 0x21, 0x22];

function readFrame(data: Buffer, progressive: boolean) {
  if (data.length < FRAME_HEAD) return undefined;
  const [height, width, components] = [data.readUInt16BE(1), data.readUInt16BE(3), data.readUInt8(5)];
  const columns = [0, 1, 2].map((column) =>
    [...data.subarray(FRAME_HEAD)].filter((_, index) => index % 3 === column),
  );
  const [ids = [], samplings = []] = columns;
  const isRegular =
    data[0] === 8 &&
    isSide(width) &&
    isSide(height) &&
    (components === 1 || components === 3) &&
    data.length === FRAME_HEAD + 3 * components &&
    new Set(ids).size === components &&
    samplings.every((sampling) => SAMPLINGS.includes(sampling));
  return isRegular ? { header: { width, height, components, progressive }, ids } : undefined;
}

function isRegularSegment(marker: number, data: Buffer): boolean {
  if (marker === DQT) return isOfTables(data, (at) => ((data[at] ?? 4) > 3 ? undefined : 65));
  if (marker === DHT) return isOfTables(data, (at) => codesLength(data, at));
  if (marker === DRI) return data.length === 2;
  return marker === COM || (marker >= APP0 && marker <= APP15 && marker !== APP1);
}

/** Whether tables fill the data, of the lengths that they say; undefined for a wrong one. */
function isOfTables(data: Buffer, lengthAt: (at: number) => number | undefined): boolean {
  let at = 0;
  while (at < data.length) {
    const length = lengthAt(at);
    if (length === undefined) return false;
    at += length;
  }
  return at === data.length;
}

function codesLength(data: Buffer, at: number): number | undefined {
  const codes = data.subarray(at + 1, at + 17).reduce((total, count) => total + count, 0);
  return ((data[at] ?? 4) & 0xef) > 3 || codes > 256 ? undefined : 17 + codes;
}

/** Whether the first scan has all components of the frame, in their order. */
const isScanOf = (ids: readonly number[], data: Buffer): boolean =>
  data[0] === ids.length &&
  data.length === 4 + 2 * ids.length &&
  ids.every((id, index) => data[1 + 2 * index] === id);
