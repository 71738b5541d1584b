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

/** Sums over one colour channel. */
interface ChannelSums {
  sum: number;
  squares: number;
}

async function reducePixels({ data, width, height }: Pixels): Promise<DecodedImage> {
  const count = width * height;
  const grey = new Uint8Array(count);
  const channels = Array.from({ length: CHANNELS }, () => ({ sum: 0, squares: 0 }));
  for (let start = 0; start < count; start += PIXELS_PER_SLICE) {
    await nextTurn();
    const end = Math.min(start + PIXELS_PER_SLICE, count);
    const slice = data.subarray(start * CHANNELS, end * CHANNELS);
    channels.forEach((sums, channel) => {
      addChannel(slice, channel, sums);
    });
    toGrey(slice, grey.subarray(start, end));
  }
  const deviations = channels.map(({ sum, squares }) =>
    Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)),
  );
  const deviation = deviations.reduce((total, each) => total + each, 0) / CHANNELS;
  return { deviation, grey: { data: grey, width, height } };
}

function addChannel(pixels: Buffer, channel: number, sums: ChannelSums): void {
  let sum = 0;
  let squares = 0;
  for (let index = channel; index < pixels.length; index += CHANNELS) {
    const value = pixels[index] ?? 0;
    sum += value;
    squares += value * value;
  }
  sums.sum += sum;
  sums.squares += squares;
}

/** Y of ITU-R 601, rounded as OpenCV rounds it. */
function toGrey(pixels: Buffer, grey: Uint8Array): void {
  for (let index = 0; index < grey.length; index++) {
    const at = index * CHANNELS;
    const weighted = (pixels[at] ?? 0) * 9798 + (pixels[at + 1] ?? 0) * 19235 + (pixels[at + 2] ?? 0) * 3735;
    grey[index] = (weighted + 16384) >> 15;
  }
}
