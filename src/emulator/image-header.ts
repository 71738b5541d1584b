const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff]);

/** The supported image formats. */
export type ImageFormat = "PNG" | "JPEG";

/** Detects an image's format by its first bytes; undefined when it is neither PNG nor JPEG. */
export function formatOf(bytes: Buffer): ImageFormat | undefined {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return "PNG";
  if (bytes.subarray(0, JPEG_SIGNATURE.length).equals(JPEG_SIGNATURE)) return "JPEG";
  return undefined;
}

/** Width and height in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** The size that an image's header declares; undefined when it cannot be read. Decodes nothing. */
export function pixelSizeOf(bytes: Buffer): PixelSize | undefined {
  const format = formatOf(bytes);
  if (format === undefined) return undefined;
  return format === "PNG" ? pngSize(bytes) : jpegSize(bytes);
}

function pngSize(bytes: Buffer): PixelSize | undefined {
  const isHeader = bytes.toString("latin1", 12, 16) === "IHDR" && bytes.length >= 24;
  return isHeader ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}

/** Segments without a length: padding, TEM, RST0 to RST7 and SOI. */
const isBare = (marker: number): boolean =>
  marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** SOF0 to SOF15, without DHT, JPG and DAC, which share their numbers. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (isBare(marker)) at += marker === 0xff ? 1 : 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}
