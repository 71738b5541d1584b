import { ManualClock, MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";

const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);
const NOW = new Date("2026-11-21T12:00:00Z");

const opened = (options: MockCloudRecoOptions = {}) =>
  new MockCloudReco({ intercept: false, clock: new ManualClock(NOW), ...options });
/** All fields of the mock's databases. */
const databasesOf = (mock: MockCloudReco) => mock.snapshot().databases.map(({ database }) => database);

describe("a new cloud database", () => {
  it("has a free license's quotas, no limits, and generated names and keys", () => {
    using mock = opened();
    mock.addCloudDatabase();
    expect(databasesOf(mock)).toEqual([
      {
        kind: "cloud",
        databaseId: HEX,
        databaseName: HEX,
        serverAccessKey: HEX,
        serverSecretKey: HEX,
        clientAccessKey: HEX,
        clientSecretKey: HEX,
        stateName: "WORKING",
        databaseTypeName: "CLOUD_RECO",
        requestQuota: 100_000,
        recoThreshold: 1000,
        currentMonthRecos: 0,
        previousMonthRecos: 0,
        totalRecos: 0,
        targetQuota: 1000,
        requestsPerSecondLimit: null,
        requestRateLimits: null,
      },
    ]);
  });

  it("gets every key anew, and the same ones from the same seed", () => {
    const keysOf = (options: MockCloudRecoOptions) => {
      using mock = opened(options);
      const { databaseId, databaseName, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey } =
        mock.addCloudDatabase();
      return [databaseId, databaseName, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey];
    };
    expect(new Set([...keysOf({}), ...keysOf({})]).size).toBe(12);
    expect(keysOf({ seed: "seed" })).toEqual(keysOf({ seed: "seed" }));
    expect(keysOf({ seed: "seed" })).not.toEqual(keysOf({ seed: "other" }));
  });

  it("keeps given values, including zero and null, whatever the options say", () => {
    using mock = opened({ requestsPerSecondLimit: 5 });
    mock.addCloudDatabase({ databaseName: "mine", targetQuota: 0, requestsPerSecondLimit: null });
    mock.addCloudDatabase();
    expect(databasesOf(mock)).toMatchObject([
      { databaseName: "mine", targetQuota: 0, requestsPerSecondLimit: null, serverAccessKey: HEX },
      { requestsPerSecondLimit: 5 },
    ]);
  });
});

describe("a new VuMark database", () => {
  it("has generated name and keys and works", () => {
    using mock = opened();
    mock.addVuMarkDatabase();
    expect(databasesOf(mock)).toEqual([
      {
        kind: "vumark",
        databaseName: HEX,
        serverAccessKey: HEX,
        serverSecretKey: HEX,
        stateName: "WORKING",
      },
    ]);
  });

  it("has template targets that are uploaded now, or when they say, and processed at once", async () => {
    await using mock = opened();
    const { databaseName } = mock.addVuMarkDatabase();
    const add = (fields: object) =>
      mock.fetch(`${mock.urls.manager}/vumark_databases/${databaseName}/vumark_targets`, {
        method: "POST",
        body: JSON.stringify(fields),
      });
    await add({ name: "label" });
    await add({ name: "old", upload_date: "2026-01-01T00:00:00.000Z" });
    await add({ name: "changed", last_modified_date: "2026-02-01T00:00:00.000Z" });
    const [{ templates } = { templates: [] }] = mock.snapshot().databases;
    const [now, uploaded, changed] = [NOW.getTime(), Date.UTC(2026, 0), Date.UTC(2026, 1)];
    expect(templates).toMatchObject([
      { name: "label", uploadDate: now, lastModifiedDate: now },
      { name: "old", uploadDate: uploaded, lastModifiedDate: uploaded },
      { name: "changed", uploadDate: now, lastModifiedDate: changed },
    ]);
    expect(templates[0]).toEqual({
      targetId: HEX,
      name: "label",
      processingTimeSeconds: 0,
      uploadDate: now,
      lastModifiedDate: now,
      processed: false,
    });
  });
});
