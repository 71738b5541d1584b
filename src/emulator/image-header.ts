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
  if (format === "JPEG") {
    const frame = jpegFrame(bytes);
    return frame && { width: frame.width, height: frame.height };
  }
  const isHeader = format === "PNG" && bytes.toString("latin1", 12, 16) === "IHDR" && bytes.length >= 24;
  return isHeader ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}

/** The frame header of a JPEG file; undefined when it cannot be read. */
export function jpegFrame(bytes: Buffer): (PixelSize & { readonly components: number }) | undefined {
  let at = 2;
  while (at + 10 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0) {
    const marker = bytes[at + 1] ?? 0;
    // SOF0 to SOF15, without DHT, JPG and DAC, which share their numbers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { width, height, components: bytes.readUInt8(at + 9) };
    }
    // Segments without a length: padding, TEM, RST0 to RST7 and SOI.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}
