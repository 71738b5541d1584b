import { featureMatcher, featureRater, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { drawn, sceneOf } from "../bench/scenes/conditions.ts";
import { results, START } from "../protocol/query/send.ts";
import { firstOf } from "../support/combinations.ts";
import { drawLeaves, photograph, pngOf } from "../support/photographs.ts";
import { UNCOMPRESSED } from "../support/png.ts";
import { drawStructured } from "../support/structured-pictures.ts";

describe("small pictures", () => {
  const picture = drawLeaves(91_000, 400, 300);
  let file: Buffer;
  let photo: Buffer;
  beforeAll(async () => {
    file = await pngOf(picture);
    const view = { tilt: 15, scale: 0.7, cover: 0 };
    photo = await pngOf(await photograph(picture, view, 0, { width: 640, height: 480 }));
  }, 60_000);
  const scaledTo = (image: Buffer, width: number) => sharp(image).resize(width).png(UNCOMPRESSED).toBuffer();

  it("are found as targets from 64 pixels on, and rated so", async () => {
    const targets = await Promise.all([64, 96, 128].map((width) => scaledTo(file, width)));
    for (const target of targets) expect(await featureMatcher(photo, target)).toBeGreaterThan(0.5);
    expect(await Promise.all(targets.map((target) => featureRater(target)))).toEqual([1, 3, 4]);
  });

  it("find their target as queries of 100 pixels", async () => {
    expect(await featureMatcher(await scaledTo(photo, 100), file)).toBeGreaterThan(0.5);
  });

  it("are said to be too small where they are", async () => {
    const clock = new ManualClock(START);
    await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher, clock });
    const keys = mock.addCloudDatabase();
    const tiny = await scaledTo(file, 24);
    await mock.addTarget(keys, { name: "tiny", image: tiny, processed: true });
    const whyNot = async (query: Buffer) => {
      await results({ urls: mock.urls, clock }, keys, query);
      return mock.requests.at(-1)?.considered?.at(0)?.why;
    };
    const few = "too small, 24x18 pixels: \\d features? agrees?, 8 are needed$";
    expect(await whyNot(photo)).toMatch(new RegExp(`^no match: the target's picture is ${few}`));
    expect(await whyNot(await scaledTo(photo, 24))).toMatch(
      new RegExp(`^no match: the query's picture is ${few}`),
    );
  });
});

const SMALL = [
  ["pages", 0.3, { width: 640, height: 480 }],
  ["tickets", 0.2, { width: 1000, height: 750 }],
  ["tickets", 0.15, { width: 1280, height: 960 }],
] as const;

it.each(firstOf(SMALL, 1))(
  "featureMatcher finds one of the %s that takes %f of a photograph of %o",
  async (kind, scale, frame) => {
    const picture = await drawStructured(kind, 8504);
    const photo = await photograph(picture, { tilt: 10, scale, cover: 0 }, 8504, frame);
    const [query, target] = [await pngOf(photo), await pngOf(picture)];
    expect(await featureMatcher(query, target)).toBeGreaterThan(0.5);
    // Of one result, half of the photograph is searched first, where this is too small.
    const clock = new ManualClock(START);
    await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher, clock });
    const keys = mock.addCloudDatabase();
    await mock.addTarget(keys, { name: kind, image: target, processed: true });
    expect(await results({ urls: mock.urls, clock }, keys, query)).toHaveLength(1);
  },
);

/** Scenes in which a few features agree: the pixels have to tell. */
const NEAR = [44, 56];

it.each(firstOf(NEAR, 1))(
  "featureMatcher finds a banner of which a photograph shows a third: scene %i",
  async (index) => {
    const seed = 2;
    const { shown, take } = sceneOf("near: a third of a banner", index, seed);
    for (const banner of shown) {
      const target = await pngOf(await drawn(banner, seed));
      expect(await featureMatcher(await take(), target)).toBeGreaterThan(0.5);
    }
  },
);
