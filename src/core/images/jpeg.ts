import { formatOf, type PixelSize, pixelSizeOf } from "../general/image-header.ts";
import { yieldToEventLoop } from "../general/scheduling.ts";
import { jpegKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory } from "./kernels/instantiate.ts";

interface Kernel extends KernelMemory {
  begin(bytes: number): number;
  /** 0 if the file is not a regular one of this size. */
  open(width: number, height: number, makesWhole: boolean, makesHalf: boolean): number;
  /** Decodes rows of blocks: 0 if the file is damaged, 1 if there are more, 2 at the end. */
  read(rows: number): 0 | 1 | 2;
  /** Makes R, G and B, and returns their place. */
  convert(): number;
  convertHalf(): number;
  brightness(): number;
}

interface Decoded extends PixelSize {
  /** R, G and B of each pixel, or its brightness, row by row. */
  readonly data: Buffer;
}

/** In the memory of a kernel that decodes nothing else until this is freed. */
export interface DecodedJpeg {
  readonly whole: Decoded | undefined;
  /** As the decoder makes it when it decodes at half the length. */
  readonly half: Decoded | undefined;
  /** The brightness of the whole, if neither of these is wanted. */
  readonly grey: Decoded | undefined;
  free(): void;
}

/** Of larger pictures the decoder's thread takes less of a request's time than the main thread would. */
const MOST_PIXELS = 2 ** 21;
/** About 2 ms. */
const PIXELS_PER_SLICE = 400_000;
/** The kernel has room for two copies of the file. */
const MOST_BYTES = 2 ** 20;
const BLOCK_ROWS = 16;
const CHANNELS = 3;
const HAS_MORE = 1;

const idle: Kernel[] = [];
const MOST_IDLE = 2;
/** More, if all have at most so many bytes: of small pictures several wait for spare time, and new memory takes longer than decoding. */
const MOST_IDLE_BYTES = 2 ** 23;

const bytesOf = (kernels: readonly Kernel[]): number =>
  kernels.reduce((bytes, { memory }) => bytes + memory.buffer.byteLength, 0);

/**
 * Decodes a regular JPEG file as the decoder does, bit by bit, in turns of the event loop of its own: the turns of the decoder's threads
 * take longer (decision 0016). Returns undefined for any other file and for a damaged one: what the decoder says of it counts.
 */
export async function decodeJpeg(
  bytes: Buffer,
  wants: { readonly whole: boolean; readonly half: boolean },
): Promise<DecodedJpeg | undefined> {
  if (formatOf(bytes) !== "JPEG" || bytes.length > MOST_BYTES) return undefined;
  const size = pixelSizeOf(bytes);
  if (size === undefined || size.width * size.height > MOST_PIXELS) return undefined;
  await yieldToEventLoop();
  const kernel = idle.pop() ?? instantiate<Kernel>(jpegKernel);
  const free = () => {
    if (idle.length < MOST_IDLE || bytesOf([...idle, kernel]) <= MOST_IDLE_BYTES) idle.push(kernel);
  };
  const at = kernel.begin(bytes.length);
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  const { width, height } = size;
  if (!kernel.open(width, height, wants.whole, wants.half) || !(await readAll(kernel, width))) {
    free();
    return undefined;
  }
  const partAt = (pixelsAt: number, columns: number, rows: number, channels = CHANNELS): Decoded => ({
    data: Buffer.from(kernel.memory.buffer, pixelsAt, channels * columns * rows),
    width: columns,
    height: rows,
  });
  const halved = (length: number) => Math.ceil(length / 2);
  return {
    whole: wants.whole ? partAt(kernel.convert(), width, height) : undefined,
    half: wants.half ? partAt(kernel.convertHalf(), halved(width), halved(height)) : undefined,
    grey: wants.whole || wants.half ? undefined : partAt(kernel.brightness(), width, height, 1),
    free,
  };
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
