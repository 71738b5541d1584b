import fc from "fast-check";
import {
  createStructuralSimilarityMatcher,
  exactMatcher,
  InvalidOptionError,
  mappingMatcher,
  samplePicture,
  structuralSimilarityMatcher,
} from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { makePng } from "../support/png.ts";
import { candidate, recolour, scene, scoresOf } from "../support/scenes.ts";

describe("exactMatcher", () => {
  it("scores equal bytes 1, and does not match others", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(exactMatcher(Buffer.from(a), Buffer.from(a))).toBe(1);
        const equal = Buffer.from(a).equals(Buffer.from(b));
        expect(exactMatcher(Buffer.from(a), Buffer.from(b))).toBe(equal ? 1 : null);
      }),
    );
  });
});

describe("structuralSimilarityMatcher", () => {
  it("scores an image 1 with itself, in whatever encoding", async () => {
    const png = await scene(1);
    const again = await sharp(png).png({ compressionLevel: 1 }).toBuffer();
    expect(await structuralSimilarityMatcher(png, png)).toBeCloseTo(1, 9);
    expect(await structuralSimilarityMatcher(png, again)).toBeCloseTo(1, 9);
  });

  it("scores an altered copy between the threshold and 1, and another scene not at all", async () => {
    const png = await scene(1);
    const score = await structuralSimilarityMatcher(png, await sharp(png).jpeg({ quality: 40 }).toBuffer());
    expect(score).toBeGreaterThan(0.6);
    expect(score).toBeLessThan(1);
    expect(await structuralSimilarityMatcher(png, await scene(2))).toBeNull();
  });

  it("takes colour into account: scores are of the R, G and B planes", async () => {
    const png = await scene(1);
    const low = createStructuralSimilarityMatcher({ threshold: -1 });
    const score = await low(png, await recolour(png));
    expect(score).toBeLessThan(0.9);
  });

  it("takes another threshold, and scores above it only", async () => {
    const [a, b] = [await scene(1), await scene(2)];
    const score = await createStructuralSimilarityMatcher({ threshold: -1 })(a, b);
    if (typeof score !== "number") throw new Error("no score");
    expect(await createStructuralSimilarityMatcher({ threshold: score })(a, b)).toBeNull();
    expect(await createStructuralSimilarityMatcher({ threshold: score - 1e-9 })(a, b)).toBe(score);
  });

  it("matches nothing with an image that cannot be decoded", async () => {
    expect(await structuralSimilarityMatcher(makePng(), Buffer.from("hello"))).toBeNull();
    expect(await structuralSimilarityMatcher(Buffer.alloc(0), makePng())).toBeNull();
  });

  it.each([2, -1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses the threshold %s", (threshold) => {
    expect(() => createStructuralSimilarityMatcher({ threshold })).toThrow(
      new InvalidOptionError("options.threshold", String(threshold), "a number from -1 to 1"),
    );
  });

  it.each([
    [
      "an unknown name",
      { treshold: 0.4 },
      "Invalid options.treshold: expected threshold; got an unknown name.",
    ],
    ["text", { threshold: "0.4" }, 'Invalid options.threshold: expected a number from -1 to 1; got "0.4".'],
    ["no object", 0.4, "Invalid options: expected an object; got 0.4."],
    ["null", null, "Invalid options: expected an object; got null."],
  ])("refuses %s", (_, options, message) => {
    expect(() => createStructuralSimilarityMatcher(options as object)).toThrow(message);
  });
});

