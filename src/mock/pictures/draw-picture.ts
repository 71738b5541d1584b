import { seedText } from "../../core/emulator/random.ts";
import { Semaphore, yieldToEventLoop } from "../../core/general/scheduling.ts";
import type { Pixels } from "../../core/images/decode.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "../../core/images/kernels/instantiate.ts";
import { pictureKernel } from "./compiled.ts";

interface Kernel extends KernelMemory<"TEXT"> {
  begin(width: number, height: number, length: number, firstDigit: number, digitCount: number): number;
  digest(times: number): void;
  drawRow(): number;
}

const CHANNELS = 3;
/** Each about 2 ms of work, before the compiler has optimised it. */
const DIGESTS_PER_SLICE = 1000;
const PIXELS_PER_SLICE = 20_000;

const load = keptWhileUsed(() => instantiate<Kernel>(pictureKernel));
/** One picture at a time is in the kernel. */
const turns = new Semaphore(1);

/** Draws a colourful picture with its number in it; the same number gives the same pixels on every machine. */
export const drawPicture = (number: number, width: number, height: number): Promise<Pixels> =>
  turns.run(() => draw(number, width, height));

async function draw(number: number, width: number, height: number): Promise<Pixels> {
  await yieldToEventLoop();
  const kernel = load();
  await drawRandomBytes(kernel, number, width, height);
  const data = Buffer.allocUnsafe(width * height * CHANNELS);
  const rowLength = width * CHANNELS;
  const rowsPerSlice = Math.ceil(PIXELS_PER_SLICE / width);
  const memory = new Uint8Array(kernel.memory.buffer);
  for (let row = 0; row < height; row++) {
    if (row % rowsPerSlice === 0) await yieldToEventLoop();
    const at = kernel.drawRow();
    data.set(memory.subarray(at, at + rowLength), row * rowLength);
  }
  return { data, width, height };
}

/** The bytes of `createRandom`, drawn where they are used. */
async function drawRandomBytes(kernel: Kernel, number: number, width: number, height: number): Promise<void> {
  const digits = String(number);
  const text = Buffer.from(seedText(`picture ${digits}`));
  new Uint8Array(kernel.memory.buffer).set(text, kernel.TEXT.value);
  let left = kernel.begin(width, height, text.length, text.lastIndexOf(digits), digits.length);
  for (; left > 0; left -= DIGESTS_PER_SLICE) {
    kernel.digest(Math.min(left, DIGESTS_PER_SLICE));
    await yieldToEventLoop();
  }
}
