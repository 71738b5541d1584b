import { setTimeout } from "node:timers/promises";
import { featureMatcher, featureRater, MockCloudReco } from "mock-cloud-reco";
import sharp from "sharp";
import { sendPlan } from "../protocol/query/send.ts";
import { fetchClient } from "../support/clients.ts";
import { goodPlan, imagePart } from "../support/query-plan.ts";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";
import type { Bench, Comparison } from "./measure.ts";

/**
 * How many times as long as only decoding their pictures additions, one after the other, and a query may take together, for each
 * picture: 1.05 of what they took while ratings and sketches followed the answers.
 */
const AT_MOST = new Map([
  ["640x480", 6],
  ["1000x750", 9.9],
  ["640x480, by features", 14.7],
  ["1000x750, by features", 10.9],
]);
const IN_A_ROW = 25;
/** Of these, the first few are not counted: they wait for a processor that slept, and for its caches. */
const TO_WARM_UP = 5;
const ROUNDS = 30;
/** Enough for what is still being done for an earlier round, in milliseconds. */
const PAUSE = 100;
const BY_FEATURES = { targetRater: featureRater, queryMatcher: featureMatcher };

/** Adding pictures, which rates them, and a query, which waits for what it compares: all of the work, wherever it is done. */
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
      const name = `${width}x${height}${options === BY_FEATURES ? ", by features" : ""}`;
      const atMost = AT_MOST.get(name) ?? 0;
      let [decoding, adding] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < ROUNDS; round++) {
        await using mock = new MockCloudReco({ processingTimeSeconds: 0, ...options });
        const database = mock.addCloudDatabase();
        const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
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
        const plan = goodPlan(mock.clock.now());
        plan.parts = [imagePart(pictures[0] ?? picture)];
        adding = Math.min(
          adding,
          await timeOfEach(requests, fetchClient, () => sendPlan(mock, database, plan)),
        );
      }
      comparisons.push({
        name: `CPU time of ${IN_A_ROW - TO_WARM_UP} POST /targets and a query, by picture of ${name}, ${Math.round(picture.length / 1000)} kB`,
        milliseconds: adding,
        baseline: `${atMost} times decoding it with sharp`,
        baselineMilliseconds: atMost * decoding,
        atLeast: 1,
      });
    }
    return comparisons;
  },
};

/** The CPU time in milliseconds for each item that is counted, with what is done after all of them: others' work hardly changes it. */
async function timeOfEach<T>(
  items: readonly T[],
  use: (item: T) => Promise<unknown>,
  finish: () => Promise<unknown> = async () => {},
): Promise<number> {
  for (const item of items.slice(0, TO_WARM_UP)) await use(item);
  const counted = items.slice(TO_WARM_UP);
  const start = process.cpuUsage();
  for (const item of counted) await use(item);
  await finish();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / counted.length;
}
