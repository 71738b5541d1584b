import { createHash } from "node:crypto";
import { inTurns, runInBackground, type Steps, yieldToEventLoop } from "../emulator/scheduling.ts";
import { latestSketches, preparedImages } from "./cache.ts";
import { decodePixels, type Pixels, scalesAsFile, thumbnailOfPixels, type Undecodable } from "./decode.ts";
import { pixelsKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory } from "./kernels/instantiate.ts";
import { sketches } from "./matching/ranking.ts";
import { prepareWithSketch } from "./matching/similarity.ts";
import type { GreyImage } from "./ratings/brisque/features.ts";
import { beginWaiting, endWaiting, putOff, untilFewerWait } from "./ratings/jobs.ts";

const CHANNELS = 3;
/** What the kernel takes at a time. */
const PIXELS_PER_SLICE = 100_000;
const HASHED_PER_SLICE = 2 ** 19;

/** The image of one request, hashed and decoded only once between its check and its storage. */
export class Upload {
  #sha256: string | undefined;
  #decoded: Promise<Pixels | Undecodable> | undefined;

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
  decoded(): Promise<Pixels | Undecodable> {
    putOff();
    this.#decoded ??= new Promise((resolve, reject) => {
      const decoding = decodePixels(this.bytes, async (pixels) => {
        await untilFewerWait();
        if (this.prepares && scalesAsFile(this.bytes, pixels)) prepareLater(this.sha256, pixels);
        resolve(pixels);
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
}

/** Prepares an image for comparisons. Holds its pixels until then, but not the file. */
function prepareLater(sha256: string, pixels: Pixels): void {
  if (latestSketches.has(sha256)) return;
  let preparing: Promise<void> | undefined;
  const work = {
    result: () => {
      preparing ??= prepare(sha256, pixels).finally(() => endWaiting(work));
      return preparing;
    },
  };
  beginWaiting(pixels.data, work);
  runInBackground(sketches.expect(sha256, work.result));
}

async function prepare(sha256: string, pixels: Pixels): Promise<void> {
  const thumbnail = await thumbnailOfPixels(pixels);
  await yieldToEventLoop();
  const { image, sketch } = prepareWithSketch(thumbnail);
  latestSketches.set(sha256, sketch);
  preparedImages.offer(sha256, image);
}

interface Kernel extends KernelMemory {
  sourceAt(): number;
  greyAt(): number;
  reduce(count: number): void;
}

let kernel: Kernel | undefined;

/** Of each channel the sum of its values, then of each the sum of its squares. */
type Totals = Float64Array;

/** Adds up to so many pixels as the kernel takes to totals. Returns their grey values, which the next call replaces. */
function reduceSlice(pixels: Uint8Array, totals: Totals): Uint8Array {
  kernel ??= instantiate<Kernel>(pixelsKernel);
  const { buffer } = kernel.memory;
  const count = pixels.length / CHANNELS;
  new Uint8Array(buffer).set(pixels, kernel.sourceAt());
  kernel.reduce(count);
  for (const [index, sum] of new Float64Array(buffer, 0, totals.length).entries())
    totals[index] = (totals[index] ?? 0) + sum;
  return new Uint8Array(buffer, kernel.greyAt(), count);
}

/** Makes an image grey, and finds its deviation, in steps of less than 0.5 ms. Grey is Y of ITU-R 601 as OpenCV rounds it. */
export function* reduceSteps({ data, width, height }: Pixels): Steps<ReducedImage> {
  const count = width * height;
  const grey = new Uint8Array(count);
  const totals = new Float64Array(2 * CHANNELS);
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    if (start > 0) yield;
    const slice = data.subarray(start * CHANNELS, (start + PIXELS_PER_SLICE) * CHANNELS);
    grey.set(reduceSlice(slice, totals), start);
  }
  return { grey: { data: grey, width, height }, deviation: deviationOf(totals, count, count) };
}

interface ReducedImage {
  readonly grey: GreyImage;
  /** Mean deviation of the colour channels. */
  readonly deviation: number;
}

/** How many parts of an image are looked at first, and how many pixels of each. */
const [SAMPLES, SAMPLE_PIXELS] = [64, 1000];

/**
 * Whether the mean deviation of the colour channels is above a limit. A few parts mostly show it already: however little the
 * others deviate, they cannot make up for these.
 */
export async function deviatesMoreThan(limit: number, pixels: Pixels): Promise<boolean> {
  const { data, width, height } = pixels;
  const count = width * height;
  const totals = new Float64Array(2 * CHANNELS);
  const distance = Math.ceil(count / SAMPLES);
  let looked = 0;
  for (let start = 0; start < count; start += distance) {
    const end = Math.min(start + Math.min(SAMPLE_PIXELS, distance), count);
    reduceSlice(data.subarray(start * CHANNELS, end * CHANNELS), totals);
    looked += end - start;
  }
  return deviationOf(totals, looked, count) > limit || (await inTurns(reduceSteps(pixels))).deviation > limit;
}

/** The mean deviation of the channels, if `all` pixels were no farther from the mean of `counted` ones than these. */
function deviationOf(totals: Totals, counted: number, all: number): number {
  let sum = 0;
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    const [total = 0, squares = 0] = [totals[channel], totals[CHANNELS + channel]];
    sum += Math.sqrt(Math.max(0, (squares - total ** 2 / counted) / all));
  }
  return sum / CHANNELS;
}
