import fc from "fast-check";
import { expect, it } from "vitest";
import { boundScore, makeQuery, prepareWithSketch, scoreImage } from "../../src/images/similarity.ts";
import { anyThumbnail, mixed, sceneThumbnail, thumbnails } from "../support/thumbnails.ts";

const IMAGES = 317;

it("bounds by sketches are at least the scores of 100,000 pairs of images, the most extreme among them", () => {
  const scenes = Array.from({ length: 40 }, (_, seed) => sceneThumbnail(seed));
  const alike = scenes.flatMap((scene, index) =>
    [0.05, 0.3].map((part) => mixed(scene, scenes[(index + 1) % scenes.length] ?? scene, part)),
  );
  const given = [...Object.values(thumbnails), ...scenes, ...alike];
  const images = [...given, ...fc.sample(anyThumbnail, IMAGES - given.length)].map((pixels) =>
    prepareWithSketch(pixels),
  );
  let pairs = 0;
  const unsound: { a: number; b: number; score: number; bound: number }[] = [];
  for (const [a, { image: own }] of images.entries()) {
    const query = makeQuery(own);
    for (const [b, { image, sketch }] of images.entries()) {
      const score = scoreImage(query, image, -1.1) ?? Number.NaN;
      const bound = boundScore(query, sketch, -1.1);
      if (!(bound >= score)) unsound.push({ a, b, score, bound });
      pairs += 1;
    }
  }
  expect(unsound).toEqual([]);
  expect(pairs).toBeGreaterThan(100_000);
}, 600_000);
