import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  createFeatureMatcher,
  featureMatcher,
  featureRater,
  MockCloudReco,
  perfectRater,
} from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import sharp from "sharp";
import { describe, expect, it, vi } from "vitest";
import { FeatureFinder, QUERY_SEARCH } from "../../src/recognition/extract.ts";
import { findFeatures } from "../../src/recognition/pictures.ts";
import { lookAtPixels, Pyramid, reduce } from "../../src/recognition/pixels.ts";
import { readProjections } from "../../src/recognition/projections.ts";
import { rate } from "../../src/recognition/rate.ts";
import { lookFor } from "../../src/recognition/recognise.ts";
import { at, drawLeaves, photographedPictures, pngOf } from "../support/photographs.ts";
import { makePng, UNCOMPRESSED } from "../support/png.ts";

const { targets, files, queries } = await photographedPictures();

describe("featureMatcher", () => {
  it("finds each picture in the photograph of it, and in no other", async () => {
    const scores = await Promise.all(
      queries.map((query) => Promise.all(files.map((file) => featureMatcher(query, file)))),
    );
    for (const [row, ofQuery] of scores.entries()) {
      for (const [column, score] of ofQuery.entries()) {
        if (row === column) expect(score).toBeGreaterThan(0.8);
        else expect(score).toBeNull();
      }
    }
  });

  it("scores equal files 1, whatever they show", async () => {
    expect(await featureMatcher(at(files, 0), Buffer.from(at(files, 0)))).toBe(1);
    expect(await featureMatcher(makePng(), makePng())).toBe(1);
  });

  it("does not match mirrored pictures, damaged files or pictures without features", async () => {
    const mirrored = await sharp(at(files, 0)).flop().png(UNCOMPRESSED).toBuffer();
    expect(await featureMatcher(mirrored, at(files, 0))).toBeNull();
    expect(await featureMatcher(Buffer.from("hello"), at(files, 0))).toBeNull();
    expect(await featureMatcher(at(files, 0), makePng())).toBeNull();
  });

  it("does not match a mirrored picture because parts of it are symmetric, but one that is symmetric itself", async () => {
    // The frame and the label of the box look alike in its mirror image.
    const box = await readFile("examples/demo/images/box.png");
    const mirrored = await sharp(box).flop().png(UNCOMPRESSED).toBuffer();
    expect([await featureMatcher(mirrored, box), await featureMatcher(box, mirrored)]).toEqual([null, null]);
    await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
    const keys = mock.addCloudDatabase();
    for (const [name, image] of Object.entries({ box, mirrored }))
      await mock.addTarget(keys, { name, image, processed: true });
    await new VuforiaClient(keys).find(await sharp(box).resize(320).jpeg().toBuffer());
    expect(mock.requests.at(-1)?.considered?.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      expect.stringMatching(/^box: matched: /),
      expect.stringMatching(
        /^mirrored: no match: \d+ features agree, but only [123]?\d % of the pixels there look like the target's$/,
      ),
    ]);

    const { width, height } = at(targets, 0);
    const symmetric = await pngOf({
      width,
      height,
      data: at(targets, 0).data.map((grey, index, all) => {
        const x = index % width;
        return all[index - x + Math.min(x, width - 1 - x)] ?? grey;
      }),
    });
    const seen = await sharp(symmetric).flop().jpeg({ quality: 70 }).toBuffer();
    expect(await featureMatcher(seen, symmetric)).toBeGreaterThan(0.9);
  });

  it("needs as many features as it is told to", async () => {
    expect(await createFeatureMatcher({ minimumInliers: 5 })(at(queries, 0), at(files, 0))).toBeGreaterThan(
      0.8,
    );
    expect(await createFeatureMatcher({ minimumInliers: 300 })(at(queries, 0), at(files, 0))).toBeNull();
    for (const minimumInliers of [4, 8.5, Number.NaN]) {
      expect(() => createFeatureMatcher({ minimumInliers })).toThrow(
        `Invalid options.minimumInliers: expected a whole number, 5 or more; got ${minimumInliers}.`,
      );
    }
  });

  it("computes the same on every machine and engine", async () => {
    const grey = { ...drawFlat(), width: 320, height: 240 };
    const features = await new FeatureFinder(await readProjections()).find(grey, QUERY_SEARCH);
    const small = reduce(grey);
    const target = { ...features, small };
    const pixels = new Pyramid(grey);
    const corners = [
      [20, 10],
      [310, 0],
      [300, 230],
      [0, 220],
    ] as const;
    const look = lookAtPixels(target, pixels, corners);
    const hash = createHash("sha256")
      .update(features.codes)
      .update(Buffer.from(features.frames.buffer))
      .update(JSON.stringify(lookFor(target, { ...features, width: 321, pixels, level: 0 }, 8)))
      .update(small)
      .update(JSON.stringify(look))
      .digest("hex");
    expect([features.count, hash.slice(0, 16)]).toEqual([275, "28b44baff0e685d6"]);
  });
});

