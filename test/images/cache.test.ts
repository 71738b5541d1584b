import { readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import {
  brisqueRater,
  createStructuralSimilarityMatcher,
  MockCloudReco,
  perfectRater,
  structuralSimilarityMatcher,
} from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inBackground } from "../../src/core/general/scheduling.ts";
import { ImageMemo, PreparedImages, preparedImages } from "../../src/core/images/cache.ts";
import { setImageCacheBytes } from "../../src/core/images/cache-limit.ts";
import { inspectTargetImage } from "../../src/core/images/inspect.ts";
import { rankTargets, sketches } from "../../src/core/images/matching/ranking.ts";
import { preparedBytes, prepareImage } from "../../src/core/images/matching/similarity.ts";
import { assessImage } from "../../src/core/images/on-demand.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { candidate, scene, scoresOf } from "../support/scenes.ts";
import { sceneThumbnail } from "../support/thumbnails.ts";

const initial = preparedImages.use.maxBytes;
const clear = () => {
  setImageCacheBytes(0);
  setImageCacheBytes(initial);
  sketches.clear();
};
beforeEach(async () => {
  // Those of other files in this worker would put their images into the cache.
  await new Promise<void>((resolve) => inBackground(async () => resolve()));
  clear();
});
afterEach(clear);

const numbered = (number: number) => makePng({ fill: (index) => noiseByte(index + number * 7919) });
/** Counts how often a target's bytes are read, which is how often it is prepared. */
const counted = (bytes: Buffer) => {
  const calls = { asked: 0 };
  const known = candidate(bytes);
  const image = {
    ...known.image,
    bytes: () => {
      calls.asked += 1;
      return bytes;
    },
  };
  return { calls, ...known, image };
};
const PREPARED = 232_974;
/** Compares every pixel, regardless of sketches. */
const everyScore = createStructuralSimilarityMatcher({ threshold: -1 });

describe("a query with the only picture that there is", () => {
  it.each([
    [1, structuralSimilarityMatcher, 1],
    [3, structuralSimilarityMatcher, 1],
    [1, createStructuralSimilarityMatcher({ threshold: 1 }), null],
  ])("compares no pixels with %s targets, and gets the same score", async (copies, matcher, score) => {
    const bytes = numbered(100 + copies + Number(score));
    const targets = Array.from({ length: copies }, () => candidate(bytes));
    const scores = () => scoresOf(matcher, bytes, targets);
    expect(await scores()).toEqual(targets.map(() => score));
    clear();
    await inspectTargetImage(bytes);
    expect(await scores()).toEqual(targets.map(() => score));
    expect(preparedImages.use.images).toBe(score === null ? 1 : 0);
  });

  it("finds nothing if the picture does not decode", async () => {
    const bytes = numbered(120).subarray(0, 40);
    await inspectTargetImage(bytes);
    expect(await scoresOf(structuralSimilarityMatcher, bytes, [candidate(bytes)])).toEqual([null]);
  });
});

