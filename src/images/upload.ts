import { createHash } from "node:crypto";
import { yieldToEventLoop } from "../core/scheduling.ts";
import type { GreyImage } from "./brisque/features.ts";
import { latestSketches, preparedImages } from "./cache.ts";
import { decodePixels, type Pixels, thumbnailOfPixels, type Undecodable } from "./decode.ts";
import { prepareImage } from "./similarity.ts";

/** The result of a full decode. */
export interface DecodedImage {
  readonly grey: GreyImage;
  /** Mean deviation of the colour channels. */
  readonly deviation: number;
}

const CHANNELS = 3;
/** About 1 ms of work. */
const PIXELS_PER_SLICE = 100_000;
const HASHED_PER_SLICE = 2 ** 19;

const uploads = new WeakMap<Buffer, Upload>();

/**
 * The image of one request, hashed and decoded only once between its check and its storage. Nothing outlives the bytes
 * themselves.
 */
export class Upload {
  #sha256: string | undefined;
  #decoded: Promise<DecodedImage | Undecodable> | undefined;

  /** @param bytes must not be written to. */
  constructor(
    private readonly bytes: Buffer,
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

  /** Decodes the image whole. */
  decoded(): Promise<DecodedImage | Undecodable> {
    this.#decoded ??= decodePixels(this.bytes, async (pixels) => {
      const [thumbnail, decoded] = await Promise.all([
        this.prepares && !latestSketches.has(this.sha256) ? thumbnailOfPixels(this.bytes, pixels) : undefined,
        reducePixels(pixels),
      ]);
      if (thumbnail) await this.#prepare(thumbnail);
      return decoded;
    });
    this.#decoded.catch(() => this.forgetPixels());
    return this.#decoded;
  }

  /** Releases the decoded image. */
  forgetPixels(): void {
    this.#decoded = undefined;
  }

  async #prepare(thumbnail: Buffer): Promise<void> {
    await yieldToEventLoop();
    const { image, sketch } = prepareImage(thumbnail);
    latestSketches.set(this.sha256, sketch);
    preparedImages.offer(this.sha256, image);
  }
}

/**
 * Finds or creates the upload of a request's image.
 * @param prepares whether it will be compared by structural similarity
 */
export function uploadOf(bytes: Buffer, prepares = false): Upload {
  const upload = uploads.get(bytes) ?? new Upload(bytes, prepares);
  uploads.set(bytes, upload);
  return upload;
}

/** The upload of these bytes, if they were uploaded. */
export function uploadIfKnown(bytes: Buffer): Upload | undefined {
  return uploads.get(bytes);
}

/** Sums over the colour channels: of the values, then of their squares. */
type ChannelSums = [number, number, number, number, number, number];

async function reducePixels({ data, width, height }: Pixels): Promise<DecodedImage> {
  const count = width * height;
  const grey = new Uint8Array(count);
  const totals = [0, 0, 0, 0, 0, 0];
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    await yieldToEventLoop();
    const end = Math.min(start + PIXELS_PER_SLICE, count);
    reduceSlice(data.subarray(start * CHANNELS, end * CHANNELS), grey.subarray(start, end)).forEach(
      (sum, index) => {
        totals[index] = (totals[index] ?? 0) + sum;
      },
    );
  }
  const means = totals.map((total) => total / count);
  const deviations = means.slice(0, CHANNELS).map((mean, channel) => {
    return Math.sqrt(Math.max(0, (means[CHANNELS + channel] ?? 0) - mean ** 2));
  });
  const deviation = deviations.reduce((total, each) => total + each, 0) / CHANNELS;
  return { deviation, grey: { data: grey, width, height } };
}

/** In one pass, for speed; the grey value is Y of ITU-R 601, rounded as OpenCV rounds it. */
function reduceSlice(pixels: Uint8Array, grey: Uint8Array): ChannelSums {
  let [reds, greens, blues, redSquares, greenSquares, blueSquares] = [0, 0, 0, 0, 0, 0];
  for (let index = 0, at = 0; index < grey.length; index++, at += CHANNELS) {
    const red = pixels[at] ?? 0;
    const green = pixels[at + 1] ?? 0;
    const blue = pixels[at + 2] ?? 0;
    reds += red;
    greens += green;
    blues += blue;
    redSquares += red * red;
    greenSquares += green * green;
    blueSquares += blue * blue;
    grey[index] = (red * 9798 + green * 19235 + blue * 3735 + 16384) >> 15;
  }
  return [reds, greens, blues, redSquares, greenSquares, blueSquares];
}
