import { Semaphore, yieldToEventLoop } from "../../core/general/scheduling.ts";
import type { Pixels } from "../../core/images/decode.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "../../core/images/kernels/instantiate.ts";
import { encoderKernel } from "./compiled.ts";

interface Kernel extends KernelMemory<"file"> {
  begin(width: number, height: number): number;
  /** Whether there are more rows. */
  transform(rows: number): number;
  write(rows: number): number;
  fileLength(): number;
}

/** About 2 ms of work, before the compiler has optimised it. */
const PIXELS_PER_SLICE = 30_000;
const PIXELS_OF_ROW = 16;

const load = keptWhileUsed(() => instantiate<Kernel>(encoderKernel));
/** One picture at a time is in the kernel. */
const turns = new Semaphore(1);

/** Encodes a picture as a JPEG file of quality 90: below that it loses the grain that the rater needs. */
export const encodeJpeg = (picture: Pixels): Promise<Buffer> => turns.run(() => encode(picture));

async function encode({ data, width, height }: Pixels): Promise<Buffer> {
  await yieldToEventLoop();
  const kernel = load();
  const at = kernel.begin(width, height);
  new Uint8Array(kernel.memory.buffer).set(data, at);
  const rows = Math.ceil(PIXELS_PER_SLICE / PIXELS_OF_ROW / width);
  while (kernel.transform(rows)) await yieldToEventLoop();
  while (kernel.write(rows)) await yieldToEventLoop();
  return Buffer.copyBytesFrom(new Uint8Array(kernel.memory.buffer), kernel.file.value, kernel.fileLength());
}
