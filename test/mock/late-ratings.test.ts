import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { brisqueRater, featureMatcher, featureRater, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { featureRatingJobs, latestFeatures, latestSketches, ratingJobs } from "../../src/images/cache.ts";
import { goodPlan, imagePart } from "../../src/verify/query-plan.ts";
import { sendPlan } from "../protocol/query/send.ts";

const isRated = (picture: Buffer, jobs = ratingJobs) =>
  jobs.get(createHash("sha256").update(picture).digest("hex"))?.isDone;

/** A mock with this many pictures that were just added. */
async function withPictures(count: number, processingTimeSeconds = 0, size = {}, options = {}) {
  const mock = new MockCloudReco({ processingTimeSeconds, queryContentEncoding: "identity", ...options });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase();
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const pictures = await Promise.all(numbers.map((number) => samplePicture(number, size)));
  await Promise.all(pictures.map((image) => mock.addTarget(database, { image })));
  return { mock, database, pictures };
}

describe("ratings and sketches that are made after a target was added", () => {
  beforeEach(() => {
    ratingJobs.clear();
    latestSketches.clear();
  });

  it("are there for those who read without waiting", async () => {
    const { mock, database, pictures } = await withPictures(3);
    const ratings = await Promise.all(pictures.map((picture) => brisqueRater(picture)));
    ratingJobs.clear();
    const again = await withPictures(3);
    expect(again.database.targets.map(({ trackingRating }) => trackingRating)).toEqual(ratings);
    expect(database.targets.map(({ trackingRating }) => trackingRating)).toEqual(ratings);
    const rated = mock.snapshot().databases.flatMap(({ targets }) => targets.map(({ rating }) => rating));
    expect(rated).toEqual(ratings);
  });

  it("are in a file that is saved at once", async () => {
    const { mock } = await withPictures(2);
    const folder = await mkdtemp(join(tmpdir(), "late-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mock.save(join(folder, "state.json"));
    const { databases } = JSON.parse(await readFile(join(folder, "state.json"), "utf8"));
    expect(databases[0].targets).toHaveLength(2);
    for (const { rating } of databases[0].targets) expect(rating).toBeGreaterThanOrEqual(0);
  });

  it("are made in the background, unless the mock stops first", async () => {
    const { mock, pictures } = await withPictures(3, 2, { width: 1200, height: 900 });
    mock.stop();
    for (let count = 0; count < 300; count++) await turn();
    expect(pictures.every((picture) => isRated(picture))).toBe(false);
    ratingJobs.clear();
    const { pictures: others } = await withPictures(3, 2);
    while (others.map((picture) => isRated(picture)).includes(false)) await turn();
  });

  it("are waited for by a query that follows at once", async () => {
    const { mock, database, pictures } = await withPictures(5);
    const [, , third = Buffer.alloc(0)] = pictures;
    const plan = { ...goodPlan(mock.clock.now()), parts: [imagePart(third)] };
    const response = await sendPlan(mock, database, plan);
    expect(JSON.parse(response.body.toString()).results).toHaveLength(1);
  });
});

describe("ratings by features that are made after a target was added", () => {
  const byFeatures = { targetRater: featureRater };
  const forget = () => {
    featureRatingJobs.clear();
    latestFeatures.clear();
  };
  beforeEach(forget);

  const ratingsOf = (pictures: readonly Buffer[]) => {
    forget();
    return Promise.all(pictures.map((picture) => featureRater(picture)));
  };

  it("are there for those who read without waiting, in any order, while others wait", async () => {
    // Nobody waits while processing lasts.
    const { mock, database, pictures } = await withPictures(4, 60, {}, byFeatures);
    mock.finishProcessing();
    const [first = Buffer.alloc(0)] = pictures;
    const waiting = featureRater(first);
    await turn();
    const read = database.targets.toReversed().map(({ trackingRating }) => trackingRating);
    const kept = mock.snapshot().databases.flatMap(({ targets }) => targets.map(({ rating }) => rating));
    const ratings = await ratingsOf(pictures);
    expect([kept, read.toReversed(), await waiting]).toEqual([ratings, ratings, ratings[0]]);
  });

  it("leave the features to a query that follows at once", async () => {
    const options = { ...byFeatures, queryMatcher: featureMatcher };
    const { mock, database, pictures } = await withPictures(3, 60, {}, options);
    mock.finishProcessing();
    const [, second = Buffer.alloc(0)] = pictures;
    const plan = { ...goodPlan(mock.clock.now()), parts: [imagePart(second)] };
    const response = await sendPlan(mock, database, plan);
    expect(JSON.parse(response.body.toString()).results).toHaveLength(1);
  });

  it("do not keep others from theirs when their mock stops", async () => {
    const { mock } = await withPictures(3, 60, { width: 1200, height: 900 }, byFeatures);
    for (let count = 0; count < 3; count++) await turn();
    mock.stop();
    const { pictures: others } = await withPictures(1, 60, {}, byFeatures);
    while (others.map((picture) => isRated(picture, featureRatingJobs)).includes(false)) await turn();
  });

  it("are waited for by requests, also through servers", async () => {
    await using servers = await startServers({ targetRater: "features", processingTimeSeconds: 0 });
    const database = await servers.addCloudDatabase();
    const client = new VuforiaClient(database, servers.urls.target, servers.urls.query);
    const pictures = await Promise.all([1, 2, 3].map((number) => samplePicture(number)));
    const ids = await Promise.all(pictures.map((picture, index) => client.addTarget(`${index}`, picture)));
    const found = await servers.findCloudDatabase(database.databaseName);
    const ratings = ids.map((id) => found?.targets.find(({ targetId }) => targetId === id)?.trackingRating);
    expect(ratings).toEqual(await ratingsOf(pictures));
  });
});
