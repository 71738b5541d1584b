import { exactMatcher, fixedRater, MockCloudReco, perfectRater, samplePicture } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";
import { lines, opened } from "./opened.ts";

describe("the printed journal of a query explains why each target", () => {
  it("matched or not, the nearest first", async () => {
    let rating = 5;
    await using service = await opened({ queryMatcher: exactMatcher, targetRater: () => rating });
    const { mock, session, database, clock } = service;
    const image = makePng();
    const other = makePng({ width: 33 });
    await mock.addTarget(database, { name: "other", targetId: "a", image: other, processed: true });
    await mock.addTarget(database, { name: "same", targetId: "b", image, processed: true });
    await mock.addTarget(database, { name: "again", targetId: "c", image, processed: true });
    await mock.addTarget(database, { name: "off", targetId: "d", image, processed: true, activeFlag: false });
    rating = 0;
    await mock.addTarget(database, { name: "poor", targetId: "e", image, processed: true });
    const flat = makePng({ fill: 200 });
    await mock.addTarget(database, { name: "flat", targetId: "f", image: flat, processed: true });
    clock.advance(10);
    await mock.addTarget(database, { name: "new", targetId: "g", image });
    clock.advance(0.5);
    await session.query(image);
    expect(lines(mock.explain())).toEqual([
      "1 request, none refused",
      '#1 2026-11-21T12:00:10.500Z POST /v1/query → 200 Success (query, database "shop")',
      '✓ "same" (b): matched: score 1, rank 1',
      '✓ "again" (c): score 1, rank 2, cut off by max_num_results 1',
      '✗ "off" (d): inactive: its active_flag is false',
      '✗ "poor" (e): tracking rating 0; expected above 0',
      '✗ "flat" (f): failed: the image has only one colour, or nearly so (unless it was added with status: "failed")',
      '✗ "new" (g): still processing, for 1.5 s more; finishProcessing() ends it at once',
      '✗ "other" (a): no score: the matcher found no match',
    ]);
  });

  it("was not there, when the database is empty", async () => {
    await using service = await opened();
    await service.session.query();
    expect(lines(service.mock.explain())[2]).toBe("the database has no targets");
  });

  it("up to ten, and how many more there are", async () => {
    await using service = await opened({ queryMatcher: exactMatcher, targetRater: fixedRater(1) });
    const { mock, database, session } = service;
    const image = makePng({ width: 33 });
    for (let index = 0; index < 12; index++) await mock.addTarget(database, { image, processed: true });
    await session.query();
    expect(mock.requests[0]?.considered).toHaveLength(12);
    expect(lines(mock.explain())).toHaveLength(2 + 10 + 1);
    expect(lines(mock.explain()).at(-1)).toBe("and 2 more targets");
  });
});

it("shows the nearest targets of a query before those that are not searched", async () => {
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  const database = mock.addCloudDatabase();
  for (let number = 0; number < 11; number += 1) {
    const inactive = { name: `inactive ${number}`, activeFlag: false, processed: true };
    await mock.addTarget(database, { ...inactive, image: await samplePicture(3) });
  }
  await mock.addTarget(database, { name: "other", image: await samplePicture(1), processed: true });
  const session = new MockSession(mock, database);
  expect((await session.query(await samplePicture(2))).status).toBe(200);
  expect(mock.requests.at(-1)?.considered?.[0]).toMatchObject({ name: "other", matched: false });
});