describe("mappingMatcher", () => {
  const [one, two] = [Buffer.from("one"), Buffer.from("two")];
  const target = { targetId: "1".repeat(32), name: "label", applicationMetadata: null };

  it("matches chosen images with chosen targets, by id or name, with the chosen scores", () => {
    const match = mappingMatcher([
      { image: one, target: "label", score: 0.9 },
      { image: two, target: target.targetId },
      { image: two, target: "other", score: 3 },
    ]);
    expect(match(one, two, target)).toBe(0.9);
    expect(match(two, one, target)).toBe(1);
    expect(match(Buffer.from("three"), one, target)).toBeUndefined();
    expect(match(two, two, { ...target, targetId: "2", name: "other" })).toBe(3);
    expect(match(one, two)).toBeUndefined();
  });

  it("refuses a score that is not a finite number, naming it", () => {
    expect(() => mappingMatcher([{ image: one, target: "a", score: Number.NaN }])).toThrow(
      new InvalidOptionError("pairs[0].score", "NaN", "a finite number"),
    );
  });

  it("refuses a picture that is not awaited", () => {
    expect(() => mappingMatcher([{ image: samplePicture(1) as never, target: "a" }])).toThrow(
      new InvalidOptionError("pairs[0].image", "a Promise: await it", "bytes (Uint8Array)"),
    );
  });
});

describe("rankTargets", () => {
  it("scores the targets that match", async () => {
    const [a, b] = [await scene(1), await scene(2)];
    const jpeg = await sharp(a).jpeg({ quality: 90 }).toBuffer();
    const candidates = [a, b, jpeg, Buffer.from("hello")].map((bytes) => candidate(bytes));
    const scores = await scoresOf(structuralSimilarityMatcher, a, candidates);
    expect(scores).toEqual([
      expect.closeTo(1, 9),
      null,
      expect.closeTo((await structuralSimilarityMatcher(a, jpeg)) ?? Number.NaN, 6),
      null,
    ]);
    expect(await scoresOf(exactMatcher, a, candidates)).toEqual([1, null, null, null]);
    expect(await scoresOf(exactMatcher, a, [])).toEqual([]);
  });

  it("compares exactly without reading any bytes", async () => {
    const bytes = () => {
      throw new Error("asked");
    };
    const known = candidate(Buffer.from("a"));
    const asked = { ...known, image: { ...known.image, bytes } };
    expect(await scoresOf(exactMatcher, Buffer.from("a"), [asked])).toEqual([1]);
  });

  it("calls a user's matcher with the query, the target's image and the target", async () => {
    const calls: unknown[][] = [];
    const candidates = [candidate(Buffer.from("a"), "x"), candidate(Buffer.from("b"), "y")];
    const matcher = async (...args: unknown[]) => {
      calls.push(args);
      return calls.length === 1 ? undefined : -4;
    };
    const query = Buffer.from("q");
    expect(await scoresOf(matcher, query, candidates)).toEqual([null, -4]);
    expect(calls).toEqual([
      [query, Buffer.from("a"), { targetId: "x", name: "name-x", applicationMetadata: null }],
      [query, Buffer.from("b"), { targetId: "y", name: "name-y", applicationMetadata: null }],
    ]);
  });

  it.each([
    [true, "true (boolean)"],
    [false, "false (boolean)"],
    [Number.NaN, "NaN (number)"],
    [Number.POSITIVE_INFINITY, "Infinity (number)"],
    ["0.9", '"0.9"'],
    [{}, "[object Object] (object)"],
    [1n, "1 (bigint)"],
  ])("refuses a matcher's %s", async (value, shown) => {
    // The type does not restrict users' JavaScript.
    const untyped: { matcher(): never } = JSON.parse("{}");
    Object.assign(untyped, { matcher: () => value });
    await expect(scoresOf(untyped.matcher, Buffer.from("q"), [candidate(Buffer.from("a"))])).rejects.toThrow(
      new TypeError(
        `the image matcher: expected a finite number for a match, or null or undefined for none; got ${shown}`,
      ),
    );
  });

  it("passes on what a matcher throws", async () => {
    const failure = new Error("mine");
    const matcher = () => Promise.reject(failure);
    await expect(scoresOf(matcher, Buffer.from("q"), [candidate(Buffer.from("a"))])).rejects.toBe(failure);
  });
});
