export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

export type ImageFormat = "PNG" | "JPEG";

/** Detects an image's format by its first bytes; undefined when it is neither PNG nor JPEG. */
export function formatOf(bytes: Buffer): ImageFormat | undefined {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return "PNG";
  if (bytes.subarray(0, JPEG_SIGNATURE.length).equals(JPEG_SIGNATURE)) return "JPEG";
  return undefined;
}

const PNG_END = Buffer.from("IEND\xaeB`\x82", "latin1");
const JPEG_END = Buffer.from([0xff, 0xd9]);
const START_OF_SCAN = 0xda;

/** Whether an image has its format's end marker. A truncated file lacks it. */
export function hasEnd(bytes: Buffer): boolean {
  if (formatOf(bytes) === "PNG") return bytes.includes(PNG_END);
  // Thumbnails in front of the scan have an end of their own.
  for (const [marker, at] of jpegSegments(bytes))
    if (marker === START_OF_SCAN) return bytes.includes(JPEG_END, at);
  return false;
}

/** Width and height in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** The size that an image's header declares; undefined when it cannot be read. Decodes nothing. */
export function pixelSizeOf(bytes: Buffer): PixelSize | undefined {
  const format = formatOf(bytes);
  if (format === "JPEG") {
    const frame = jpegFrame(bytes);
    return frame && { width: frame.width, height: frame.height };
  }
  const isHeader = format === "PNG" && bytes.toString("latin1", 12, 16) === "IHDR" && bytes.length >= 24;
  return isHeader ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}

/** The size at which viewers show an image, which EXIF data may turn by a quarter. */
export function shownSizeOf(bytes: Buffer): PixelSize | undefined {
  const size = pixelSizeOf(bytes);
  const orientation = orientationOf(bytes);
  const isTurned = orientation >= 5 && orientation <= 8;
  return size && isTurned ? { width: size.height, height: size.width } : size;
}

export interface JpegFrame extends PixelSize {
  /** The process that coded it: from 0xc0, baseline, to 0xcf. */
  readonly marker: number;
  /** Of each sample. */
  readonly bits: number;
  readonly components: number;
}

/** The frame header of a JPEG file; undefined when it cannot be read. */
export function jpegFrame(bytes: Buffer): JpegFrame | undefined {
  for (const [marker, at] of jpegSegments(bytes)) {
    // SOF0 to SOF15 without DHT, JPG and DAC, whose numbers lie between.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { width, height, marker, bits: bytes.readUInt8(at + 4), components: bytes.readUInt8(at + 9) };
    }
  }
  return undefined;
}

/** The segments of a JPEG file's header, by their markers and where they start. */
function* jpegSegments(bytes: Buffer): Generator<readonly [marker: number, at: number]> {
  let at = 2;
  while (at + 10 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0) {
    const marker = bytes[at + 1] ?? 0;
    yield [marker, at];
    // Segments without a length: padding, TEM, RST0 to RST7 and SOI.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}

/** PNG chunks begin after the signature. Each has its length, its type, its data and a checksum. */
const CHUNKS_AT = PNG_SIGNATURE.length;

/** The EXIF data of an image; undefined when it has none. Browsers read it in front of the pixels only. */
function exifOf(bytes: Buffer): Buffer | undefined {
  const format = formatOf(bytes);
  if (format === "JPEG")
    for (const [marker, at] of jpegSegments(bytes)) {
      if (marker === START_OF_SCAN) return undefined;
      if (marker === 0xe1 && bytes.toString("latin1", at + 4, at + 10) === "Exif\0\0")
        return bytes.subarray(at + 10);
    }
  if (format === "PNG")
    for (let at = CHUNKS_AT; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
      const type = bytes.toString("latin1", at + 4, at + 8);
      if (type === "IDAT") return undefined;
      if (type === "eXIf") return bytes.subarray(at + 8);
    }
  return undefined;
}

const ORIENTATION_TAG = 0x0112;

/** How viewers turn or mirror an image, as its EXIF data says: from 1, not at all, to 8. */
export function orientationOf(bytes: Buffer): number {
  const exif = exifOf(bytes);
  if (exif === undefined) return 1;
  const isLittleEndian = exif.toString("latin1", 0, 2) === "II";
  /** 0 behind the end: the data may be truncated. */
  const read = (at: number, length: number) => {
    if (at + length > exif.length) return 0;
    return isLittleEndian ? exif.readUIntLE(at, length) : exif.readUIntBE(at, length);
  };
  const tagsAt = read(4, 4);
  const count = read(tagsAt, 2);
  for (let tag = 0; tag < count; tag++) {
    const at = tagsAt + 2 + 12 * tag;
    if (read(at, 2) === ORIENTATION_TAG) return read(at + 8, 2);
  }
  return 1;
}

const [CR, LF] = [0x0d, 0x0a];
/** In a file of random bytes, one line feed in 256 follows a carriage return. */
const LEAST_LINES = 6;
/** Of random bytes, so many have 16 line ends of Windows. */
const MANY_BYTES = 2 ** 20;

/**
 * Whether the line ends of a JPEG were converted, as far as its bytes show it: a PNG's signature shows it, but a JPEG's opens. Reads
 * only the first lines of any other file.
 *
 * @param isDamaged - whether the file is known to be damaged; otherwise, only what cannot be chance counts.
 */
export function hasConvertedLineEnds(bytes: Buffer, isDamaged = false): boolean {
  if (formatOf(bytes) !== "JPEG") return false;
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return isDamaged && bytes.length >= MANY_BYTES && !bytes.includes("\r\n");
    lines += 1;
  }
  return lines >= LEAST_LINES;
}
