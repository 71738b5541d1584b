import { crc32 } from "node:zlib";

/** The first chunk of a PNG file. */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per sample: 1, 2, 4, 8 or 16. */
  readonly depth: number;
  /** 0 greyscale, 2 RGB, 3 palette, 4 greyscale with alpha, 6 RGB with alpha. */
  readonly colourType: number;
}

const SIGNATURE_LENGTH = 8;
const CHUNK_OVERHEAD = 12;
const HEADER_LENGTH = 13;

/** Reads IHDR, or says in words why it cannot be read; its checksum counts, which the decoder does not look at. */
export function readPngHeader(bytes: Buffer): PngHeader | string {
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

/** Walks all chunks up to IEND; what is wrong with them, or undefined when all are sound. */
export function findPngDamage(bytes: Buffer): string | undefined {
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