describe("finding features", () => {
  it("finds those of one picture after the other, also after one failed", async () => {
    const finder = new FeatureFinder(await readProjections());
    const [a, b] = [at(targets, 0), at(targets, 1)];
    const alone = [await finder.find(a, QUERY_SEARCH), await finder.find(b, QUERY_SEARCH)];
    const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), "set").mockImplementationOnce(() => {
      throw new RangeError("no memory");
    });
    const failing = finder.find(a, QUERY_SEARCH);
    const all = [a, b].map((picture) => finder.find(picture, QUERY_SEARCH));
    await expect(failing).rejects.toThrow("no memory");
    set.mockRestore();
    expect(await Promise.all(all)).toEqual(alone);
  });

  it("needs little memory: a process's first query would wait for what it touches", async () => {
    const { kernel } = new FeatureFinder(await readProjections());
    kernel.begin(1280, 960);
    expect(kernel.memory.buffer.byteLength).toBeLessThan(15e6);
  });
});

describe("featureRater", () => {
  it("rates by number and spread of features", async () => {
    const flat = { data: new Uint8Array(480 * 360).fill(90), width: 480, height: 360 };
    const corner = {
      ...flat,
      data: at(targets, 0).data.map((grey, index) => (index % 480 < 160 ? grey : 90)),
    };
    const ratings = await Promise.all(
      [flat, corner, at(targets, 0)].map(async (picture) => featureRater(await pngOf(picture))),
    );
    expect(ratings).toEqual([0, 3, 5]);
    expect(await featureRater(Buffer.from("hello"))).toBe(0);
  });

  it("counts what repeats itself once, for that is never found", async () => {
    const [width, height] = [480, 360];
    const draw = (greyAt: (x: number, y: number) => number) =>
      pngOf({
        data: Uint8Array.from({ length: width * height }, (_, at) =>
          greyAt(at % width, Math.floor(at / width)),
        ),
        width,
        height,
      });
    const motif = drawLeaves(9, 60, 60);
    const [chessboard, tiles] = await Promise.all([
      draw((x, y) => ((Math.floor(x / 30) + Math.floor(y / 30)) % 2) * 255),
      draw((x, y) => motif.data[(y % 60) * 60 + (x % 60)] ?? 0),
    ]);
    // Corners of the chessboard differ a little, because it is enlarged.
    expect([await featureRater(chessboard), await featureRater(tiles)]).toEqual([1, 0]);
    const found = await findFeatures(tiles, "target");
    expect(found?.recognition?.advice).toMatch(
      /^it repeats itself: \d{3} features, but only 1?\d that differ; 220 all over it make 4 stars$/,
    );
  });

  it("says that a picture is too small", async () => {
    const tiny = await sharp(await pngOf(drawLeaves(91_000, 400, 300)))
      .resize(24)
      .png(UNCOMPRESSED)
      .toBuffer();
    expect((await findFeatures(tiny, "target"))?.recognition).toEqual({
      rating: 0,
      advice: expect.stringMatching(/^it is too small, 24x18 pixels, and it has no details: no features; /),
    });
  });

  it("says what would make a picture better, and that is so", () => {
    expect(rate(0, 0)).toEqual({
      rating: 0,
      advice: "it has no details: no features; 220 all over it make 4 stars",
    });
    expect(rate(59, 9)).toEqual({
      rating: 1,
      advice:
        "most of it is plain: 59 features in 9 of 36 parts of the picture; 220 all over it make 4 stars",
    });
    expect(rate(120, 30)).toEqual({
      rating: 2,
      advice: "it needs more detail: 120 features; 245 spread like these make 4 stars",
    });
    expect([rate(384, 36, 200).advice, rate(300, 9, 200).advice]).toEqual([
      "it needs more detail: 384 features, but only 200 that differ; 220 spread like these make 4 stars",
      "most of it is plain: 300 features, but only 200 that differ, in 9 of 36 parts of the picture; 220 all over it make 4 stars",
    ]);
    for (let cells = 1; cells <= 36; cells++) {
      for (const [features, different] of [cells, 2 * cells, 10 * cells].flatMap((number) => [
        [number, number] as const,
        [number, Math.ceil(number * 0.6)] as const,
      ])) {
        const { rating, advice } = rate(features, cells, different);
        const [, enough, where] = /(\d+) (all over it|spread like these) make 4 stars$/.exec(advice) ?? [];
        expect(enough === undefined).toBe(rating >= 4);
        if (enough === undefined) continue;
        const [, counted] = /(\d+) (?:features?\b(?!, but)|that differ)/.exec(advice) ?? [];
        expect(Number(counted)).toBeLessThan(Number(enough));
        const better = where === "all over it" ? 36 : cells;
        expect([rate(Number(enough), better).rating, rate(Number(enough) - 1, better).rating]).toEqual([
          4, 3,
        ]);
      }
    }
  });
});

/** Squares, drawn without any function whose result differs between engines. */
function drawFlat() {
  const data = new Uint8Array(320 * 240).fill(128);
  for (let square = 0; square < 150; square++) {
    const [left, top, side, grey] = [
      (square * 7919) % 300,
      (square * 104_729) % 220,
      4 + (square % 17),
      (square * 61) % 256,
    ];
    for (let y = top; y < Math.min(240, top + side); y++)
      data.fill(grey, y * 320 + left, y * 320 + Math.min(320, left + side));
  }
  return { data };
}
