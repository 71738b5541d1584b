import { readFileSync } from "node:fs";
import { brisqueRater, perfectRater, structuralSimilarityMatcher } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assessImage } from "../../src/images/assess.ts";
import { imageCacheUse, remembered, setImageCacheBytes } from "../../src/images/cache.ts";
import { inspectTargetImage } from "../../src/images/inspect.ts";
import { scoreCandidates } from "../../src/images/score.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { candidate } from "../support/scenes.ts";

const initial = imageCacheUse().maxBytes;
const clear = () => {
  setImageCacheBytes(0);
  setImageCacheBytes(initial);
};
beforeEach(clear);
afterEach(clear);

const numbered = (number: number) => makePng({ fill: (index) => noiseByte(index + number * 7919) });
/** Counts how often a target's bytes are asked for, which is how often it is prepared. */
const counted = (bytes: Buffer) => {
  const calls = { asked: 0 };
  return {
    calls,
    ...candidate(bytes),
    bytes: () => {
      calls.asked += 1;
      return bytes;
    },
  };
};
const FEATURES = 232_974;
const ENTRY = 500;

describe("the cache of images", () => {
  it("prepares an image once, however many queries ask for it at the same time", async () => {
    const targets = [counted(numbered(1)), counted(numbered(2))];
    const queries = [1, 2, 3, 4].map((number) =>
      scoreCandidates(structuralSimilarityMatcher, numbered(number), targets),
    );
    const scores = await Promise.all(queries);
    expect(scores.map((row) => row.map((score) => score !== null))).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, false],
    ]);
    expect(targets.map(({ calls }) => calls.asked)).toEqual([0, 0]); // the queries had the same bytes
    const fresh = [counted(numbered(5)), counted(numbered(6))];
    await Promise.all(
      [1, 2, 3].map((number) => scoreCandidates(structuralSimilarityMatcher, numbered(number), fresh)),
    );
    expect(fresh.map(({ calls }) => calls.asked)).toEqual([1, 1]);
  });

  it("is bounded in bytes, drops what was not used for longest, and prepares that again", async () => {
    setImageCacheBytes(3 * (FEATURES + ENTRY));
    const [first, second, third] = [counted(numbered(1)), counted(numbered(2)), counted(numbered(3))];
    const query = numbered(0);
    const score = (...targets: (typeof first)[]) =>
      scoreCandidates(structuralSimilarityMatcher, query, targets);
    await score(first);
    await score(second);
    await score(first);
    await score(third);
    expect(imageCacheUse()).toEqual({
      images: 3,
      bytes: 3 * (FEATURES + ENTRY),
      maxBytes: 3 * (FEATURES + ENTRY),
    });
    await score(first);
    expect(first.calls.asked).toBe(1);
    await score(second);
    expect(second.calls.asked).toBe(2);
  });

  it("uses what it holds of more targets than fit", async () => {
    setImageCacheBytes(11 * (FEATURES + ENTRY));
    const targets = Array.from({ length: 20 }, (_, number) => counted(numbered(number + 1)));
    const asked = () => targets.reduce((total, { calls }) => total + calls.asked, 0);
    await scoreCandidates(structuralSimilarityMatcher, numbered(0), targets);
    expect(asked()).toBe(20);
    await scoreCandidates(structuralSimilarityMatcher, numbered(0), targets);
    expect(asked()).toBeLessThan(35); // a least-recently-used cache read in order would have none of them: 40
  });

  it("keeps nothing, and everything works, when nothing fits", async () => {
    setImageCacheBytes(0);
    const png = numbered(1);
    expect(await inspectTargetImage(png)).toMatchObject({ ok: true });
    expect(await assessImage(png, perfectRater)).toEqual({ outcome: "success", rating: 5 });
    const [score] = await scoreCandidates(structuralSimilarityMatcher, png, [candidate(png)]);
    expect(score).toBeCloseTo(1, 9);
    expect(imageCacheUse()).toEqual({ images: 0, bytes: 0, maxBytes: 0 });
  });

  it("keeps a decoded image from its inspection until it has been rated, and no longer", async () => {
    const file = readFileSync(new URL("./reference/face_q75.jpg", import.meta.url));
    await inspectTargetImage(file);
    expect(imageCacheUse().bytes).toBe(512 * 512 + ENTRY);
    expect(await assessImage(file, brisqueRater)).toEqual({ outcome: "success", rating: 4 });
    expect(imageCacheUse().bytes).toBe(ENTRY);
    expect(await assessImage(file, brisqueRater)).toEqual({ outcome: "success", rating: 4 });
    expect(imageCacheUse().bytes).toBe(ENTRY);
  });

  it("does not keep a failure, and lets all who wait for it fail", async () => {
    const failing = () => remembered("deviation", "hash", () => Promise.reject(new Error("no")));
    expect(await Promise.allSettled([failing(), failing()])).toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ]);
    expect(await remembered("deviation", "hash", async () => 3)).toBe(3);
  });

  it("is one for all copies of the package in the process", async () => {
    const slot: unknown = Reflect.get(globalThis, Symbol.for("mock-cloud-reco.image-cache.1"));
    await inspectTargetImage(numbered(1));
    expect(slot).toMatchObject({ bytes: imageCacheUse().bytes });
    expect(imageCacheUse().images).toBe(1);
  });

  it.each([-1, Number.NaN])("refuses the bound %s", (bytes) => {
    expect(() => setImageCacheBytes(bytes)).toThrow(
      new RangeError(`imageCacheBytes is ${bytes}; accepted is a number of bytes, at least 0`),
    );
  });
});
