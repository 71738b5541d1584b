import { setTimeout } from "node:timers/promises";
import { featureMatcher, featureRater, MockCloudReco } from "mock-cloud-reco";
import sharp from "sharp";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";
import type { Bench, Comparison } from "./measure.ts";

/** `POST /targets`, one after the other, may take so many times as long as only decoding the picture. */
const ADDING_AT_MOST = 1.8;
const IN_A_ROW = 25;
/** Of these, the first few are not counted: they wait for a processor that slept, and for its caches. */
const TO_WARM_UP = 5;
const ROUNDS = 30;
/** Enough for what follows the answers of a round, in milliseconds. */
const PAUSE = 100;
const BY_FEATURES = { targetRater: featureRater, queryMatcher: featureMatcher };

/** Adding pictures. What follows the answers is not timed: ratings and sketches. */
export const bench: Bench = {
  async run() {
    const comparisons: Comparison[] = [];
    // No picture is added twice: what is known of the first would be known of the second.
    let copies = 0;
    for (const [width, height, quality, options] of [
      [640, 480, 60, {}],
      [1000, 750, 88, {}],
      [640, 480, 60, BY_FEATURES],
      [1000, 750, 88, BY_FEATURES],
    ] as const) {
      const picture = await sharp(await scene(7, 500, 375))
        .resize(width, height)
        .jpeg({ quality })
        .toBuffer();
      let [decoding, adding] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < ROUNDS; round++) {
        await using mock = new MockCloudReco({ processingTimeSeconds: 0, ...options });
        const { serverAccessKey: accessKey, serverSecretKey: secretKey } = mock.addCloudDatabase();
        const pictures = Array.from({ length: IN_A_ROW }, () => {
          copies += 1;
          return Buffer.concat([picture, Buffer.from(String(copies))]);
        });
        const requests = pictures.map((bytes, index) =>
          signedRequest({
            ...{ method: "POST", baseUrl: mock.urls.target, path: "/targets", now: mock.clock.now() },
            ...{ accessKey, secretKey },
            body: { name: String(index), width: 1, image: bytes.toString("base64") },
          }),
        );
        await setTimeout(PAUSE);
        decoding = Math.min(decoding, await timeOfEach(pictures, (bytes) => sharp(bytes).raw().toBuffer()));
        adding = Math.min(
          adding,
          await timeOfEach(requests, async ({ url, body = null, ...request }) =>
            (await fetch(url, { ...request, body })).text(),
          ),
        );
      }
      comparisons.push({
        name: `POST /targets${options === BY_FEATURES ? ", by features" : ""}, a picture of ${Math.round(picture.length / 1000)} kB, fetch`,
        milliseconds: adding,
        baseline: `${ADDING_AT_MOST} times decoding it with sharp`,
        baselineMilliseconds: ADDING_AT_MOST * decoding,
        atLeast: 1,
      });
    }
    return comparisons;
  },
};

async function timeOfEach<T>(items: readonly T[], use: (item: T) => Promise<unknown>): Promise<number> {
  for (const item of items.slice(0, TO_WARM_UP)) await use(item);
  const counted = items.slice(TO_WARM_UP);
  const start = performance.now();
  for (const item of counted) await use(item);
  return (performance.now() - start) / counted.length;
}
