import { createHash } from "node:crypto";
import { featureMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { expect, it, vi } from "vitest";
import { preparedImages } from "../../src/core/images/cache.ts";
import { sketches } from "../../src/core/images/matching/ranking.ts";
import { targetFeatures } from "../../src/recognition/pictures.ts";
import { lookFor } from "../../src/recognition/recognise.ts";
import { MOST_NOT_INDEXED, shortlist } from "../../src/recognition/shortlist.ts";
import { scene } from "../support/scenes.ts";

vi.mock("../../src/recognition/recognise.ts", { spy: true });

const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** What a promise resolved to by now. */
const settled = (promise: Promise<unknown> | undefined) =>
  Promise.race([promise, Promise.resolve("pending")]);

it("an added picture has its features, which queries need, when the addition is answered", async () => {
  await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
  const image = await scene(70, 200, 150);
  await mock.addTarget(mock.addCloudDatabase(), { image, processed: true });
  expect(await settled(targetFeatures.latest(sha256Of(image)))).toMatchObject({ width: 400, height: 300 });
});

it("pictures are indexed while they are added, so that the first query need not", async () => {
  await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
  const keys = mock.addCloudDatabase();
  const pictures: Buffer[] = [];
  for (let index = 0; index < MOST_NOT_INDEXED + 10; index++) {
    const image = await scene(100 + index, 48, 36);
    pictures.push(image);
    await mock.addTarget(keys, { name: `picture ${index}`, image, processed: true });
  }
  // The first index is searched once for nothing: the code that queries run is several times as fast once it has been used.
  await vi.waitFor(() => expect(lookFor).toHaveBeenCalled(), { timeout: 20_000 });
  const features = await Promise.all(
    pictures.map((image) => targetFeatures.of({ sha256: sha256Of(image), bytes: () => image })),
  );
  const [query] = features;
  if (!query) throw new Error("the first picture has no features");
  // The best one of the index, and those since: a query that makes the index itself finds only the best one.
  expect((await shortlist(query, features, 1)).length).toBeGreaterThanOrEqual(10);
});

it("of an added picture, checks for duplicates have a sketch, but its pixels take no memory", async () => {
  await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
  const keys = mock.addCloudDatabase();
  const [before, image] = [preparedImages.use.images, await scene(71, 200, 150)];
  const { targetId } = await mock.addTarget(keys, { image, processed: true });
  expect(await sketches.latest(sha256Of(image))).toHaveProperty("codes");
  expect(preparedImages.use.images).toBe(before);
  const copy = await mock.addTarget(keys, { name: "copy", image, processed: true });
  expect(copy.targetId).not.toBe(targetId);
});
