import { DOCUMENTED_REQUEST_RATE_LIMITS, MockCloudReco } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";

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

  test("has no targets, and throws for its state, after it was deleted", () => {
    using mock = new MockCloudReco();
    const database = mock.addCloudDatabase({ databaseName: "shop" });
    expect(mock.deleteDatabase(database)).toBe(true);
    expect(mock.deleteDatabase(database)).toBe(false);
    expect(database.targets).toEqual([]);
    expect(() => database.stateName).toThrow('the database "shop" was deleted');
    expect(() => mock.updateDatabase(database, { targetQuota: 1 })).toThrow(
      'the mock has no database "shop"',
    );
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
