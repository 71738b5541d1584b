import { type DecodedImage, decodedBytes, remembered } from "./cache.ts";
import { decodePixels, type Pixels, type Undecodable } from "./decode.ts";
import { nextTurn } from "./turns.ts";

const CHANNELS = 3;
/** About 3 ms of work. */
const PIXELS_PER_SLICE = 250_000;

/** Decodes an image whole, once for all that is to be known about a target's image. */
export function decodedImage(sha256: string, bytes: Buffer): Promise<DecodedImage | Undecodable> {
  return remembered("decoded", sha256, () => decodePixels(bytes, reducePixels), decodedBytes);
}

/** Sums over the colour channels: of the values, then of their squares. */
type ChannelSums = [number, number, number, number, number, number];

async function reducePixels({ data, width, height }: Pixels): Promise<DecodedImage> {
  const count = width * height;
  const grey = new Uint8Array(count);
  const totals = [0, 0, 0, 0, 0, 0];
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    await nextTurn();
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
