import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brisqueRater, featureMatcher, featureRater, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { sendPlan } from "../protocol/query/send.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { goodPlan, imagePart } from "../support/query-plan.ts";

/** A mock with this many pictures that were just added. */
async function withPictures(count: number, options = {}) {
  const mock = new MockCloudReco({ processingTimeSeconds: 0, queryContentEncoding: "identity", ...options });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase();
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const pictures = await Promise.all(numbers.map((number) => samplePicture(number)));
  await Promise.all(pictures.map((image) => mock.addTarget(database, { image })));
  return { mock, database, pictures };
}

describe.each([
  ["quality", {}, brisqueRater],
  ["features", { targetRater: featureRater, queryMatcher: featureMatcher }, featureRater],
])("ratings by %s", (_, options, rater) => {
  it("are there as soon as a target is added: for readers, in snapshots, and in a saved file", async () => {
    const { mock, database, pictures } = await withPictures(3, options);
    const ratings = await Promise.all(pictures.map((picture) => rater(picture)));
    expect(database.targets.map(({ trackingRating }) => trackingRating)).toEqual(ratings);
    const ratingsIn = ({ databases }: ReturnType<typeof mock.snapshot>) =>
      databases.flatMap(({ targets }) => targets.map(({ rating }) => rating));
    expect(ratingsIn(mock.snapshot())).toEqual(ratings);
    const folder = await mkdtemp(join(tmpdir(), "ratings-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mock.save(join(folder, "state.json"));
    expect(ratingsIn(JSON.parse(await readFile(join(folder, "state.json"), "utf8")))).toEqual(ratings);
  });

  it("leave the image ready for a query that follows at once", async () => {
    const { mock, database, pictures } = await withPictures(5, options);
    const plan = { ...goodPlan(mock.clock.now()), parts: [imagePart(pictures[2])] };
    const response = await sendPlan(mock, database, plan);
    expect(JSON.parse(response.body.toString()).results).toHaveLength(1);
  });
});

it("ratings are the same through servers", async () => {
  await using servers = await startServers({ targetRater: "features", processingTimeSeconds: 0 });
  const database = await servers.addCloudDatabase();
  const client = new VuforiaClient(database, servers.urls.target, servers.urls.query);
  const pictures = await Promise.all([1, 2, 3].map((number) => samplePicture(number)));
  const ids = await Promise.all(pictures.map((picture, index) => client.addTarget(`${index}`, picture)));
  const found = await servers.findCloudDatabase(database.databaseName);
  const ratings = ids.map((id) => found?.targets.find(({ targetId }) => targetId === id)?.trackingRating);
  expect(ratings).toEqual(await Promise.all(pictures.map((picture) => featureRater(picture))));
});

it("the same image added many times at once is rated alike, by the package's rater and by one's own", async () => {
  const image = makePng({ width: 90, height: 70, fill: (index) => noiseByte(index + 99) });
  const { mock, database } = await withPictures(0);
  const added = await Promise.all([1, 2, 3].map(() => mock.addTarget(database, { image })));
  expect(added.map(({ trackingRating }) => trackingRating)).toEqual(Array(3).fill(await brisqueRater(image)));
  let calls = 0;
  const own = await withPictures(0, { targetRater: () => ++calls });
  const ratings = [];
  for (let count = 0; count < 3; count++)
    ratings.push((await own.mock.addTarget(own.database, { image })).trackingRating);
  expect(ratings).toEqual([1, 2, 3]);
});

it("an error in a rater fails that addition, and no other", async () => {
  let fails = true;
  const targetRater = async () => {
    if (fails) throw new Error("the rater failed");
    return 3;
  };
  const { mock, database } = await withPictures(0, { targetRater });
  const image = await samplePicture(1);
  await expect(mock.addTarget(database, { image })).rejects.toThrow("the rater failed");
  fails = false;
  expect((await mock.addTarget(database, { image })).trackingRating).toBe(3);
});

it("a PNG of more than 300000 rows is a bad image, added or queried", async () => {
  const { mock, database } = await withPictures(0);
  const tall = (height: number) => makePng({ width: 1, height, colourType: 0, fill: 7 });
  await expect(mock.addTarget(database, { image: tall(300_001) })).rejects.toThrow(
    "(BadImage): scale the image down: the PNG has 300001 rows; expected at most 300000",
  );
  expect((await mock.addTarget(database, { image: tall(300_000) })).trackingRating).toBe(0);
  const plan = { ...goodPlan(mock.clock.now()), parts: [imagePart(tall(300_001))] };
  const response = await sendPlan(mock, database, plan);
  expect([response.status, JSON.parse(response.body.toString()).result_code]).toEqual([422, "BadImage"]);
});
