import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/emulator/random.ts";
import { newCloudDatabase } from "../../src/schema/cloud-database.ts";
import { newTemplateTarget, newVuMarkDatabase } from "../../src/schema/database.ts";

const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);

describe("newCloudDatabase", () => {
  it("has a free license's quotas, no limits, and generated names and keys", () => {
    expect(newCloudDatabase({}, createRandom())).toEqual({
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
    });
  });

  it("generates every key anew, and the same ones from the same seed", () => {
    const {
      databaseId: id,
      databaseName: name,
      serverAccessKey,
      serverSecretKey,
      clientAccessKey,
      clientSecretKey,
    } = newCloudDatabase({}, createRandom());
    const keys = [id, name, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey];
    expect(new Set(keys).size).toBe(6);
    expect(newCloudDatabase({}, createRandom("seed"))).toEqual(newCloudDatabase({}, createRandom("seed")));
  });

  it("keeps given values, including zero and null", () => {
    const limits = { requestsPerSecondLimit: 5, requestRateLimits: null };
    const given = {
      databaseName: "mine",
      targetQuota: 0,
      requestsPerSecondLimit: null,
    };
    expect(newCloudDatabase(given, createRandom(), limits)).toMatchObject({
      databaseName: "mine",
      targetQuota: 0,
      requestsPerSecondLimit: null,
      serverAccessKey: HEX,
    });
    expect(newCloudDatabase({}, createRandom(), limits).requestsPerSecondLimit).toBe(5);
  });
});

describe("newVuMarkDatabase", () => {
  it("has generated name and keys and works", () => {
    const expected = { kind: "vumark", databaseName: HEX, serverAccessKey: HEX, serverSecretKey: HEX };
    expect(newVuMarkDatabase({}, createRandom())).toEqual({ ...expected, stateName: "WORKING" });
  });
});

describe("newTemplateTarget", () => {
  it("is uploaded now and processed at once", () => {
    expect(newTemplateTarget({ name: "label" }, createRandom(), 1234)).toEqual({
      targetId: HEX,
      name: "label",
      processingTimeSeconds: 0,
      uploadDate: 1234,
      lastModifiedDate: 1234,
      processed: false,
    });
  });

  it("was last modified at its upload unless said otherwise", () => {
    expect(newTemplateTarget({ name: "label", uploadDate: 5 }, createRandom(), 1234).lastModifiedDate).toBe(
      5,
    );
    expect(
      newTemplateTarget({ name: "label", lastModifiedDate: 7 }, createRandom(), 1234).lastModifiedDate,
    ).toBe(7);
  });
});
