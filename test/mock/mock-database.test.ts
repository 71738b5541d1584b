import {
  DOCUMENTED_REQUEST_RATE_LIMITS,
  fixedRater,
  flatPicture,
  ManualClock,
  MockCloudReco,
  samplePicture,
} from "mock-cloud-reco";
import { describe, expect, test, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";

describe("a database of a mock", () => {
  test("shows its current state, quotas, counts and limits", () => {
    using mock = new MockCloudReco();
    const database = mock.addCloudDatabase();
    expect(database).toMatchObject({
      stateName: "WORKING",
      requestQuota: 100_000,
      targetQuota: 1000,
      recoThreshold: 1000,
      currentMonthRecos: 0,
      previousMonthRecos: 0,
      totalRecos: 0,
      requestsPerSecondLimit: null,
      requestRateLimits: null,
    });
    const changes = {
      stateName: "PROJECT_INACTIVE",
      requestQuota: 1,
      targetQuota: 2,
      recoThreshold: 3,
      currentMonthRecos: 4,
      previousMonthRecos: 5,
      totalRecos: 6,
      requestsPerSecondLimit: 7,
      requestRateLimits: DOCUMENTED_REQUEST_RATE_LIMITS,
    } as const;
    mock.updateDatabase(database, changes);
    expect(database).toMatchObject(changes);
  });

  test("of VuMark templates has no quota of targets, also if another copy of the package made its handle", () => {
    using mock = new MockCloudReco();
    const database = { ...mock.addVuMarkDatabase() };
    expect(() => mock.updateDatabase(database as never, { targetQuota: 1 })).toThrow("targetQuota");
  });

  test("has no targets, and throws for its state, after it was deleted", () => {
    using mock = new MockCloudReco();
    const database = mock.addCloudDatabase({ databaseName: "shop" });
    expect(mock.deleteDatabase(database)).toBe(true);
    expect(mock.deleteDatabase(database)).toBe(false);
    expect(database.targets).toEqual([]);
    expect(() => database.stateName).toThrow('the database "shop" was deleted');
    expect(() => mock.updateDatabase(database, { targetQuota: 1 })).toThrow('there is no database "shop"');
  });
});

describe("mistakes with a mock's own functions are named", () => {
  test.for([
    ['"name"', "name"],
    ["an object", { name: "name" }],
    ["undefined", undefined],
  ] as const)("%s where a database belongs", async ([shown, given]) => {
    using mock = new MockCloudReco();
    const wrong = given as never;
    const expected = (method: string) =>
      `${method}: expected a database first, as addCloudDatabase() returns it; got ${shown}`;
    await expect(mock.addTarget(wrong, wrong)).rejects.toThrow(expected("addTarget"));
    await expect(mock.updateTarget(wrong, "id", {})).rejects.toThrow(expected("updateTarget"));
    expect(() => mock.deleteTarget(wrong, "id")).toThrow(expected("deleteTarget"));
    expect(() => mock.updateDatabase(wrong, {})).toThrow(expected("updateDatabase"));
    expect(() => mock.deleteDatabase(wrong)).toThrow(expected("deleteDatabase"));
    expect(() => mock.setRecognitionCounts(wrong, "id", {})).toThrow(expected("setRecognitionCounts"));
  });

  test("a snapshot as text", () => {
    using mock = new MockCloudReco();
    expect(() => mock.restore(JSON.stringify(mock.snapshot()) as never)).toThrow("restore(JSON.parse(text))");
  });

  test("a picture that is not awaited", async () => {
    await using mock = new MockCloudReco();
    const database = mock.addCloudDatabase();
    const image: unknown = samplePicture(1);
    const adding = mock.addTarget(database, Object.assign({ name: "poster" }, { image }) as never);
    await expect(adding).rejects.toThrow("got a Promise: await it.");
  });

  test("a database of another mock", async () => {
    await using mock = new MockCloudReco();
    await using other = new MockCloudReco();
    const database = other.addCloudDatabase({ databaseName: "shop" });
    expect(() => mock.updateDatabase(database, { targetQuota: 1 })).toThrow(
      'there is no database "shop" here: it was deleted, or belongs to another mock',
    );
  });
});

describe("a target that is added", () => {
  test("as failed ends processing so, whatever its image, until its image changes", async () => {
    const clock = new ManualClock();
    using mock = new MockCloudReco({ clock, processingTimeSeconds: 2 });
    const database = mock.addCloudDatabase();
    const image = await samplePicture(1);
    const { status } = await mock.addTarget(database, { name: "later", image, status: "failed" });
    const { status: atOnce } = await mock.addTarget(database, { image, status: "failed", processed: true });
    expect([status, atOnce]).toEqual(["processing", "failed"]);
    clock.advance(2);
    const later = () => database.targets.find(({ name }) => name === "later");
    const target = later();
    expect(target).toMatchObject({ name: "later", status: "failed", trackingRating: 5 });
    expect(target?.whyNotFound).toContain('unless it was added with status: "failed"');
    const body = { image: image.toString("base64") };
    const session = new MockSession(mock, database, () => clock.now());
    const path = `/targets/${target?.targetId}`;
    expect((await session.target({ method: "PUT", path, body })).status).toBe(200);
    clock.advance(2);
    expect(later()).toMatchObject({ status: "success" });
  });

  test("with another status is refused", async () => {
    using mock = new MockCloudReco();
    const fields = { image: await flatPicture(), status: "success" as "failed" };
    await expect(mock.addTarget(mock.addCloudDatabase(), fields)).rejects.toThrow(
      'Invalid target.status: expected "failed"; got "success".',
    );
  });

  test.each([
    ["failed", {}, "failed: the image has only one colour"],
    ["rated 0", { targetRater: fixedRater(0) }, "tracking rating 0; expected above 0"],
  ])("as processed, but %s, makes the process warn once", async (what, options, why) => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    using mock = new MockCloudReco({ processingTimeSeconds: 60, ...options });
    const database = mock.addCloudDatabase();
    const [good, flat] = [await samplePicture(1), await flatPicture()];
    const image = what === "failed" ? flat : good;
    await mock.addTarget(database, { image });
    await mock.addTarget(database, { image, processed: true, status: "failed" });
    expect(warn).not.toHaveBeenCalled();
    for (const name of ["poster", "label"]) await mock.addTarget(database, { name, image, processed: true });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining(`no query will find the target "poster": ${why}`),
      { code: "MOCK_CLOUD_RECO_TARGET" },
    );
    warn.mockRestore();
  });
});

test("start() does nothing while the mock is started", async () => {
  const before = globalThis.fetch;
  using mock = new MockCloudReco();
  mock.start();
  expect((await fetch(`${mock.urls.target}/summary`)).status).toBe(401);
  expect(mock.requests).toHaveLength(1);
  mock.stop();
  expect(globalThis.fetch).toBe(before);
});
