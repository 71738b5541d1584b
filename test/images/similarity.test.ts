import { createHash } from "node:crypto";
import fc from "fast-check";
import { createStructuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { PreparedImages } from "../../src/core/images/cache.ts";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { structuralSimilarity } from "../../src/core/images/matching/definition.ts";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import {
  boundScore,
  makeQuery,
  type PreparedImage,
  preparedBytes,
  prepareImage,
  prepareWithSketch,
  scoreImage,
  withQuery,
} from "../../src/core/images/matching/similarity.ts";
import { ALL, times } from "../support/combinations.ts";
import { UNCOMPRESSED } from "../support/png.ts";
import { anyThumbnail, mixed, sceneThumbnail, thumbnails } from "../support/thumbnails.ts";

const prepared = (pixels: Buffer) => {
  const { image, sketch } = prepareWithSketch(pixels);
  return { pixels, image, sketch, query: makeQuery(image) };
};
type Prepared = ReturnType<typeof prepared>;
const entries = Object.entries(thumbnails).map(([name, pixels]) => ({ name, ...prepared(pixels) }));
const exact = (a: Prepared, b: Prepared) => scoreImage(a.query, b.image, -1.1) ?? Number.NaN;

describe("scores of prepared images", () => {
  const step = ALL ? 5 : 10;
  it.each(entries)(
    `are those of image-ssim, for $name with itself and every ${step}th of the others`,
    (entry) => {
      const own = entries.indexOf(entry);
      for (const other of entries.filter((_, index) => (index - own) % step === 0)) {
        expect(exact(entry, other), other.name).toBeCloseTo(
          structuralSimilarity(entry.pixels, other.pixels),
          9,
        );
      }
    },
  );

  it("are returned exactly when above the threshold, however early they are known not to be", () => {
    const pair = fc.tuple(fc.constantFrom(...entries), fc.double({ min: -1, max: 1, noNaN: true }));
    fc.assert(
      fc.property(pair, ([entry, threshold]) => {
        for (const other of entries) {
          const score = exact(entry, other);
          expect(scoreImage(entry.query, other.image, threshold)).toBe(score > threshold ? score : null);
        }
      }),
    );
  });

  it("are returned for a threshold just below them, not for their own value", () => {
    const { image } = prepareWithSketch(sceneThumbnail(3));
    for (const { query } of entries) {
      const score = scoreImage(query, image, -1.1) ?? Number.NaN;
      expect(scoreImage(query, image, score)).toBeNull();
      expect(scoreImage(query, image, score - 1e-12)).toBe(score);
    }
  });

  it("are those of a query that is made again, which is the same as long as no other is compared", () => {
    const [first, second] = entries.map(({ image }) => image);
    if (first === undefined || second === undefined) throw new Error("expected two images");
    const query = makeQuery(first);
    expect(makeQuery(first)).toBe(query);
    makeQuery(second);
    expect(makeQuery(first)).not.toBe(query);
    expect(makeQuery(first)).toEqual(query);
  });

  it("do not depend on what was compared in between", () => {
    const [a, b, c] = [prepared(sceneThumbnail(4)), prepared(sceneThumbnail(5)), prepared(sceneThumbnail(6))];
    const alone = [
      exact(a, c),
      boundScore(a.query, c.sketch, -1),
      exact(b, c),
      boundScore(b.query, c.sketch, -1),
    ];
    expect([
      exact(a, c),
      exact(b, c),
      boundScore(b.query, c.sketch, -1),
      boundScore(a.query, c.sketch, -1),
    ]).toEqual([alone[0], alone[2], alone[3], alone[1]]);
  });
});

describe("a sketch", () => {
  it("takes 22,464 bytes, a third when grey; a prepared image 232,974", () => {
    const [scene, grey] = [
      prepareWithSketch(sceneThumbnail(1)),
      prepareWithSketch(thumbnails.grey ?? Buffer.alloc(0)),
    ];
    expect([scene.sketch.codes.length, grey.sketch.codes.length]).toEqual([22_464, 7488]);
    expect([preparedBytes(scene.image), preparedBytes(grey.image)]).toEqual([232_974, 77_658]);
  });

  it("bounds the score with every other image, the most extreme included", () => {
    for (const a of entries) {
      for (const b of entries) {
        expect(boundScore(a.query, b.sketch, -1), `${a.name}, ${b.name}`).toBeGreaterThanOrEqual(exact(a, b));
      }
    }
  });

  it("bounds the score of any two images, and rejects only scores below the threshold", () => {
    fc.assert(
      fc.property(
        anyThumbnail,
        anyThumbnail,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (first, second, part) => {
          const [a, b] = [prepared(first), prepared(mixed(first, second, part))];
          const score = exact(a, b);
          const bound = boundScore(a.query, b.sketch, -1);
          expect(bound).toBeGreaterThanOrEqual(score);
          for (const threshold of [part, score, 0.6]) {
            const cut = boundScore(a.query, b.sketch, threshold);
            if (bound >= threshold) expect(cut).toBe(bound);
            else expect(cut).toBeLessThan(threshold);
          }
        },
      ),
      { numRuns: times(30, 10) },
    );
  });

  it("rejects most other images, and closely bounds similar ones", () => {
    const scenes = Array.from({ length: 12 }, (_, seed) => prepared(sceneThumbnail(seed + 10)));
    const pairs = scenes.flatMap((a, index) => scenes.slice(index + 1).map((b) => [a, b] as const));
    const near = pairs.filter(([a, b]) => boundScore(a.query, b.sketch, 0.6) >= 0.6);
    expect(near.length / pairs.length).toBeLessThan(0.02);
    for (const { query, sketch } of scenes) expect(boundScore(query, sketch, 0.6)).toBeLessThan(1.05);
  });
});

describe("a ranking by sketches", () => {
  const families = [1, 2, 3, 4].map(sceneThumbnail);
  /** Altered copies of four scenes, more or less alike, and some of them twice. */
  const pool = Array.from({ length: 48 }, (_, index) => {
    const [own, other] = [families[index % 4], families[(index + 1) % 4]];
    return mixed(own ?? Buffer.alloc(0), other ?? Buffer.alloc(0), Math.floor(index / 8) / 6);
  });
  const encoded = Promise.all(
    pool.map(async (pixels) => ({
      pixels,
      png: await sharp(pixels, { raw: { width: 256, height: 256, channels: 3 } })
        .png(UNCOMPRESSED)
        .toBuffer(),
    })),
  );
  const target = (bytes: Buffer, index: number): ComparedTarget => ({
    targetId: String(index),
    name: String(index),
    applicationMetadata: null,
    image: { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: () => bytes },
  });

  it("finds the same targets, scores and order as comparing all: for the best few, or for all", async () => {
    const images = await encoded;
    const targets = images.map(({ png }, index) => target(png, index));
    const all = images.map(({ pixels }) => prepared(pixels));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(images.length - 1),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.constantFrom(1, 3, 10, Number.POSITIVE_INFINITY),
        fc.subarray(targets, { minLength: 1 }),
        async (which, threshold, most, chosen) => {
          const [image, query] = [images[which], all[which]];
          if (!image || !query) throw new Error("no image");
          const expected = chosen
            .map((each) => {
              const other = all[Number(each.targetId)];
              return { target: each, score: other ? exact(query, other) : Number.NaN };
            })
            .filter(({ score }) => score > threshold)
            .sort((a, b) => b.score - a.score);
          const matcher = createStructuralSimilarityMatcher({ threshold });
          const { matches, notCompared, unmatched } = await rankTargets(matcher, image.png, chosen, most);
          const found = matches.map(({ target: each, score }) => ({ target: each, score }));
          expect(found.slice(0, most)).toEqual(expected.slice(0, most));
          if (most === Number.POSITIVE_INFINITY) expect(notCompared).toEqual([]);
          const every = [...matches.map((match) => match.target), ...notCompared, ...unmatched];
          expect(new Set(every)).toEqual(new Set(chosen));
          expect(every).toHaveLength(chosen.length);
        },
      ),
      { numRuns: times(25, 8) },
    );
  });

  it("does not compare targets that cannot be among the best", async () => {
    const images = await encoded;
    const targets = images.map(({ png }, index) => target(png, index));
    const [first] = images;
    if (!first) throw new Error("no image");
    const matcher = createStructuralSimilarityMatcher({ threshold: 0.1 });
    const few = await rankTargets(matcher, first.png, targets, 1);
    expect(few.notCompared.length).toBeGreaterThan(0);
    const all = await rankTargets(matcher, first.png, targets);
    expect(all.matches.length).toBeGreaterThan(few.matches.length);
  });
});

