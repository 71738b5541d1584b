import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { featureBytes, prepareFeatures } from "../../src/images/similarity-features.ts";
import { scoreFeatures } from "../../src/images/similarity-kernel.ts";
import { structuralSimilarity } from "../../src/images/structural-similarity.ts";
import { scenePixels } from "../support/scenes.ts";

const SIDE = 256;

/** A thumbnail, from a value for each of its bytes. */
const thumbnail = (value: (index: number) => number) =>
  Buffer.from(Array.from({ length: SIDE * SIDE * 3 }, (_, index) => value(index)));
const grey = (value: (pixel: number) => number) => thumbnail((index) => value(Math.floor(index / 3)));
const scene = (seed: number) => scenePixels(seed, SIDE, SIDE);
const mixed = (a: Buffer, b: Buffer, part: number) =>
  thumbnail((index) => (a[index] ?? 0) * (1 - part) + (b[index] ?? 0) * part);

const thumbnails = {
  black: thumbnail(() => 0),
  white: thumbnail(() => 255),
  grey: grey((pixel) => pixel % 251),
  "grey noise": grey((pixel) => Math.imul(pixel + 1, 2654435761) >>> 24),
  noise: thumbnail((index) => Math.imul(index + 1, 2654435761) >>> 24),
  "one red pixel in the corner": thumbnail((index) => (index === (SIDE * SIDE - 1) * 3 ? 255 : 0)),
  stripes: thumbnail((index) => (Math.floor(index / 3) % 2 ? 255 : 0)),
  "inverse stripes": thumbnail((index) => (Math.floor(index / 3) % 2 ? 0 : 255)),
  scene: scene(1),
  "other scene": scene(2),
  "scene with a fifth of the other": mixed(scene(1), scene(2), 0.2),
  "darker scene": mixed(scene(1), Buffer.alloc(SIDE * SIDE * 3), 0.3),
};
const names = Object.keys(thumbnails);
const entries = Object.entries(thumbnails).map(([name, pixels]) => ({
  name,
  pixels,
  features: prepareFeatures(pixels),
}));

describe("scores of prepared images", () => {
  it.each(entries)("are those of image-ssim, for $name with all others", ({ pixels, features }) => {
    const scores = scoreFeatures(
      features,
      entries.map((entry) => entry.features),
      -1,
    );
    const defined = entries.map((entry) => structuralSimilarity(pixels, entry.pixels));
    // Opposite stripes reach almost -1, which is not above the threshold of -1.
    defined.forEach((score, index) => {
      expect(scores[index], names[index]).toBeCloseTo(score, 9);
    });
  });

  it("are given exactly when above the threshold, however early it shows that they are not", () => {
    const all = entries.map((entry) => entry.features);
    const pair = fc.tuple(fc.constantFrom(...entries), fc.double({ min: -1, max: 1, noNaN: true }));
    fc.assert(
      fc.property(pair, ([query, threshold]) => {
        const every = scoreFeatures(query.features, all, -1);
        const expected = every.map((score) => (score !== null && score > threshold ? score : null));
        expect(scoreFeatures(query.features, all, threshold)).toEqual(expected);
      }),
    );
  });

  it("are given just below and not at their own value", () => {
    const image = [prepareFeatures(scene(3))];
    for (const { features } of entries) {
      const score = scoreFeatures(features, image, -1)[0] ?? Number.NaN;
      expect(scoreFeatures(features, image, score)).toEqual([null]);
      expect(scoreFeatures(features, image, score - 1e-12)).toEqual([score]);
    }
  });

  it("are null for what could not be decoded", () => {
    expect(scoreFeatures(prepareFeatures(scene(1)), [null], -1)).toEqual([null]);
  });
});

describe("a prepared image", () => {
  it("takes at most 250 kB, a third when grey", () => {
    expect(featureBytes(prepareFeatures(thumbnails.scene))).toBe(232_974);
    expect(featureBytes(prepareFeatures(thumbnails.grey))).toBe(77_658);
  });
});
