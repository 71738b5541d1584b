import { featureMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { results, START } from "../protocol/query/send.ts";
import { json, send } from "../protocol/target/requests.ts";
import { combinations, firstOf, times } from "../support/combinations.ts";
import { drawLeaves, photograph, pngOf } from "../support/photographs.ts";
import { UNCOMPRESSED } from "../support/png.ts";

/*
 * Equal pictures in different files. Where more than 50 targets are searched, a feature counts the more the fewer pictures have
 * it: copies must not count as other pictures.
 */

/** Make files of a picture that differ, by number. */
const WAYS: Readonly<Record<string, (picture: Buffer, index: number) => Promise<Buffer>>> = {
  "of other quality": (picture, index) =>
    sharp(picture)
      .jpeg({ quality: 30 + index })
      .toBuffer(),
  "with other comments": (picture, index) =>
    sharp(picture)
      .withExif({ IFD0: { ImageDescription: `copy ${index}` } })
      .png(UNCOMPRESSED)
      .toBuffer(),
  "of other sizes": (picture, index) =>
    sharp(picture)
      .resize(300 + 5 * index)
      .png(UNCOMPRESSED)
      .toBuffer(),
};
const [NUMBERS, OTHERS] = [[1, 3, 51], times(100, 20)];

describe("copies of a picture are all found, by queries and as duplicates:", () => {
  const clock = new ManualClock(START);
  const mock = new MockCloudReco({
    targetRater: perfectRater,
    queryMatcher: featureMatcher,
    duplicatesMatcher: featureMatcher,
    clock,
  });
  const service = { urls: mock.urls, clock };
  const picture = drawLeaves(70_001, 400, 300);
  let query: Buffer;
  let others: readonly Buffer[];
  beforeAll(async () => {
    query = await pngOf(await photograph(picture, { tilt: 20, scale: 0.8, cover: 0.1 }, 1));
    others = await Promise.all(
      Array.from({ length: OTHERS }, (_, index) => pngOf(drawLeaves(70_100 + index, 200, 150))),
    );
  }, 120_000);
  afterAll(() => mock.stop());

  it.each(
    combinations(firstOf(Object.entries(WAYS), 1), firstOf([OTHERS, 0], 1)).map(
      ([[way, copy], number]) => [way, number, copy] as const,
    ),
  )(
    "1 to 51 %s, among %i others",
    async (_way, number, copy) => {
      const keys = mock.addCloudDatabase();
      const file = await pngOf(picture);
      for (const [index, image] of others.slice(0, number).entries())
        await mock.addTarget(keys, { name: `other ${index}`, image, processed: true });
      const ids: string[] = [];
      for (const copies of NUMBERS) {
        for (let index = ids.length; index < copies; index++) {
          const image = await copy(file, index);
          ids.push((await mock.addTarget(keys, { name: `copy ${index}`, image, processed: true })).targetId);
        }
        const found = await results(service, keys, query, { max_num_results: "50" });
        expect(found).toHaveLength(Math.min(50, copies));
        expect(ids).toEqual(expect.arrayContaining(found.map(({ target_id }) => target_id)));
        // The journal has those that were found beyond the most results.
        const { considered = [] } = mock.requests.at(-1) ?? {};
        expect(considered.filter(({ why }) => why.includes("score"))).toHaveLength(copies);

        const [first = "", ...rest] = ids;
        const duplicates = json(await send(service, keys, { method: "GET", path: `/duplicates/${first}` }));
        expect(new Set(duplicates.similar_targets as string[])).toEqual(new Set(rest));
      }
    },
    120_000,
  );
});
