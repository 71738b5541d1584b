import sharp, { type Sharp } from "sharp";
import { covers, type Homography, invert, isHidden, look, project, type View } from "./camera.ts";
import { UNCOMPRESSED } from "./png.ts";
import { generator } from "./scenes.ts";

/*
 * Pictures drawn from a seed, and photographs of them: a camera sees the flat picture from some side, before another picture,
 * in some light, blurred, noisy and compressed. Grey, as features see it.
 */

/** A grey picture. */
export interface Grey {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Leaf {
  readonly radius: number;
  readonly x: number;
  readonly y: number;
  readonly isRound: boolean;
  readonly narrow: number;
  readonly turn: number;
  readonly grey: number;
  readonly slopeX: number;
  readonly slopeY: number;
  readonly wave: number;
  readonly depth: number;
}

/**
 * Overlapping leaves of all sizes, with stripes and gradients: "dead leaves", whose edges and scales are distributed as those
 * of photographs are (Lee, Mumford and Huang 2001, "Occlusion models for natural images").
 */
export function drawLeaves(seed: number, width = 640, height = 480): Grey {
  const random = generator(seed * 7919 + 13);
  const between = (least: number, most: number) => least + random() * (most - least);
  const data = new Float32Array(width * height).fill(between(60, 200));
  // Each picture has its own taste.
  const [smallest, largest] = [between(3, 10), between(0.1, 0.4) * width];
  const [roundness, striped, contrast] = [random(), random() * 0.6, between(0.5, 1)];
  const leaves: Leaf[] = [];
  for (let covered = 0; covered < 4 * width * height; ) {
    // No lists here: compiling them takes longer than drawing.
    const radius = 1 / Math.sqrt(between(largest ** -2, smallest ** -2));
    const x = between(0, width);
    const y = between(0, height);
    const isRound = random() < roundness;
    const turn = between(0, Math.PI);
    const narrow = between(0.3, 1);
    const grey = 128 + contrast * between(-127, 127);
    const slopeX = between(-40, 40) / radius;
    const slopeY = between(-40, 40) / radius;
    const wave = between(0.2, 1.2);
    const depth = random() < striped ? between(10, 50) : 0;
    leaves.push({ radius, x, y, isRound, narrow, turn, grey, slopeX, slopeY, wave, depth });
    covered += 2 * radius * radius * narrow;
  }
  // The uppermost first: what a later one hides need not be computed.
  const isDrawn = new Uint8Array(data.length);
  for (const leaf of leaves.reverse()) drawLeaf(leaf, { data, width, height }, isDrawn);
  return { data: withNoise(data, () => between(-4, 4)), width, height };
}

/** Draws a leaf where nothing is drawn yet. */
function drawLeaf(
  { radius, x, y, isRound, narrow, turn, grey, slopeX, slopeY, wave, depth }: Leaf,
  { data, width, height }: { readonly data: Float32Array; readonly width: number; readonly height: number },
  isDrawn: Uint8Array,
): void {
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  const square = radius * radius;
  const side = radius * 0.7;
  const left = Math.max(0, Math.ceil(x - radius));
  const right = Math.min(width, x + radius);
  const bottom = Math.min(height, y + radius);
  for (let row = Math.max(0, Math.ceil(y - radius)); row < bottom; row++) {
    const dy = row - y;
    for (let column = left; column < right; column++) {
      const at = row * width + column;
      if (isDrawn[at] === 1) continue;
      const dx = column - x;
      const u = cos * dx + sin * dy;
      const v = (cos * dy - sin * dx) / narrow;
      const isInside = isRound ? u * u + v * v < square : Math.abs(u) < side && Math.abs(v) < side;
      if (!isInside) continue;
      data[at] = grey + slopeX * u + slopeY * v + (depth === 0 ? 0 : depth * Math.sin(u * wave));
      isDrawn[at] = 1;
    }
  }
}

/** A photograph, and where the picture is on it. */
export interface Photograph extends Grey {
  readonly homography: Homography;
  readonly corners: readonly (readonly [number, number])[];
}

/** Takes a photograph of a picture. The background and what covers the picture are drawn. */
export async function photograph(
  picture: Grey,
  view: View,
  seed: number,
  frame: { readonly width: number; readonly height: number } = { width: 800, height: 600 },
): Promise<Photograph> {
  const random = generator(seed * 104729 + 7);
  const between = (least: number, most: number) => least + random() * (most - least);
  const { width, height } = frame;
  const homography = look(picture, view, frame, random);
  // Smaller first, so that the warp does not skip pixels.
  const shrink = Math.min(
    1,
    (1.15 * view.scale * Math.max(width, height)) / Math.max(picture.width, picture.height),
  );
  const small = shrink < 1 ? await resize(picture, shrink) : picture;
  const [a, b, c, d, e, f, g, h, i] = invert(homography);
  const background = drawLeaves(seed + 500_000, width, height);
  const data = new Float64Array(width * height);
  const holes = covers(view.cover, random);
  const cover = holes.length === 0 ? background : drawLeaves(seed + 900_000, width, height);
  const [fade, lift] = [between(0.75, 0.86), between(14, 28)];
  const [gain, offset, gamma] = [between(0.6, 1.2), between(-30, 30), between(0.7, 1.4)];
  const [ramp, light] = [between(0, 0.35), between(0, 2 * Math.PI)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // No lists here: this is done for half a million pixels.
      const depth = g * (x + 0.5) + h * (y + 0.5) + i;
      const u = (a * (x + 0.5) + b * (y + 0.5) + c) / depth / picture.width;
      const v = (d * (x + 0.5) + e * (y + 0.5) + f) / depth / picture.height;
      const at = y * width + x;
      if (u < 0 || v < 0 || u >= 1 || v >= 1) data[at] = background.data[at] ?? 0;
      else if (isHidden(holes, u, v)) data[at] = cover.data[at] ?? 0;
      else data[at] = sample(small, u * small.width - 0.5, v * small.height - 0.5) * fade + lift;
    }
  }
  const noise = between(0, 7);
  const blur = random() < 0.6 ? between(0.3, 1.5) : 0;
  const exposure: Exposure = {
    ramp,
    light: [Math.cos(light), Math.sin(light)],
    develop: (lit) => rounded(Math.fround((255 * lit ** gamma - 128) * gain + 128 + offset)),
    blur,
    noise,
  };
  const noisy = await expose({ data, width, height }, exposure, random);
  const jpeg = await sharp(noisy, raw(frame))
    .jpeg({ quality: Math.round(between(30, 80)) })
    .toBuffer();
  const corners = (
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ] as const
  ).map(([u, v]) => project(homography, u * picture.width, v * picture.height));
  return { data: await rawOf(sharp(jpeg)), width, height, homography, corners };
}

