import { samplePicture } from "mock-cloud-reco";
import { test } from "mock-cloud-reco/vitest";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { VuforiaClient } from "../client/vuforia-client.cjs";

const picture = await samplePicture(1);

describe("with fake timers", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("nobody waits for processing", async ({ database }) => {
    const client = new VuforiaClient(database);
    const id = await client.addTarget("picture", picture);
    vi.advanceTimersByTime(499);
    expect(await client.statusOf(id)).toBe("processing");
    vi.advanceTimersByTime(1);
    expect(await client.statusOf(id)).toBe("success");
  });
});

describe("tests that run at the same time", () => {
  for (const name of ["first", "second", "third"]) {
    test.concurrent(`do not see each other: ${name}`, async ({ mock, database }) => {
      const client = new VuforiaClient(database);
      await client.addTarget(name, picture);
      await client.summary();
      expect(database.targets.map((target) => target.name)).toEqual([name]);
      expect(mock.requests.map(({ operation }) => operation)).toEqual(["addTarget", "databaseSummary"]);
    });
  }
});
