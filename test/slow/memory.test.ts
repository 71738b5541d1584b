import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  brisqueRater,
  exactMatcher,
  featureMatcher,
  featureRater,
  MockCloudReco,
  perfectRater,
} from "mock-cloud-reco";
import sharp from "sharp";
import { expect, test } from "vitest";
import { scene } from "../support/scenes.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heldMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers / 2 ** 20;
}

const MEGABYTES_BEFORE = heldMegabytes();
const IMAGES = 160;
const IMAGE_BYTES = 2_000_000;
/** 64 for images that targets used a short while ago, 64 for those that will be rated, and 64 for what is being done. */
const MOST_MEGABYTES = 3 * 64;
/** A test that is repeated needs images that were not rated before. */
let images = 0;

test.each([
  ["rated by features", 1, { targetRater: featureRater, queryMatcher: exactMatcher }],
  ["rated by BRISQUE", 1, { targetRater: brisqueRater, queryMatcher: exactMatcher }],
  ["rated by features and compared", 1, { targetRater: featureRater, queryMatcher: featureMatcher }],
  ["prepared for comparisons", 8, { targetRater: perfectRater, queryMatcher: featureMatcher }],
])("images of deleted targets do not pile up while they are %s", async (_what, clients, options) => {
  await using mock = new MockCloudReco({ ...options, duplicatesMatcher: exactMatcher });
  const database = mock.addCloudDatabase();
  const picture = await sharp(await scene(1, 640, 480))
    .jpeg()
    .toBuffer();
  let added = 0;
  const addAndDelete = async () => {
    added += 1;
    images += 1;
    const image = Buffer.concat([picture], IMAGE_BYTES);
    image.write(String(images), picture.length);
    const { targetId } = await mock.addTarget(database, { name: `poster ${images}`, image });
    mock.deleteTarget(database, targetId);
  };
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (added < IMAGES) await addAndDelete();
    }),
  );
  expect(heldMegabytes() - MEGABYTES_BEFORE).toBeLessThan(MOST_MEGABYTES);
});
