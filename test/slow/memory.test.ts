import {
  brisqueRater,
  exactMatcher,
  featureMatcher,
  featureRater,
  MockCloudReco,
  type MockCloudRecoOptions,
  perfectRater,
} from "mock-cloud-reco";
import sharp from "sharp";
import { expect, test } from "vitest";
import { collectGarbage } from "../support/collect-garbage.ts";
import { ALL, firstOf } from "../support/combinations.ts";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";

function heldMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers / 2 ** 20;
}

const MEGABYTES_BEFORE = heldMegabytes();
const IMAGES = 160;
const IMAGE_BYTES = 2_000_000;
/** 64 for what is being done, and 32 that kernels keep; images have 320. */
const MOST_MEGABYTES = 64 + 32;
/** Of a picture that is added: nine hundred of them would be 360 MB. */
const ADDED_BYTES = 400_000;
/** A test that is repeated needs images that were not rated before. */
let images = 0;

const WAYS: readonly (readonly [string, number, MockCloudRecoOptions])[] = [
  ["prepared for comparisons", 8, { targetRater: perfectRater, queryMatcher: featureMatcher }],
  ["rated by features", 1, { targetRater: featureRater, queryMatcher: exactMatcher }],
  ["rated by BRISQUE", 1, { targetRater: brisqueRater, queryMatcher: exactMatcher }],
  ["rated by features and compared", 1, { targetRater: featureRater, queryMatcher: featureMatcher }],
];

test.each(firstOf(WAYS, 1))(
  "images of deleted targets do not pile up while they are %s",
  async (_what, clients, options) => {
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
  },
);

test.runIf(ALL)(
  "a thousand additions, of which every tenth client gives up, take no memory for good",
  async () => {
    await using mock = new MockCloudReco({
      ...{ processingTimeSeconds: 0, imageCacheBytes: 1_000_000, journalBodyBytes: 1_000_000 },
    });
    const database = mock.addCloudDatabase();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
    const picture = await sharp(await scene(2, 320, 240))
      .jpeg()
      .toBuffer();
    /** Ten additions at once, after which all targets are deleted. */
    const addTen = async () => {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          images += 1;
          const image = Buffer.concat([picture], ADDED_BYTES);
          image.write(String(images), picture.length);
          const { url, headers, body } = signedRequest({
            ...{ method: "POST", baseUrl: mock.urls.target, path: "/targets", now: mock.clock.now() },
            ...{ accessKey, secretKey },
            body: { name: `poster ${images}`, width: 1, image: image.toString("base64") },
          });
          const abort = new AbortController();
          const answer = fetch(url, {
            ...{ method: "POST", headers, signal: abort.signal },
            body: new Uint8Array(body ?? []),
          });
          if (index > 0) expect((await answer).status).toBe(201);
          else {
            setImmediate(() => abort.abort());
            await expect(answer).rejects.toThrow(/abort/);
          }
        }),
      );
      for (const { targetId } of database.targets) mock.deleteTarget(database, targetId);
    };
    const addHundreds = async (hundreds: number) => {
      for (let tens = 0; tens < 10 * hundreds; tens += 1) await addTen();
      collectGarbage();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return (heapUsed + arrayBuffers) / 2 ** 20;
    };
    const before = await addHundreds(2);
    const growth = (await addHundreds(9)) - before;
    expect(growth).toBeLessThan(16);
  },
);