/** How light falls on what a camera sees, and what the camera makes of it. */
interface Exposure {
  /** How much darker one side of the frame is than the other. */
  readonly ramp: number;
  /** Where the light comes from. */
  readonly light: readonly [x: number, y: number];
  /** The grey for light from 0 to 1: the more, the lighter. */
  readonly develop: (lit: number) => number;
  readonly blur: number;
  readonly noise: number;
}

/** Powers take a third of the time of a photograph: they are computed only where a step of this size begins and ends differently. */
const STEPS = 4096;

/** The bytes that a camera makes of what it sees. */
export async function expose(
  seen: { readonly data: Float32Array | Float64Array; readonly width: number; readonly height: number },
  { ramp, light, develop, blur, noise }: Exposure,
  random: () => number,
): Promise<Uint8Array> {
  const { data, width, height } = seen;
  const [toRight, toBottom] = light;
  const table = Uint8ClampedArray.from({ length: STEPS + 1 }, (_, step) => develop(step / STEPS));
  const sharpened = new Uint8ClampedArray(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const side = (x / width - 0.5) * toRight + (y / height - 0.5) * toBottom;
      const lit = Math.max(0, Math.min(1, ((data[at] ?? 0) * (1 + ramp * side)) / 255));
      const step = Math.floor(lit * STEPS);
      const least = table[step] ?? 0;
      sharpened[at] = least === table[step + 1] ? least : develop(lit);
    }
  }
  const blurred = blur < 0.3 ? sharpened : await rawOf(sharp(sharpened, raw(seen)).blur(blur));
  return withNoise(blurred, () => noise * (random() + random() + random() - 1.5) * 2);
}

/** Of pixels, of which sharp writes three bytes each: the service takes queries of up to 2 MiB. */
const MOST_UNCOMPRESSED = 650_000;

/** A grey picture as a PNG file, which the service takes. */
export const pngOf = ({ data, width, height }: Grey): Promise<Buffer> =>
  sharp(data, raw({ width, height }))
    .png(data.length < MOST_UNCOMPRESSED ? UNCOMPRESSED : {})
    .toBuffer();

const VIEW = { tilt: 30, scale: 0.7, cover: 0.2 };

/** Drawn pictures and an easy photograph of each, and the PNG files of both. */
export async function photographedPictures() {
  const targets = [1, 2, 3].map((seed) => drawLeaves(seed, 480, 360));
  const photos = await Promise.all(targets.map((target, index) => photograph(target, VIEW, index)));
  const files = await Promise.all(targets.map(pngOf));
  return { targets, photos, files, queries: await Promise.all(photos.map(pngOf)) };
}

/** @throws Error if a list has no item there. */
export const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
};

function sample({ data, width, height }: Grey, x: number, y: number): number {
  const left = Math.max(0, Math.min(width - 2, Math.floor(x)));
  const top = Math.max(0, Math.min(height - 2, Math.floor(y)));
  const u = Math.max(0, Math.min(1, x - left));
  const v = Math.max(0, Math.min(1, y - top));
  const above = top * width + left;
  const below = above + width;
  const upper = (data[above] ?? 0) * (1 - u) + (data[above + 1] ?? 0) * u;
  const lower = (data[below] ?? 0) * (1 - u) + (data[below + 1] ?? 0) * u;
  return upper * (1 - v) + lower * v;
}

async function resize(picture: Grey, factor: number): Promise<Grey> {
  const [width, height] = [Math.round(picture.width * factor), Math.round(picture.height * factor)];
  const data = await rawOf(sharp(picture.data, raw(picture)).resize(width, height, { fit: "fill" }));
  return { data, width, height };
}

const raw = ({ width, height }: { readonly width: number; readonly height: number }) => ({
  raw: { width, height, channels: 1 as const },
});

function withNoise(values: Float32Array | Uint8Array | Uint8ClampedArray, noise: () => number): Uint8Array {
  const all = new Uint8ClampedArray(values.length);
  for (let index = 0; index < values.length; index++) all[index] = rounded((values[index] ?? 0) + noise());
  return new Uint8Array(all.buffer);
}

/** `Math.round` takes longer: no processor foresees which way it goes. */
const rounded = (value: number): number => Math.floor(value + 0.5);

const rawOf = (image: Sharp): Promise<Buffer> => image.toColourspace("b-w").raw().toBuffer();
