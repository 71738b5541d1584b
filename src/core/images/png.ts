import { crc32 } from "node:zlib";
import type { PixelSize } from "../general/image-header.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";

export interface PngHeader extends PixelSize {
  /** Bits per sample: 1, 2, 4, 8 or 16. */
  readonly depth: number;
  /** 0 greyscale, 2 RGB, 3 palette, 4 greyscale with alpha, 6 RGB with alpha. */
  readonly colourType: number;
}

const SIGNATURE_LENGTH = 8;
export const CHUNK_OVERHEAD = 12;
const HEADER_LENGTH = 13;
/** Where the chunk after the header begins. */
export const AFTER_HEADER = SIGNATURE_LENGTH + HEADER_LENGTH + CHUNK_OVERHEAD;

/** Checks the checksum too, which the decoder ignores. */
export function readPngHeader(bytes: Buffer): PngHeader | AnyCause {
  const chunk = readChunk(bytes, SIGNATURE_LENGTH, true);
  if ("code" in chunk) return chunk;
  if (chunk.type === "CgBI") return cause("image.cgbi");
  if (chunk.type !== "IHDR" || chunk.length !== HEADER_LENGTH)
    return cause("image.damaged", { isHeader: true });
  const header = bytes.subarray(SIGNATURE_LENGTH + 8);
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    depth: header.readUInt8(8),
    colourType: header.readUInt8(9),
  };
}

/** The chunks of a PNG whose chunks may be damaged, as far as they can be found. */
export function* chunksOf(bytes: Buffer): Generator<{ type: string; at: number; data: Buffer }> {
  for (let at = SIGNATURE_LENGTH; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    yield { type: bytes.toString("latin1", at + 4, at + 8), at, data: bytes.subarray(at + 8, end) };
    at = end + 4;
  }
}

/** Checks all chunks up to IEND. Returns the first defect, or undefined. */
export function findPngDamage(bytes: Buffer): AnyCause | undefined {
  for (let offset = SIGNATURE_LENGTH; ; ) {
    const chunk = readChunk(bytes, offset, false);
    if ("code" in chunk) return chunk;
    if (chunk.type === "IEND") return undefined;
    offset += chunk.length + CHUNK_OVERHEAD;
  }
}

/** @param isHeader - whether a defect keeps the file from being opened at all. */
export function readChunk(
  bytes: Buffer,
  offset: number,
  isHeader: boolean,
): { type: string; length: number } | AnyCause {
  if (offset + CHUNK_OVERHEAD > bytes.length)
    return cause("image.truncated", { isHeader, bytes: bytes.length });
  const length = bytes.readUInt32BE(offset);
  const end = offset + length + CHUNK_OVERHEAD;
  const name = bytes.toString("latin1", offset + 4, offset + 8);
  const type = /^[A-Za-z]{4}$/.test(name) ? name : undefined;
  if (type === undefined) return cause("image.damaged", { isHeader, at: offset });
  if (end > bytes.length) return cause("image.truncated", { isHeader, bytes: bytes.length, within: type });
  if (crc32(bytes.subarray(offset + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
    return cause("image.damaged", { isHeader, at: offset, chunk: type });
  }
  return { type, length };
}
