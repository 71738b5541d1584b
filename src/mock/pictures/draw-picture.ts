import { createRandom, type Random } from "../../core/emulator/random.ts";
import { yieldToEventLoop } from "../../core/general/scheduling.ts";
import type { Pixels } from "../../core/images/decode.ts";
import { drawNumeral } from "./numeral.ts";

const CHANNELS = 3;
const MIDDLE = 127.5;
/** About 2 ms of work. */
const PIXELS_PER_SLICE = 50_000;

/** Noise, in cells of this size, between whose corners colours change evenly. */
interface Layer {
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** 1: the whole range of colours. */
  readonly strength: number;
}

/** These layers scale with the picture: pictures of different numbers look different. */
const SCENE = [
  { cells: 4, strength: 0.5 },
  { cells: 8, strength: 0.4 },
  { cells: 16, strength: 0.4 },
  { cells: 24, strength: 0.4 },
];

/** Grain in pixels, as in photographs: without it, BRISQUE rates the picture as blurred. */
const GRAIN = [
  { pixels: 8, strength: 0.1 },
  { pixels: 2, strength: 0.06 },
  { pixels: 1, strength: 0.05 },
];

/** Draws a colourful picture with its number in it; the same number gives the same pixels on every machine. */
export async function drawPicture(number: number, width: number, height: number): Promise<Pixels> {
  const random = createRandom(`picture ${number}`);
  const sum = new Float32Array(width * height * CHANNELS).fill(MIDDLE);
  const scene = SCENE.map(({ cells, strength }) => ({
    cellWidth: width / cells,
    cellHeight: height / cells,
    strength,
  }));
  const grain = GRAIN.map(({ pixels, strength }) => ({ cellWidth: pixels, cellHeight: pixels, strength }));
  await addLayers(sum, width, height, scene, random);
  await drawNumeral(sum, width, height, number);
  await addLayers(sum, width, height, grain, random);
  return { data: Buffer.from(Uint8ClampedArray.from(sum)), width, height };
}

async function addLayers(
  sum: Float32Array,
  width: number,
  height: number,
  layers: readonly Layer[],
  random: Random,
): Promise<void> {
  for (const layer of layers) {
    const corners = Math.ceil(width / layer.cellWidth) + 1;
    const colours = random.bytes(corners * (Math.ceil(height / layer.cellHeight) + 1) * CHANNELS);
    for (let y = 0; y < height; y++) {
      if ((y * width) % PIXELS_PER_SLICE < width) await yieldToEventLoop();
      const row = sum.subarray(y * width * CHANNELS, (y + 1) * width * CHANNELS);
      addRow(row, coloursOfRow(colours, corners, y, layer), layer.cellWidth);
    }
  }
}

function coloursOfRow(
  colours: Buffer,
  corners: number,
  y: number,
  { cellHeight, strength }: Layer,
): Float32Array {
  const above = Math.floor(y / cellHeight);
  const share = y / cellHeight - above;
  const row = new Float32Array(corners * CHANNELS);
  for (let corner = 0; corner < corners; corner++) {
    const at = corner * CHANNELS;
    const between = (channel: number): number => {
      const from = colours[above * row.length + at + channel] ?? 0;
      const to = colours[(above + 1) * row.length + at + channel] ?? 0;
      return from * (1 - share) + to * share - MIDDLE;
    };
    const light = between(0);
    // Mostly light and dark: pure colours look unnatural to BRISQUE.
    for (let channel = 0; channel < CHANNELS; channel++) {
      row[at + channel] = strength * (0.7 * light + 0.3 * between(channel));
    }
  }
  return row;
}

function addRow(row: Float32Array, colours: Float32Array, cellWidth: number): void {
  for (let at = 0; at < row.length; at += CHANNELS) {
    const x = at / CHANNELS / cellWidth;
    const left = Math.floor(x) * CHANNELS;
    const share = x - Math.floor(x);
    for (let channel = 0; channel < CHANNELS; channel++) {
      const from = colours[left + channel] ?? 0;
      const to = colours[left + CHANNELS + channel] ?? 0;
      row[at + channel] = (row[at + channel] ?? 0) + from * (1 - share) + to * share;
    }
  }
}
