import { featureMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { drawn, sceneOf } from "../bench/scenes/conditions.ts";
import { results, START } from "../protocol/query/send.ts";
import { firstOf } from "../support/combinations.ts";
import { pngOf } from "../support/photographs.ts";

/** Scenes in which too few features of the photograph agree: its height, of the second its width, has to be halved. */
const TILTED = [3, 43];

it.each(firstOf(TILTED, 1))("featureMatcher finds a picture tilted by 45 to 60°: scene %i", async (index) => {
  const [clock, seed] = [new ManualClock(START), 1];
  await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher, clock });
  const keys = mock.addCloudDatabase();
  const { shown, take } = sceneOf("tilt to 60°", index, seed);
  for (const picture of shown) {
    const image = await pngOf(await drawn(picture, seed));
    await mock.addTarget(keys, { name: "tilted", image, processed: true });
  }
  expect(await results({ urls: mock.urls, clock }, keys, await take())).toHaveLength(1);
  // As it is in the photograph, not in what was searched
  expect(mock.requests.at(-1)?.considered?.at(0)?.why).toMatch(/tilt about (4[5-9]|5\d|6[0-2])°$/);
});
