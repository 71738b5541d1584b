import { readFile } from "node:fs/promises";
import { featureMatcher, type JournalEntry, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { results, START } from "../protocol/query/send.ts";
import { type Homography, project } from "../support/camera.ts";

/*
 * Photographs that cameras took, of one thing from two places or in two lights.
 */

type Outline = NonNullable<NonNullable<JournalEntry["considered"]>[number]["outline"]>;

const read = (name: string) =>
  readFile(
    name.startsWith("box") ? `examples/demo/images/${name}.png` : `test/images/photographs/${name}.jpg`,
  );

/** Each picture, and the photograph that shows it. */
const PAIRS = [
  ["box", "box-in-scene"],
  ["graf1", "graf3"],
  ["leuvenA", "leuvenB"],
  ["aloeL", "aloeR"],
  ["basketball1", "basketball2"],
] as const;

/**
 * From pixels of graf1 to those of graf3, of 800 x 640 pixels, as published with the pictures (Mikolajczyk and Schmid 2005, "A
 * performance evaluation of local descriptors"; `H1to3p.xml` in OpenCV's samples).
 */
const GRAF: { readonly size: readonly [number, number]; readonly homography: Homography } = {
  size: [800, 640],
  homography: [
    7.6285898e-1, -2.9922929e-1, 2.2567123e2, 3.3443473e-1, 1.0143901, -7.6999973e1, 3.4663091e-4,
    -1.4364524e-5, 1,
  ],
};

describe("in photographs that cameras took, featureMatcher", () => {
  const clock = new ManualClock(START);
  const mock = new MockCloudReco({ queryMatcher: featureMatcher, targetRater: perfectRater, clock });
  const keys = mock.addCloudDatabase();
  beforeAll(async () => {
    for (const [name] of PAIRS)
      await mock.addTarget(keys, { name, image: await read(name), processed: true });
    return () => mock.stop();
  });

  /** Queries with an image, and returns what it found with the outlines. */
  async function find(
    image: Buffer,
  ): Promise<readonly { readonly name: string; readonly outline: Outline }[]> {
    await results({ urls: mock.urls, clock }, keys, image, { max_num_results: "10" });
    const { considered = [] } = mock.requests.at(-1) ?? {};
    return considered.flatMap(({ name, matched, outline }) =>
      matched && outline ? [{ name, outline }] : [],
    );
  }

  it.each(PAIRS)("finds %s in %s, and nothing else", async (name, photograph) => {
    expect((await find(await read(photograph))).map((found) => found.name)).toEqual([name]);
  });

  it("finds them in grey, compressed to a quality of 30 %", async () => {
    for (const [name, photograph] of PAIRS) {
      const compressed = await sharp(await read(photograph))
        .greyscale()
        .jpeg({ quality: 30 })
        .toBuffer();
      expect((await find(compressed)).map((found) => found.name)).toEqual([name]);
    }
  });

  it("outlines graf1 in graf3 as the published homography does: its corners are off by 3 pixels in the mean", async () => {
    const [{ outline } = { outline: [] }] = await find(await read("graf3"));
    const [width, height] = GRAF.size;
    const corners = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ] as const;
    const errors = corners.map(([u, v], index) => {
      const [x, y] = project(GRAF.homography, u * width, v * height);
      const [foundX = Number.NaN, foundY = Number.NaN] = outline[index] ?? [];
      return Math.hypot(foundX * width - x, foundY * height - y);
    });
    expect(errors.reduce((sum, error) => sum + error) / errors.length).toBeLessThan(3);
  });
});
