import { featureMatcher, featureRater, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { results, START } from "../protocol/query/send.ts";
import { json, send } from "../protocol/target/requests.ts";
import { at, photographedPictures, pngOf } from "../support/photographs.ts";

const { photos, files, queries } = await photographedPictures();

const plain = await pngOf({
  data: Uint8Array.from({ length: 200 * 100 }, (_, index) => 20 + (index % 200)),
  width: 200,
  height: 100,
});

it("a mock with another matcher says nothing about the features of a target", async () => {
  const clock = new ManualClock(START);
  await using mock = new MockCloudReco({ targetRater: featureRater, clock });
  const keys = mock.addCloudDatabase();
  await mock.addTarget(keys, { image: plain, processed: true });
  expect(await results({ urls: mock.urls, clock }, keys, at(queries, 1))).toEqual([]);
  expect(mock.requests.at(-1)?.considered?.[0]?.why).toBe("tracking rating 0; expected above 0");
});

describe("a mock with the feature matcher", () => {
  const open = async () => {
    const clock = new ManualClock(START);
    const mock = new MockCloudReco({
      targetRater: perfectRater,
      queryMatcher: featureMatcher,
      duplicatesMatcher: featureMatcher,
      clock,
    });
    const keys = mock.addCloudDatabase();
    for (const [index, image] of files.entries()) {
      await mock.addTarget(keys, {
        image,
        name: `picture ${index}`,
        targetId: `id-${index}`,
        processed: true,
      });
    }
    return { mock, keys, urls: mock.urls, clock, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
  };

  it("finds a target in a photograph, and says where it is and why others are not", async () => {
    await using service = await open();
    const found = await results(service, service.keys, at(queries, 1), { max_num_results: "10" });
    expect(found.map(({ target_id }) => target_id)).toEqual(["id-1"]);
    const [first, ...others] = service.mock.requests.at(-1)?.considered ?? [];
    expect(first?.why).toMatch(
      /^matched: score 0\.\d+, rank 1; matched \d+ of \d+ features, tilt about (2|3)\d°$/,
    );
    const { corners, width, height } = at(photos, 1);
    for (const [index, [x, y]] of (first?.outline ?? []).entries()) {
      expect(Math.hypot(x - at(corners, index)[0] / width, y - at(corners, index)[1] / height)).toBeLessThan(
        0.02,
      );
    }
    expect(first?.outline).toHaveLength(4);
    expect(others).toHaveLength(2);
    for (const { matched, why, outline } of others) {
      expect(outline).toBeUndefined();
      expect([matched, why]).toEqual([
        false,
        expect.stringMatching(/^no match: \d features? agrees?, 8 are needed$/),
      ]);
    }
  });

  it("says when a target has few features, or the query cannot be decoded", async () => {
    await using service = await open();
    const data = Uint8Array.from({ length: 200 * 150 }, (_, at) => 20 + (at % 200));
    const image = await pngOf({ data, width: 200, height: 150 });
    await service.mock.addTarget(service.keys, { image, name: "flat", processed: true });
    expect(await results(service, service.keys, at(queries, 1))).toHaveLength(1);
    const flat = service.mock.requests.at(-1)?.considered?.find(({ name }) => name === "flat");
    expect(flat?.why).toMatch(
      /^no match: the target has only \d+ features \(220 all over it make 4 stars\): 0 features agree, 8 are needed$/,
    );
  });

  it("says what would make a target better that queries never find", async () => {
    const clock = new ManualClock(START);
    await using mock = new MockCloudReco({ targetRater: featureRater, queryMatcher: featureMatcher, clock });
    const keys = mock.addCloudDatabase();
    await mock.addTarget(keys, { image: plain, name: "plain", processed: true });
    await mock.addTarget(keys, { image: at(files, 0), name: "rich", processed: true });
    const service = { urls: mock.urls, clock };
    expect(await results(service, keys, at(queries, 1))).toEqual([]);
    const why = () => mock.requests.at(-1)?.considered?.find(({ name }) => name === "plain")?.why;
    expect(why()).toMatch(
      /^tracking rating 0; expected above 0; .*: (no|\d+) features?.*; 220 all over it make 4 stars$/,
    );
    // Where another target is found, the plain one is not what is missing.
    expect(await results(service, keys, at(queries, 0))).toHaveLength(1);
    expect(why()).toBe("tracking rating 0; expected above 0");
  });

  it("knows whole pictures as duplicates, not parts of pictures", async () => {
    await using service = await open();
    const again = await sharp(at(files, 0)).resize(300).jpeg({ quality: 60 }).toBuffer();
    await service.mock.addTarget(service.keys, {
      image: again,
      name: "again",
      targetId: "again",
      processed: true,
    });
    const photo = at(queries, 1);
    await service.mock.addTarget(service.keys, {
      image: photo,
      name: "photo",
      targetId: "photo",
      processed: true,
    });
    const duplicates = async (id: string) =>
      json(await send(service, service.keys, { method: "GET", path: `/duplicates/${id}` })).similar_targets;
    expect(await duplicates("id-0")).toEqual(["again"]);
    expect(await duplicates("id-1")).toEqual([]);
  });
});
