import { MockCloudReco } from "mock-cloud-reco";
import sharp from "sharp";
import { expect, test } from "vitest";
import { makePng } from "../support/png.ts";

test("the application's limits of sharp stay, although a mock loads sharp's other build", async () => {
  sharp.cache({ memory: 7, files: 3, items: 5 });
  sharp.concurrency(3);
  await using mock = new MockCloudReco({ intercept: false, processingTimeSeconds: 0 });
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { name: "picture", image: makePng() });
  const { memory, files, items } = sharp.cache();
  expect([memory.max, files.max, items.max, sharp.concurrency()]).toEqual([7, 3, 5, 3]);
});
