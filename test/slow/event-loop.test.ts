import { randomBytes } from "node:crypto";
import { brisqueRater, structuralSimilarityMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { inspectTargetImage } from "../../src/core/images/inspect.ts";
import { assessImage } from "../../src/core/images/on-demand.ts";
import { LIMIT_MILLISECONDS, longestTurnOf } from "../support/longest-turn.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { candidate, scene, scoresOf } from "../support/scenes.ts";

describe("the event loop", () => {
  let photographs: Buffer[];
  beforeAll(async () => {
    const image = sharp(await scene(7, 500, 375)).resize(2000, 1500);
    photographs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        image
          .clone()
          .jpeg({ quality: 70 + index })
          .toBuffer(),
      ),
    );
    await assessImage({ bytes: makePng() }, brisqueRater);
  }, 60_000);

  const add = async (image: Buffer) => {
    expect(await inspectTargetImage(image, { brisque: true, sketch: true })).toMatchObject({ ok: true });
    return assessImage({ bytes: image }, brisqueRater);
  };

  it("waits less than 50 ms while 20 photographs of 2000x1500 are added at once", async () => {
    const addAll = () => {
      // What follows from an image's bytes is remembered: every run needs images of its own.
      const images = photographs.map((image) => Buffer.concat([image, randomBytes(8)]));
      return Promise.all(images.map(add));
    };
    expect(await longestTurnOf(addAll)).toBeLessThan(LIMIT_MILLISECONDS);
  }, 60_000);

  it("waits less than 50 ms while 200 targets are prepared and scored", async () => {
    const targets = Array.from({ length: 200 }, (_, number) =>
      candidate(makePng({ fill: (index) => noiseByte(index + number * 7919) })),
    );
    const [query] = photographs;
    const delay = await longestTurnOf(async () => {
      for (let round = 0; query && round < 3; round++) {
        await scoresOf(structuralSimilarityMatcher, query, targets);
      }
    });
    expect(delay).toBeLessThan(LIMIT_MILLISECONDS);
  }, 60_000);
});

describe("fake timers", () => {
  it("do not stop the work on images", async () => {
    vi.useFakeTimers();
    try {
      const png = makePng({ width: 700, height: 700 });
      expect(await assessImage({ bytes: png }, brisqueRater)).toMatchObject({
        outcome: "success",
        rating: expect.any(Number),
      });
      expect(await scoresOf(structuralSimilarityMatcher, png, [candidate(png)])).toEqual([
        expect.closeTo(1, 9),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
