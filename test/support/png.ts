import { crc32, deflateSync } from "node:zlib";

/** Options for sharp: to compress a drawn picture takes ten times as long as to write it, and tests read it once. */
export const UNCOMPRESSED = { compressionLevel: 0 } as const;

/** Properties of a generated PNG; by default a 32x24 8-bit RGB image. */
interface PngShape {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colourType?: number;
  /** Chunks between IHDR and IDAT. */
  readonly before?: readonly Buffer[];
  /** The byte at each position of the unfiltered pixel data, or at all of them. Default: noise. */
  readonly fill?: number | ((index: number) => number);
}

/** By colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** One chunk with its checksum. */
export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** The unfiltered pixel data: the first byte of a row says that it is. */
function rowsOf(rowBytes: number, height: number, fill: NonNullable<PngShape["fill"]>): Buffer {
  const size = rowBytes + 1;
  // The quickest for pictures of hundreds of megabytes, whose file is small.
  if (fill === 0) return Buffer.alloc(size * height);
  if (typeof fill === "number")
    return Buffer.alloc(size * height, Buffer.concat([Buffer.of(0), Buffer.alloc(rowBytes, fill)]));
  const rows = Buffer.alloc(size * height);
  for (let start = 0; start < rows.length; start += size)
    for (let index = start + 1; index < start + size; index++) rows[index] = fill(index);
  return rows;
}

/** Writes a PNG file byte by byte, because image libraries do not write all kinds. */
export function makePng(shape: PngShape = {}): Buffer {
  const { width = 32, height = 24, depth = 8, colourType = 2, before = [], fill = noiseByte } = shape;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8(colourType, 9);
  const rowBytes = Math.ceil((width * depth * (SAMPLES[colourType] ?? 1)) / 8);
  return Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", header),
    ...before,
    pngChunk("IDAT", deflateSync(rowsOf(rowBytes, height, fill))),
    pngChunk("IEND"),
  ]);
}

/** A chunk that says how viewers turn or mirror a picture: EXIF data of one tag, from 1 to 8. */
export const orientationChunk = (orientation: number): Buffer =>
  pngChunk("eXIf", Buffer.from(`4d4d002a0000000800010112000300000001000${orientation}000000000000`, "hex"));

/** The PNG of {@link makePng}, of 32x24 pixels, with its pixels upside down, and a chunk that says so. */
export function makeUpsideDownPng(): Buffer {
  const [width, height, channels] = [32, 24, 3];
  const rowBytes = width * channels + 1;
  /** Of the pixel that is as far from the end. */
  const opposite = (index: number): number => {
    const [row, byte] = [Math.floor(index / rowBytes), (index % rowBytes) - 1];
    const [column, channel] = [Math.floor(byte / channels), byte % channels];
    return (height - 1 - row) * rowBytes + 1 + (width - 1 - column) * channels + channel;
  };
  return makePng({ before: [orientationChunk(3)], fill: (index) => noiseByte(opposite(index)) });
}

/** A pseudo-random byte, the same for the same index. */
export function noiseByte(index: number): number {
  return (Math.imul(index + 1, 2654435761) >>> 13) & 255;
}

/** A palette of 256 greys. */
export const palette = pngChunk(
  "PLTE",
  Buffer.from(Array.from({ length: 768 }, (_, i) => Math.floor(i / 3))),
);

/** Changes a byte in the checksum of a chunk. */
export function breakChecksum(png: Buffer, type: string): Buffer {
  const broken = Buffer.from(png);
  const name = broken.indexOf(type, 8, "latin1");
  const checksum = name + 4 + broken.readUInt32BE(name - 4);
  broken.writeUInt8(broken.readUInt8(checksum) ^ 1, checksum);
  return broken;
}
