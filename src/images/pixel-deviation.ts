import type { Pixels } from "./decode.ts";
import { nextTurn } from "./turns.ts";

const CHANNELS = 3;
/** About 2 ms of work. */
const PIXELS_PER_SLICE = 500_000;

/** The mean, over the colour channels, of each channel's population standard deviation. Protocol section 12. */
export async function meanChannelDeviation({ data }: Pixels): Promise<number> {
  const sums = [0, 0, 0];
  const squares = [0, 0, 0];
  for (let start = 0; start < data.length; start += PIXELS_PER_SLICE * CHANNELS) {
    await nextTurn();
    const slice = data.subarray(start, start + PIXELS_PER_SLICE * CHANNELS);
    for (let channel = 0; channel < CHANNELS; channel++) addChannel(slice, channel, sums, squares);
  }
  const count = data.length / CHANNELS;
  const deviations = sums.map((sum, channel) => {
    const mean = sum / count;
    return Math.sqrt(Math.max(0, (squares[channel] ?? 0) / count - mean * mean));
  });
  return deviations.reduce((total, deviation) => total + deviation, 0) / CHANNELS;
}

function addChannel(slice: Buffer, channel: number, sums: number[], squares: number[]): void {
  let sum = 0;
  let square = 0;
  for (let index = channel; index < slice.length; index += CHANNELS) {
    const value = slice[index] ?? 0;
    sum += value;
    square += value * value;
  }
  sums[channel] = (sums[channel] ?? 0) + sum;
  squares[channel] = (squares[channel] ?? 0) + square;
}
