import { formatOf, type PixelSize, pixelSizeOf } from "../general/image-header.ts";
import { yieldToEventLoop } from "../general/scheduling.ts";
import { jpegKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory } from "./kernels/instantiate.ts";

interface Kernel extends KernelMemory {
  begin(bytes: number): number;
  /** 0 if the file is not a regular one of this size. */
  open(width: number, height: number): number;
  /** Decodes rows of blocks: 0 if the file is damaged, 1 if there are more, 2 at the end. */
  read(rows: number): 0 | 1 | 2;
  /** Makes R, G and B of rows, and returns their place. */
  convert(firstRow: number, rows: number): number;
}

/** R, G and B of each pixel, row by row, in the memory of a kernel that decodes nothing else until they are freed. */
export interface DecodedJpeg extends PixelSize {
  readonly data: Buffer;
  free(): void;
}

/** Of larger pictures the decoder's thread takes less of a request's time than the main thread would. */
const MOST_PIXELS = 2 ** 19;
/** About 0.6 ms. */
const PIXELS_PER_SLICE = 131_072;
/** The kernel has room for two copies of the file. */
const MOST_BYTES = 2 ** 20;
const BLOCK_ROWS = 16;
const CHANNELS = 3;
const HAS_MORE = 1;

const idle: Kernel[] = [];
const MOST_IDLE = 2;

/**
 * Decodes a regular JPEG file as the decoder does, bit by bit, in turns of the event loop of its own: the turns of the decoder's threads
 * take longer (decision 0016). Returns undefined for any other file and for a damaged one: what the decoder says of it counts.
 */
export async function decodeJpeg(bytes: Buffer): Promise<DecodedJpeg | undefined> {
  if (formatOf(bytes) !== "JPEG" || bytes.length > MOST_BYTES) return undefined;
  const { width, height } = pixelSizeOf(bytes) ?? { width: 0, height: 0 };
  if (width * height > MOST_PIXELS) return undefined;
  await yieldToEventLoop();
  const kernel = idle.pop() ?? instantiate<Kernel>(jpegKernel);
  const free = () => {
    if (idle.length < MOST_IDLE) idle.push(kernel);
  };
  const at = kernel.begin(bytes.length);
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  const isDecoded = kernel.open(width, height) !== 0 && (await readAll(kernel, width));
  if (!isDecoded) {
    free();
    return undefined;
  }
  const pixelsAt = kernel.convert(0, height);
  const data = Buffer.from(kernel.memory.buffer, pixelsAt, CHANNELS * width * height);
  return { data, width, height, free };
}

async function readAll(kernel: Kernel, width: number): Promise<boolean> {
  const rows = Math.ceil(PIXELS_PER_SLICE / (BLOCK_ROWS * width));
  let state = kernel.read(rows);
  while (state === HAS_MORE) {
    await yieldToEventLoop();
    state = kernel.read(rows);
  }
  return state !== 0;
}
