import { createHash } from "node:crypto";
import { yieldToEventLoop } from "../emulator/scheduling.ts";
import { latestSketches, preparedImages } from "./cache.ts";
import { decodePixels, type Pixels, thumbnailOfPixels, type Undecodable } from "./decode.ts";
import { pixelsKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory } from "./kernels/instantiate.ts";
import { sketches } from "./matching/ranking.ts";
import { prepareWithSketch } from "./matching/similarity.ts";
import type { GreyImage } from "./ratings/brisque/features.ts";

/** The result of a full decode. */
export interface DecodedImage {
  readonly grey: GreyImage;
  /** Mean deviation of the colour channels. */
  readonly deviation: number;
}

const CHANNELS = 3;
/** What the kernel takes at a time. */
const PIXELS_PER_SLICE = 100_000;
/** Less than 1 ms of work. */
const PIXELS_PER_TURN = 4 * PIXELS_PER_SLICE;
/** Bytes of decoded pixels. */
const LARGE_PIXELS = 2 ** 23;
const HASHED_PER_SLICE = 2 ** 19;

/** The image of one request, hashed and decoded only once between its check and its storage. */
export class Upload {
  #sha256: string | undefined;
  #decoded: Promise<DecodedImage | Undecodable> | undefined;

  /**
   * @param bytes must not be written to.
   * @param prepares whether it will be compared by structural similarity
   */
  constructor(
    readonly bytes: Buffer,
    private readonly prepares = false,
  ) {}

  /** Computes {@link sha256} in slices: at once, it could block the event loop for up to 10 ms. */
  async hash(): Promise<string> {
    if (this.#sha256 !== undefined) return this.#sha256;
    const hash = createHash("sha256");
    for (let start = 0; start < this.bytes.length; start += HASHED_PER_SLICE) {
      if (start > 0) await yieldToEventLoop();
      hash.update(this.bytes.subarray(start, start + HASHED_PER_SLICE));
    }
    this.#sha256 ??= hash.digest("hex");
    return this.#sha256;
  }

  /** Lower-case hex. */
  get sha256(): string {
    this.#sha256 ??= createHash("sha256").update(this.bytes).digest("hex");
    return this.#sha256;
  }

  /** Decodes the image whole. Its sketch is made afterwards: whoever needs it waits. */
  decoded(): Promise<DecodedImage | Undecodable> {
    this.#decoded ??= new Promise((resolve, reject) => {
      const decoding = decodePixels(this.bytes, async (pixels) => {
        const reducing = reducePixels(pixels);
        const preparing = this.#prepare(pixels, reducing);
        sketches.expect(this.sha256, preparing);
        resolve(await reducing);
        // Large ones count as held until then.
        if (pixels.data.length > LARGE_PIXELS) await preparing.catch(() => {});
        return undefined;
      });
      decoding.then((undecodable) => undecodable && resolve(undecodable), reject);
    });
    this.#decoded.catch(() => this.forgetPixels());
    return this.#decoded;
  }

  /** Releases the decoded image. */
  forgetPixels(): void {
    this.#decoded = undefined;
  }

  async #prepare(pixels: Pixels, reducing: Promise<unknown>): Promise<void> {
    if (!this.prepares || latestSketches.has(this.sha256)) return;
    await reducing;
    // The request is answered in the meantime.
    await yieldToEventLoop();
    const thumbnail = await thumbnailOfPixels(this.bytes, pixels);
    if (thumbnail === undefined) return;
    await yieldToEventLoop();
    const { image, sketch } = prepareWithSketch(thumbnail);
    latestSketches.set(this.sha256, sketch);
    preparedImages.offer(this.sha256, image);
  }
}

interface Kernel extends KernelMemory {
  sourceAt(): number;
  greyAt(): number;
  reduce(count: number): void;
}

let kernel: Kernel | undefined;

/** Grey values are Y of ITU-R 601, rounded as OpenCV rounds it. */
async function reducePixels({ data, width, height }: Pixels): Promise<DecodedImage> {
  kernel ??= instantiate<Kernel>(pixelsKernel);
  const { reduce, memory } = kernel;
  const bytes = new Uint8Array(memory.buffer);
  const [sourceAt, greyAt] = [kernel.sourceAt(), kernel.greyAt()];
  const count = width * height;
  const grey = new Uint8Array(count);
  // Of each channel the sum of its values, then of each the sum of its squares.
  const totals = new Float64Array(2 * CHANNELS);
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    // The decoder has answered in a turn of its own.
    if (start > 0 && start % PIXELS_PER_TURN === 0) await yieldToEventLoop();
    const end = Math.min(start + PIXELS_PER_SLICE, count);
    bytes.set(data.subarray(start * CHANNELS, end * CHANNELS), sourceAt);
    reduce(end - start);
    grey.set(bytes.subarray(greyAt, greyAt + end - start), start);
    const sums = new Float64Array(memory.buffer, 0, totals.length);
    totals.forEach((total, index) => {
      totals[index] = total + (sums[index] ?? 0);
    });
  }
  const deviations = Array.from({ length: CHANNELS }, (_, channel) => {
    const [total = 0, squares = 0] = [totals[channel], totals[CHANNELS + channel]];
    return Math.sqrt(Math.max(0, squares / count - (total / count) ** 2));
  });
  const deviation = deviations.reduce((total, each) => total + each, 0) / CHANNELS;
  return { deviation, grey: { data: grey, width, height } };
}
