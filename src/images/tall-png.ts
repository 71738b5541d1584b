/*
 * Why sharp does not decode these: it takes 1.3 µs for each row, 47 s for a PNG of 1x37,748,736 pixels, which is accepted, and
 * would keep all other images waiting for a decoder. This takes 1.5 s.
 */
import { Readable } from "node:stream";
import { createInflate } from "node:zlib";
import { yieldToEventLoop } from "../emulator/scheduling.ts";
import { MAX_TARGET_IMAGE_PIXELS } from "../schema/protocol.ts";

/** Where the fields of a PNG file's first chunk are. */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const DEPTH_AT = 24;
const COLOUR_TYPE_AT = 25;
const INTERLACE_AT = 28;
const CHUNKS_AT = 33;
const CHUNK_OVERHEAD = 12;

/** Samples of a pixel, by colour type. Palettes are left to the general decoder. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };
/** Images of usual shapes have far fewer. */
const MANY_ROWS = 300_000;
const BYTES_PER_SLICE = 2 ** 17;

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly samples: number;
  readonly isInterlaced: boolean;
}

/** The layout of a PNG file with very many rows; undefined for any other file. */
export function tallPng(bytes: Buffer): Layout | undefined {
  const layout = pngLayout(bytes);
  if (layout === undefined || layout.height < MANY_ROWS) return undefined;
  return layout.width * layout.height <= MAX_TARGET_IMAGE_PIXELS ? layout : undefined;
}

/** The layout of a PNG file; undefined when it has a palette, or is no PNG file. */
export function pngLayout(bytes: Buffer): Layout | undefined {
  if (bytes.length < CHUNKS_AT || bytes.toString("latin1", 1, 4) !== "PNG") return undefined;
  const samples = SAMPLES[bytes.readUInt8(COLOUR_TYPE_AT)];
  const [width, height] = [bytes.readUInt32BE(WIDTH_AT), bytes.readUInt32BE(HEIGHT_AT)];
  const [depth, isInterlaced] = [bytes.readUInt8(DEPTH_AT), bytes.readUInt8(INTERLACE_AT) === 1];
  return samples === undefined ? undefined : { width, height, depth, samples, isInterlaced };
}

/** A reduced image of an interlaced file: every `dx`th pixel of every `dy`th row. The only one of others is the whole. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

const NO_PASS: Pass = { x: 0, y: 0, dx: 1, dy: 1 };
const WHOLE: readonly Pass[] = [NO_PASS];
const ADAM7: readonly Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/**
 * Decodes a PNG file row by row to 8-bit R, G, B.
 *
 * @throws Error when its data is damaged or incomplete.
 */
export async function decodeTallPng(bytes: Buffer, layout: Layout): Promise<Buffer> {
  const rows = new Rows(layout);
  const inflated = Readable.from(imageData(bytes)).pipe(createInflate({ chunkSize: BYTES_PER_SLICE }));
  for await (const chunk of inflated) {
    rows.write(chunk);
    await yieldToEventLoop();
  }
  if (!rows.isComplete) throw new Error("end of data before the last row");
  return rows.rgb;
}

/** Puts rows where they belong as they arrive. Written for speed, because there are millions. */
class Rows {
  readonly rgb: Buffer;
  private readonly passes: readonly Pass[];
  private readonly pixelBits: number;
  private pass: Pass = NO_PASS;
  private passNumber = -1;
  private y = 0;
  private columns = 0;
  private row = new Uint8Array(0);
  private above = new Uint8Array(0);
  /** -1 before the row's first byte, which says how the others were predicted. */
  private filter = -1;
  private filled = 0;

  constructor(private readonly layout: Layout) {
    const { width, height, depth, samples, isInterlaced } = layout;
    this.rgb = Buffer.alloc(width * height * 3);
    // A pass without pixels has no rows.
    this.passes = (isInterlaced ? ADAM7 : WHOLE).filter(({ x, y }) => x < width && y < height);
    this.pixelBits = depth * samples;
    this.beginPass();
  }

  get isComplete(): boolean {
    return this.passNumber === this.passes.length;
  }

  write(chunk: Uint8Array): void {
    // Bytes from a sample to the same one of the pixel to its left.
    const step = Math.max(1, this.pixelBits >> 3);
    let { row, above, filter, filled } = this;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (filter === -1) {
        if (this.isComplete) return;
        if (byte > 4) throw new Error("bad adaptive filter value");
        filter = byte;
        continue;
      }
      if (filter === 0) row[filled] = byte;
      else {
        const left = filled < step ? 0 : (row[filled - step] ?? 0);
        const up = above[filled] ?? 0;
        if (filter === 1) row[filled] = byte + left;
        else if (filter === 2) row[filled] = byte + up;
        else if (filter === 3) row[filled] = byte + ((left + up) >> 1);
        else row[filled] = byte + paeth(left, up, filled < step ? 0 : (above[filled - step] ?? 0));
      }
      filled += 1;
      if (filled < row.length) continue;
      this.writePixels(row);
      this.row = above;
      this.above = row;
      this.y += this.pass.dy;
      if (this.y >= this.layout.height) this.beginPass();
      ({ row, above } = this);
      filter = -1;
      filled = 0;
    }
    this.filter = filter;
    this.filled = filled;
  }

  private beginPass(): void {
    this.passNumber += 1;
    this.pass = this.passes[this.passNumber] ?? NO_PASS;
    const { x, y, dx } = this.pass;
    this.y = y;
    this.columns = Math.ceil((this.layout.width - x) / dx);
    const length = Math.ceil((this.columns * this.pixelBits) / 8);
    // The first row of a pass has none above it.
    this.above = new Uint8Array(length);
    this.row = new Uint8Array(length);
  }

  private writePixels(row: Uint8Array): void {
    const { rgb, columns } = this;
    const { width, depth, samples } = this.layout;
    const { x, dx } = this.pass;
    let at = (this.y * width + x) * 3;
    if (depth === 8 && samples === 1) {
      for (let column = 0; column < columns; column++, at += 3 * dx) {
        const grey = row[column] ?? 0;
        rgb[at] = grey;
        rgb[at + 1] = grey;
        rgb[at + 2] = grey;
      }
      return;
    }
    const most = 2 ** Math.min(depth, 8) - 1;
    for (let column = 0; column < columns; column++, at += 3 * dx) {
      for (let colour = 0; colour < 3; colour++) {
        const bit = (column * samples + (samples < 3 ? 0 : colour)) * depth;
        const byte = row[bit >> 3] ?? 0;
        rgb[at + colour] = depth >= 8 ? byte : (((byte >> (8 - depth - (bit & 7))) & most) * 255) / most;
      }
    }
  }
}

/** The neighbour that is nearest to their linear prediction. */
function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** The compressed data: the contents of all IDAT chunks. */
function* imageData(bytes: Buffer): Generator<Buffer> {
  for (let at = CHUNKS_AT; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") yield bytes.subarray(at + 8, at + 8 + length);
    if (type === "IEND") return;
    at += length + CHUNK_OVERHEAD;
  }
}
