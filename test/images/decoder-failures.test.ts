import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import {
  brisqueRater,
  featureMatcher,
  featureRater,
  MockCloudReco,
  type MockCloudRecoOptions,
  samplePicture,
  structuralSimilarityMatcher,
} from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import type { Sharp, default as sharp } from "sharp";
import { afterEach, expect, test, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";

const OUT_OF_MEMORY = "vips_malloc: out of memory --- size == 1234567890";
/** The instance that the package uses. */
const used: typeof sharp = createRequire(import.meta.url)("sharp");
const prototype: Sharp = Object.getPrototypeOf(used(Buffer.alloc(1)));

/** Lets the decoder fail as it does when the machine has no memory left, which no test can provoke otherwise. */
const exhaustMemory = () =>
  vi.spyOn(prototype, "toBuffer").mockImplementation(() => Promise.reject(new Error(OUT_OF_MEMORY)));

afterEach(() => vi.restoreAllMocks());

let drawn = 0;
/** An image that nothing has seen before. */
const newImage = () => {
  drawn += 1;
  // Regular JPEG files need no decoder.
  return samplePicture(770_000 + drawn, { format: "PNG" });
};

const OPTIONS: Readonly<Record<string, MockCloudRecoOptions>> = {
  similarity: { targetRater: brisqueRater, queryMatcher: structuralSimilarityMatcher },
  features: { targetRater: featureRater, queryMatcher: featureMatcher },
};

test.each(Object.entries(OPTIONS))(
  "in process, it is thrown, and not remembered, by %s",
  async (_, options) => {
    await using mock = new MockCloudReco({ ...options, queryContentEncoding: "identity" });
    const database = mock.addCloudDatabase();
    const session = new MockSession(mock, database);
    const image = await newImage();
    const target = { name: "poster", image, processed: true };
    let failing = exhaustMemory();
    await expect(mock.addTarget(database, target)).rejects.toThrow(OUT_OF_MEMORY);
    failing.mockRestore();
    await mock.addTarget(database, target);
    expect(database.targets).toMatchObject([{ name: "poster" }]);

    // A query with an image that no target has.
    const other = await newImage();
    failing = exhaustMemory();
    await expect(session.query(other)).rejects.toThrow(OUT_OF_MEMORY);
    failing.mockRestore();
    expect(JSON.parse((await session.query(other)).body.toString())).toMatchObject({
      result_code: "Success",
    });
  },
);

test("servers answer 503, and accept the same image later", async () => {
  await using servers = await startServers({ processingTimeSeconds: 0 });
  const { target, query, manager } = servers.urls;
  const client = new VuforiaClient(servers.addCloudDatabase(), target, query);
  const image = await newImage();
  let failing = exhaustMemory();
  await expect(client.addTarget("poster", image)).rejects.toThrow("the image d");
  expect(servers.requests.at(-1)).toMatchObject({
    status: 503,
    refusedBy: "imageDecoder",
    cause: { code: "decoder.failed" },
    reason: `the image decoder failed: ${OUT_OF_MEMORY}`,
  });
  failing.mockRestore();
  await client.addTarget("poster", image);

  const thumbnail = `${manager}/page/thumbnails/${createHash("sha256").update(image).digest("hex")}`;
  failing = exhaustMemory();
  await fetch(thumbnail).catch(() => {});
  failing.mockRestore();
  expect((await fetch(thumbnail)).status).toBe(200);
});