it("a query's picture leaves its memory to a later query once 64 others were compared, unless a search or a target has it", async () => {
  const cache = new PreparedImages(Number.POSITIVE_INFINITY);
  const coloured = (seed: number) => Buffer.alloc(3 * 256 ** 2, `picture ${seed}`);
  const own = new Map<string, PreparedImage>();
  const found = (name: string, of: "query" | "target") =>
    cache.find(
      name,
      async () => {
        const made = prepareImage(coloured(own.size));
        own.set(name, made);
        return made;
      },
      of,
    );
  const [searched] = await Promise.all([
    found("searched", "query"),
    found("both", "query"),
    found("both", "target"),
  ]);
  if (searched === null) throw new Error("it is prepared");
  await withQuery(searched, async () => {
    for (let number = 0; number < 70; number += 1) await found(`${number}`, "query");
  });
  const pixelsOf = (name: string) => own.get(name)?.pixels ?? new Uint8Array();
  expect(pixelsOf("65") === pixelsOf("0")).toBe(true);
  expect(new Set([...own.values()].map(({ pixels }) => pixels)).size).toBe(72 - 5);
  const made = ["searched", "both"].map((_, seed) => prepareImage(coloured(seed)).pixels);
  expect(made.map((pixels, at) => Buffer.compare(pixels, pixelsOf(at === 0 ? "searched" : "both")))).toEqual([
    0, 0,
  ]);
});
