import { createStructuralSimilarityMatcher } from "mock-cloud-reco";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { times } from "../support/combinations.ts";
import { UNCOMPRESSED } from "../support/png.ts";
import { candidate, scene, scoresOf } from "../support/scenes.ts";

const SCENES = times(30, 12);
const [WIDTH, HEIGHT] = [320, 240];

const scaled = (factor: number) => (image: Sharp) =>
  image.resize(WIDTH * factor, HEIGHT * factor, { fit: "fill" }).png(UNCOMPRESSED);

const alterations: Record<string, (image: Sharp) => Sharp> = {
  "JPEG quality 95": (image) => image.jpeg({ quality: 95 }),
  "JPEG quality 50": (image) => image.jpeg({ quality: 50 }),
  "JPEG quality 20": (image) => image.jpeg({ quality: 20 }),
  "JPEG quality 5": (image) => image.jpeg({ quality: 5 }),
  "a quarter of the size": scaled(0.25),
  "half the size": scaled(0.5),
  "twice the size": scaled(2),
  "brighter by a third": (image) => image.modulate({ brightness: 1.3 }).png(UNCOMPRESSED),
  "darker by a third": (image) => image.modulate({ brightness: 0.7 }).png(UNCOMPRESSED),
  "light blur": (image) => image.blur(0.8).png(UNCOMPRESSED),
};

describe("matching by structural similarity", () => {
  const everyScore = createStructuralSimilarityMatcher({ threshold: -1 });
  const strangers: number[] = [];
  const copies = new Map<string, number[]>();

  beforeAll(async () => {
    const scenes = await Promise.all(Array.from({ length: SCENES }, (_, seed) => scene(seed, WIDTH, HEIGHT)));
    const targets = scenes.map((image) => candidate(image));
    for (const [index, image] of scenes.entries()) {
      const scores = await scoresOf(everyScore, image, targets.slice(index + 1));
      strangers.push(...scores.map(Number));
    }
    for (const [name, alter] of Object.entries(alterations)) {
      const altered = await Promise.all(scenes.map((image) => alter(sharp(image)).toBuffer()));
      const scores = await Promise.all(
        altered.map((copy, index) => scoresOf(everyScore, copy, targets.slice(index, index + 1))),
      );
      copies.set(name, scores.flat().map(Number));
    }
  }, 120_000);

  const share = (scores: number[], threshold: number) =>
    scores.filter((score) => score > threshold).length / scores.length;

  // From 72,000 pairs of different photographs, and 5,700 of one photograph altered.
  it.each([
    [0.4, 0.21, 0.98],
    [0.5, 0.11, 0.95],
    [0.6, 0.05, 0.92],
    [0.7, 0.02, 0.83],
  ])(
    "above %f, takes at most %f of different scenes for the same, and knows %f of altered copies",
    (threshold, mistaken, known) => {
      expect(strangers).toHaveLength((SCENES * (SCENES - 1)) / 2);
      expect(share(strangers, threshold)).toBeLessThanOrEqual(mistaken);
      expect(share([...copies.values()].flat(), threshold)).toBeGreaterThanOrEqual(known);
    },
  );

  it.each(Object.keys(alterations))("by default matches at least 92%% of copies altered by: %s", (name) => {
    const scores = copies.get(name) ?? [];
    expect(scores).toHaveLength(SCENES);
    expect(share(scores, 0.6)).toBeGreaterThanOrEqual(0.92);
  });
});
