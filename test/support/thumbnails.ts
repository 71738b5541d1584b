import fc from "fast-check";
import { scenePixels } from "./scenes.ts";

const SIDE = 256;
const BYTES = SIDE * SIDE * 3;

/** The RGB bytes of a 256x256 image, from a function that returns each byte. */
export const thumbnail = (value: (index: number) => number): Buffer => {
  const pixels = Buffer.alloc(BYTES);
  for (let index = 0; index < BYTES; index++) pixels[index] = value(index);
  return pixels;
};
const grey = (value: (pixel: number) => number) => thumbnail((index) => value(Math.floor(index / 3)));
const hashed = (index: number) => Math.imul(index + 1, 2654435761) >>> 24;
export const sceneThumbnail = (seed: number): Buffer => scenePixels(seed, SIDE, SIDE);
export const mixed = (a: Buffer, b: Buffer, part: number): Buffer =>
  thumbnail((index) => (a[index] ?? 0) * (1 - part) + (b[index] ?? 0) * part);

/** Thumbnails of different kinds, including the most extreme ones. */
export const thumbnails: Readonly<Record<string, Buffer>> = {
  black: thumbnail(() => 0),
  white: thumbnail(() => 255),
  "nearly black": thumbnail((index) => Number(index % 7 === 0)),
  grey: grey((pixel) => pixel % 251),
  "grey noise": grey(hashed),
  noise: thumbnail(hashed),
  "faint noise": thumbnail((index) => 128 + (hashed(index) & 1)),
  "black and white noise": thumbnail((index) => (hashed(index) & 1) * 255),
  "one red pixel in the corner": thumbnail((index) => (index === BYTES - 3 ? 255 : 0)),
  stripes: thumbnail((index) => (Math.floor(index / 3) % 2 ? 255 : 0)),
  "inverse stripes": thumbnail((index) => (Math.floor(index / 3) % 2 ? 0 : 255)),
  "windows' halves": grey((pixel) => (Math.floor((pixel % SIDE) / 3) % 2 ? 255 : 0)),
  "windows' other halves": grey((pixel) => (Math.floor((pixel % SIDE) / 3) % 2 ? 0 : 255)),
  checkerboard: grey((pixel) => ((Math.floor(pixel / SIDE) + pixel) % 2 ? 255 : 0)),
  ramp: grey((pixel) => pixel % SIDE),
  "steep ramp": grey((pixel) => ((pixel % SIDE) * 51) % 256),
  scene: sceneThumbnail(1),
  "other scene": sceneThumbnail(2),
  "scene with a fifth of the other": mixed(sceneThumbnail(1), sceneThumbnail(2), 0.2),
  "darker scene": mixed(sceneThumbnail(1), Buffer.alloc(BYTES), 0.3),
  "dark scene": mixed(sceneThumbnail(1), Buffer.alloc(BYTES), 0.97),
};

/** Arbitrary images: noise of any strength and cell size around any colour, mixed with any thumbnail above. */
export const anyThumbnail: fc.Arbitrary<Buffer> = fc
  .record({
    base: fc.constantFrom(...Object.values(thumbnails)),
    part: fc.constantFrom(0, 0.02, 0.1, 0.5, 0.9, 1),
    seed: fc.integer(),
    cell: fc.constantFrom(1, 2, 3, 6, 16, 64),
    level: fc.nat(255),
    spread: fc.constantFrom(0, 1, 2, 8, 40, 127, 255),
    isGrey: fc.boolean(),
  })
  .map(({ base, part, seed, cell, level, spread, isGrey }) =>
    thumbnail((index) => {
      const pixel = Math.floor(index / 3);
      const [x, y] = [Math.floor((pixel % SIDE) / cell), Math.floor(pixel / SIDE / cell)];
      const plane = isGrey ? 0 : index % 3;
      const noise = Math.imul(
        Math.imul(x + 1, 73856093) ^ Math.imul(y + 1, 19349663) ^ (plane * 83492791 + seed),
        2654435761,
      );
      const value = level + ((noise >>> 24) / 255 - 0.5) * 2 * spread;
      const own = Math.max(0, Math.min(255, value));
      return own * (1 - part) + (base[isGrey ? pixel * 3 : index] ?? 0) * part;
    }),
  );
