import { describe, expect, it } from "vitest";
import { newCloudDatabase, newTemplateTarget, newVuMarkDatabase } from "../../src/domain/new-database.ts";
import { createRandom } from "../../src/runtime/random.ts";

const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);

describe("newCloudDatabase", () => {
  it("has a free license's quotas, no limits, and generated names and keys", () => {
    expect(newCloudDatabase({}, createRandom())).toEqual({
      kind: "cloud",
      id: HEX,
      name: HEX,
      serverAccessKey: HEX,
      serverSecretKey: HEX,
      clientAccessKey: HEX,
      clientSecretKey: HEX,
      state: "WORKING",
      typeName: "CLOUD_RECO",
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
    const { id, name, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey } = newCloudDatabase(
      {},
      createRandom(),
    );
    const keys = [id, name, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey];
    expect(new Set(keys).size).toBe(6);
    expect(newCloudDatabase({}, createRandom("seed"))).toEqual(newCloudDatabase({}, createRandom("seed")));
  });

  it("keeps what is given, zero and null included, and takes undefined as absent", () => {
    const limits = { requestsPerSecondLimit: 5, requestRateLimits: null };
    const given = { name: "mine", targetQuota: 0, requestsPerSecondLimit: null, serverAccessKey: undefined };
    expect(newCloudDatabase(given, createRandom(), limits)).toMatchObject({
      name: "mine",
      targetQuota: 0,
      requestsPerSecondLimit: null,
      serverAccessKey: HEX,
    });
    expect(newCloudDatabase({}, createRandom(), limits).requestsPerSecondLimit).toBe(5);
  });
});

describe("newVuMarkDatabase", () => {
  it("has generated name and keys and works", () => {
    const expected = { kind: "vumark", name: HEX, serverAccessKey: HEX, serverSecretKey: HEX };
    expect(newVuMarkDatabase({}, createRandom())).toEqual({ ...expected, state: "WORKING" });
  });
});

describe("newTemplateTarget", () => {
  it("is uploaded now and processed at once", () => {
    expect(newTemplateTarget({ name: "label" }, createRandom(), 1234)).toEqual({
      id: HEX,
      name: "label",
      processingTimeSeconds: 0,
      uploadedAt: 1234,
      modifiedAt: 1234,
      processed: false,
    });
  });

  it("was last modified at its upload unless said otherwise", () => {
    expect(newTemplateTarget({ name: "label", uploadedAt: 5 }, createRandom(), 1234).modifiedAt).toBe(5);
    expect(newTemplateTarget({ name: "label", modifiedAt: 7 }, createRandom(), 1234).modifiedAt).toBe(7);
  });
});