describe("an image prepared for comparisons", () => {
  it("is prepared once for concurrent queries", async () => {
    const targets = [counted(numbered(1)), counted(numbered(2))];
    const queries = [1, 2, 3, 4].map((number) =>
      scoresOf(structuralSimilarityMatcher, numbered(number), targets),
    );
    const scores = await Promise.all(queries);
    expect(scores.map((row) => row.map((score) => score !== null))).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, false],
    ]);
    expect(targets.map(({ calls }) => calls.asked)).toEqual([1, 1]);
  });

  it("is only a sketch, as long as the target lives, when nothing else fits", async () => {
    setImageCacheBytes(0);
    const targets = [1, 2, 3].map((number) => counted(numbered(number)));
    await scoresOf(structuralSimilarityMatcher, numbered(4), targets);
    sketches.clear();
    await scoresOf(structuralSimilarityMatcher, numbered(5), targets);
    expect(targets.map(({ calls }) => calls.asked)).toEqual([1, 1, 1]);
    expect(preparedImages.use).toEqual({ images: 0, bytes: 0, maxBytes: 0 });
    expect(await scoresOf(structuralSimilarityMatcher, numbered(2), targets)).toEqual([
      null,
      expect.closeTo(1, 9),
      null,
    ]);
  });

  it("is limited in bytes", async () => {
    setImageCacheBytes(3 * PREPARED);
    const targets = [1, 2, 3, 4, 5].map((number) => counted(numbered(number)));
    await scoresOf(everyScore, numbered(0), targets);
    expect(preparedImages.use).toEqual({ images: 3, bytes: 3 * PREPARED, maxBytes: 3 * PREPARED });
    setImageCacheBytes(PREPARED);
    expect(preparedImages.use).toEqual({ images: 1, bytes: PREPARED, maxBytes: PREPARED });
  });

  it("is found again if it fits, when there are more targets than fit", async () => {
    setImageCacheBytes(11 * PREPARED);
    const targets = Array.from({ length: 20 }, (_, number) => counted(numbered(number + 1)));
    const asked = () => targets.reduce((total, { calls }) => total + calls.asked, 0);
    await scoresOf(everyScore, numbered(0), targets);
    const before = asked();
    await scoresOf(everyScore, numbered(0), targets);
    expect(asked() - before).toBe(20 - 10); // the query's own image is the eleventh
  });

  it("is only a sketch for other images", async () => {
    const scenes = await Promise.all(Array.from({ length: 10 }, (_, seed) => scene(seed, 64, 48)));
    const targets = scenes.map(counted);
    const query = await scene(11, 64, 48);
    await scoresOf(structuralSimilarityMatcher, query, targets);
    setImageCacheBytes(0);
    setImageCacheBytes(initial);
    await scoresOf(structuralSimilarityMatcher, query, targets);
    expect(targets.map(({ calls }) => calls.asked)).toEqual(targets.map(() => 1));
  });

  it("is prepared in the background, without a query", async () => {
    const targets = [counted(numbered(1)), counted(numbered(2))];
    for (const { image } of targets) sketches.prepare(image, () => true);
    while (!targets.every(({ calls }) => calls.asked === 1)) await turn();
    await scoresOf(structuralSimilarityMatcher, numbered(3), targets);
    expect(targets.map(({ calls }) => calls.asked)).toEqual([1, 1]);
  });

  it("is dropped soon after the last target with it was deleted", async () => {
    await using mock = new MockCloudReco({ intercept: false });
    const databases = [mock.addCloudDatabase(), mock.addCloudDatabase()];
    for (const number of [1, 2, 3])
      for (const database of databases) await mock.addTarget(database, { image: numbered(number) });
    const images = () => {
      collectGarbage();
      return preparedImages.use.images;
    };
    await expect.poll(images, { timeout: 20_000 }).toBe(3);
    for (const [index, database] of databases.entries()) {
      for (const { targetId } of database.targets) mock.deleteTarget(database, targetId);
      await expect.poll(images, { timeout: 20_000 }).toBe(index === 0 ? 3 : 0);
    }
  });

  it("is retried by later queries after a failure", async () => {
    const png = numbered(1);
    let isDown = true;
    const image = {
      sha256: candidate(png).image.sha256,
      bytes: () => (isDown ? Promise.reject(new Error("down")) : png),
    };
    const target = { ...candidate(png), image };
    sketches.prepare(image, () => true);
    await expect(rankTargets(structuralSimilarityMatcher, numbered(2), [target])).rejects.toThrow("down");
    isDown = false;
    expect((await rankTargets(structuralSimilarityMatcher, png, [target])).matches).toHaveLength(1);
  });
});

