import { formatOf, type PixelSize, pixelSizeOf } from "../general/image-header.ts";
import { yieldToEventLoop } from "../general/scheduling.ts";
import { jpegKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "./kernels/instantiate.ts";

interface Kernel extends KernelMemory {
  begin(bytes: number): number;
  /** 0 if the file is not a regular one of this size. At most so many rows will be converted at a time. */
  open(width: number, height: number, makesWhole: boolean, makesHalf: boolean, strip: number): number;
  /** Decodes rows of blocks: 0 if the file is damaged, 1 if there are more, 2 at the end. */
  read(rows: number): 0 | 1 | 2;
  /** Makes R, G and B of rows, and returns their place. Reads the rows of blocks that it needs: 0 if the file is damaged. */
  convert(firstRow: number, rows: number): number;
  convertHalf(): number;
  brightness(): number;
}

interface Decoded extends PixelSize {
  /** R, G and B of each pixel, or its brightness, row by row. */
  readonly data: Buffer;
}

/** In the memory of a kernel that decodes nothing else until this is freed. */
interface InKernel {
  free(): void;
}

export interface DecodedJpeg extends InKernel {
  readonly whole: Decoded | undefined;
  /** As the decoder makes it when it decodes at half the length. */
  readonly half: Decoded | undefined;
}

/** Pixels of larger pictures would take too much memory at once. */
const MOST_PIXELS = 2 ** 21;
/** About 2 ms. */
const PIXELS_PER_SLICE = 400_000;
/** The kernel has room for two copies of the file. */
const MOST_BYTES = 2 ** 22;
const BLOCK_ROWS = 16;
const CHANNELS = 3;
const HAS_MORE = 1;

const idleKernels = keptWhileUsed((): Kernel[] => []);
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
  const read = await readFile(bytes, wants.whole, wants.half);
  if (read === undefined) return undefined;
  const { kernel, width, height, free } = read;
  const halved = (length: number) => Math.ceil(length / 2);
  return {
    whole: wants.whole ? partOf(kernel, kernel.convert(0, height), width, height) : undefined,
    half: wants.half ? partOf(kernel, kernel.convertHalf(), halved(width), halved(height)) : undefined,
    free,
  };
}

/** The same of only the brightness, one byte a pixel. */
export async function decodeBrightness(bytes: Buffer): Promise<(Decoded & InKernel) | undefined> {
  const read = await readFile(bytes, false, false);
  if (read === undefined) return undefined;
  const { kernel, width, height, free } = read;
  return { ...partOf(kernel, kernel.brightness(), width, height, 1), free };
}

const partOf = (
  { memory }: Kernel,
  at: number,
  width: number,
  height: number,
  channels = CHANNELS,
): Decoded => ({ data: Buffer.from(memory.buffer, at, channels * width * height), width, height });

interface ReadFile extends PixelSize, InKernel {
  readonly kernel: Kernel;
}

/** Reads a file's blocks. */
async function readFile(
  ...given: [bytes: Buffer, makesWhole: boolean, makesHalf: boolean]
): Promise<ReadFile | undefined> {
  const opened = await open(...given);
  if (opened === undefined || (await readAll(opened))) return opened;
  opened.free();
  return undefined;
}

/** Rows of pixels that are decoded when they are read, once and in order. */
export interface PixelRows extends PixelSize {
  /** R, G and B of each pixel, row by row, which the next call replaces. */
  read(firstRow: number, rows: number): Uint8Array;
}

/**
 * Decodes a regular JPEG file while its pixels are used: however many they are, a few rows are in memory. Undefined for any other file and
 * for a damaged one.
 * @param mostRows how many rows are read at a time, at most
 */
export async function useRows<T>(
  bytes: Buffer,
  mostRows: (width: number) => number,
  use: (rows: PixelRows) => Promise<T>,
): Promise<T | undefined> {
  const opened = await open(bytes, true, false, mostRows);
  if (opened === undefined) return undefined;
  const { kernel, free, width, height } = opened;
  let isRegular = true;
  const read = (firstRow: number, rows: number) => {
    const at = isRegular ? kernel.convert(firstRow, rows) : 0;
    isRegular = at > 0;
    return new Uint8Array(kernel.memory.buffer, at, CHANNELS * width * rows);
  };
  try {
    // New memory took milliseconds.
    await yieldToEventLoop();
    const used = await use({ width, height, read });
    return isRegular ? used : undefined;
  } finally {
    free();
  }
}

/** Hands a file's bytes to a kernel that nothing else uses. */
async function open(
  bytes: Buffer,
  makesWhole: boolean,
  makesHalf: boolean,
  mostRows?: (width: number) => number,
): Promise<ReadFile | undefined> {
  const size = pixelSizeOf(bytes);
  if (formatOf(bytes) !== "JPEG" || size === undefined || bytes.length > MOST_BYTES) return undefined;
  const { width, height } = size;
  if (mostRows === undefined && width * height > MOST_PIXELS) return undefined;
  await yieldToEventLoop();
  const kernel = idleKernels().pop() ?? instantiate<Kernel>(jpegKernel);
  const free = () => {
    const idle = idleKernels();
    if (idle.length < MOST_IDLE || bytesOf([...idle, kernel]) <= MOST_IDLE_BYTES) idle.push(kernel);
  };
  const at = kernel.begin(bytes.length);
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  if (kernel.open(width, height, makesWhole, makesHalf, mostRows?.(width) ?? height))
    return { kernel, width, height, free };
  free();
  return undefined;
}

async function readAll({ kernel, width }: ReadFile): Promise<boolean> {
  const rows = Math.ceil(PIXELS_PER_SLICE / (BLOCK_ROWS * width));
  let state = kernel.read(rows);
  while (state === HAS_MORE) {
    await yieldToEventLoop();
    state = kernel.read(rows);
  }
  return state !== 0;
}
