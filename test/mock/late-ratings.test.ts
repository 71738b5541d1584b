import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { brisqueRater, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { latestSketches, ratingJobs } from "../../src/images/cache.ts";
import { goodPlan, imagePart } from "../../src/verify/query-plan.ts";
import { sendPlan } from "../protocol/query/send.ts";

const isRated = (picture: Buffer) =>
  ratingJobs.get(createHash("sha256").update(picture).digest("hex"))?.isSettled;

/** A mock with this many pictures that were just added. */
async function withPictures(count: number, processingTimeSeconds = 0, size = {}) {
  const mock = new MockCloudReco({ processingTimeSeconds, queryContentEncoding: "identity" });
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
    expect(pictures.map(isRated)).toContain(false);
    ratingJobs.clear();
    const { pictures: others } = await withPictures(3, 2);
    while (others.map(isRated).includes(false)) await turn();
  });

  it("are waited for by a query that follows at once", async () => {
    const { mock, database, pictures } = await withPictures(5);
    const [, , third = Buffer.alloc(0)] = pictures;
    const plan = { ...goodPlan(mock.clock.now()), parts: [imagePart(third)] };
    const response = await sendPlan(mock, database, plan);
    expect(JSON.parse(response.body.toString()).results).toHaveLength(1);
  });
});