describe("the cache of prepared images", () => {
  const image = prepareImage(sceneThumbnail(1));
  const make = async () => image;

  it("keeps what the last query used, drops the least recently used of the rest", async () => {
    const cache = new PreparedImages(2 * preparedBytes(image));
    const kept = async (...names: string[]) => {
      const made: string[] = [];
      cache.beginQuery();
      for (const name of names) {
        await cache.find(name, async () => {
          made.push(name);
          return image;
        });
      }
      return made;
    };
    expect(await kept("a", "b")).toEqual(["a", "b"]);
    expect(await kept("c")).toEqual(["c"]); // a and b are of the last query: c is not kept
    expect(await kept("c")).toEqual(["c"]); // now it is, for a
    expect(await kept("c", "b")).toEqual([]);
    expect(await kept("a")).toEqual(["a"]);
  });

  it("accepts images that no query needs yet only while there is room", async () => {
    const cache = new PreparedImages(preparedBytes(image));
    await cache.find("a", make);
    cache.beginQuery();
    cache.beginQuery();
    cache.offer("b", image);
    expect(cache.use.images).toBe(1);
    expect(await cache.find("a", () => Promise.reject(new Error("dropped")))).toBe(image);
  });

  it("keeps the latest 64 images that only queries had, and those of targets", async () => {
    const cache = new PreparedImages(1000 * preparedBytes(image));
    await cache.find("shared", make, "query");
    await cache.find("shared", make);
    cache.offer("offered", image);
    for (let number = 0; number < 100; number += 1) await cache.find(`${number}`, make, "query");
    expect(cache.use.images).toBe(2 + 64);
    const unmade = () => Promise.reject(new Error("dropped"));
    for (const name of ["shared", "offered", "36", "99"]) expect(await cache.find(name, unmade)).toBe(image);
    await expect(cache.find("35", unmade)).rejects.toThrow("dropped");
  });

  it.each([-1, Number.NaN])("refuses the bound %s", (bytes) => {
    expect(() => setImageCacheBytes(bytes)).toThrow(
      new RangeError(`imageCacheBytes: expected a number of bytes, at least 0; got ${bytes}`),
    );
  });
});

describe("an added image", () => {
  it("is prepared from the decode of its check, when it will be compared", async () => {
    const [file, other] = [numbered(4711), numbered(4712)];
    await inspectTargetImage(file, { sketch: true });
    await inspectTargetImage(other);
    const [own, others] = [counted(file), counted(other)];
    await scoresOf(structuralSimilarityMatcher, file, [own, others]);
    expect([own.calls.asked, others.calls.asked]).toEqual([0, 1]);
  });

  it("is checked and rated when nothing fits into the cache", async () => {
    setImageCacheBytes(0);
    const file = readFileSync(new URL("./reference/face_q75.jpg", import.meta.url));
    expect(await inspectTargetImage(Buffer.from(file), { sketch: true })).toMatchObject({ ok: true });
    for (const [rater, rating] of [
      [perfectRater, 5],
      [brisqueRater, 4],
    ] as const)
      expect(await assessImage({ bytes: Buffer.from(file) }, rater)).toMatchObject({
        outcome: "success",
        rating,
      });
  });
});

describe("what is made of images", () => {
  it("is made once for those who ask in the meantime; a failure is theirs, and is not kept", async () => {
    let made = 0;
    const images = new ImageMemo(async (_: { readonly sha256: string }) => {
      made += 1;
      if (made === 1) throw new Error("no");
      return { made };
    });
    const [first, same] = [{ sha256: "a" }, { sha256: "a" }];
    expect(await Promise.allSettled([images.of(first), images.of(same)])).toMatchObject([
      { reason: new Error("no") },
      { reason: new Error("no") },
    ]);
    expect(await Promise.all([images.of(first), images.of(same)])).toEqual([{ made: 2 }, { made: 2 }]);
    images.clear();
    expect([await images.of(first), await images.of({ sha256: "a" })]).toEqual([{ made: 2 }, { made: 3 }]);
  });

  it("is not prepared once nobody wants it", async () => {
    const made: string[] = [];
    const images = new ImageMemo(async ({ sha256 }: { readonly sha256: string }) => ({
      sha256,
      made: made.push(sha256),
    }));
    const held = ["a", "b", "c"].map((sha256) => ({ sha256 }));
    for (const image of held) images.prepare(image, () => image.sha256 !== "b");
    while (made.length < 2) await turn();
    expect(made).toEqual(["a", "c"]);
  });
});
