import { featureMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { photograph, pngOf } from "../support/photographs.ts";
import { UNCOMPRESSED } from "../support/png.ts";
import { drawStructured, type Kind } from "../support/structured-pictures.ts";

const VIEW = { tilt: 10, scale: 0.8, cover: 0 };
const FRAME = { width: 640, height: 480 };
const OTHERS = 4;

/*
 * Where two pictures have lines of text, bars or a grid, features agree by nature. A matcher that counts pairs of features which a
 * position looked for matches those from pages to sheet music with another picture; one that does not look at the pixels, each of the
 * others.
 */
const SEEDS: readonly (readonly [Kind, number])[] = [
  ["labels", 11],
  ["bar codes", 19],
  ["pages", 0],
  ["labels", 1],
  ["QR codes", 1],
  ["bar codes", 4],
  ["crosswords", 20],
  ["sheet music", 0],
  ["bar codes", 1],
  ["bar codes", 2],
  ["labels", 2],
  ["labels", 18],
];

describe("featureMatcher matches a photograph with what it shows, not with others of its structure:", () => {
  it.each(firstOf(SEEDS, 1))("%s, photograph %i", async (kind, seed) => {
    const picture = await drawStructured(kind, OTHERS + seed);
    const query = await pngOf(await photograph(picture, VIEW, seed, FRAME));
    expect(await featureMatcher(query, await pngOf(picture))).toBeGreaterThan(0.5);
    for (let other = 0; other < OTHERS; other++)
      expect(await featureMatcher(query, await pngOf(await drawStructured(kind, other)))).toBeNull();
  });

  /*
   * 10 and 16 features of the frame and of the bars agree. Of the first pair's windows half look alike, but few look the same; of the
   * second pair's, one in eight looks the same.
   */
  it.each([
    [OTHERS + 2, VIEW, 2, 2],
    [12, { ...VIEW, tilt: 20 }, 84, 10],
  ] as const)(
    "label %i of one form, photographed at the size of a camera's frame",
    async (label, view, seed, other) => {
      const frame = { width: 1280, height: 960 };
      const query = await pngOf(await photograph(await drawStructured("labels", label), view, seed, frame));
      expect(await featureMatcher(query, await pngOf(await drawStructured("labels", other)))).toBeNull();
    },
  );

  /* 11 features of the bars and of the frame agree; the rest of the other label is not in the picture. */
  it("labels of one form, of which a part is near the camera", async () => {
    await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
    const keys = mock.addCloudDatabase();
    const [label, other] = [await drawStructured("labels", 17), await drawStructured("labels", 6)];
    for (const [name, picture] of Object.entries({ label, other }))
      await mock.addTarget(keys, { name, image: await pngOf(picture), processed: true });
    const [width, height] = [Math.floor(label.width * 0.45), Math.floor(label.height * 0.38)];
    const part = { left: label.width / 2, top: Math.floor(label.height * 0.55), width, height };
    const near = sharp(await pngOf(label))
      .extract(part)
      .resize(600);
    await new VuforiaClient(keys).find(await near.png(UNCOMPRESSED).toBuffer());
    expect(mock.requests.at(-1)?.considered?.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      expect.stringMatching(/^label: matched: /),
      expect.stringMatching(
        /^other: no match: \d+ features agree, but too little of the target is seen to be sure$/,
      ),
    ]);
  });

  /* The keys lie on one grid: 7 features agree with those of keyboard 7, and two thirds of the pixels are alike. */
  it("keyboards, of which only the letters differ", async () => {
    const query = await pngOf(await photograph(await drawStructured("keyboards", 32), VIEW, 32, FRAME));
    expect(await featureMatcher(query, await pngOf(await drawStructured("keyboards", 7)))).toBeNull();
  });
});

/* Where lines, bars and cells repeat, the pixels tell most: those of a tilted picture are finer in one direction. */
describe("featureMatcher finds pictures whose parts look alike", () => {
  const CAMERA = { width: 960, height: 720 };

  it.each([
    ["pages", 0, { tilt: 50, scale: 0.8, cover: 0 }],
    ["tables", 4, { tilt: 40, scale: 0.8, cover: 0 }],
    ["tables", 2, { tilt: 10, scale: 0.8, cover: 0.5 }],
    ["labels", 3, { tilt: 10, scale: 0.8, cover: 0.65 }],
  ] as const)("%s, number %i, seen as %j", async (kind, seed, view) => {
    const picture = await drawStructured(kind, seed);
    const query = await pngOf(await photograph(picture, view, seed, CAMERA));
    expect(await featureMatcher(query, await pngOf(picture))).toBeGreaterThan(0.5);
  });
});
