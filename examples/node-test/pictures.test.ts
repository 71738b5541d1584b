import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { assertReceived, assertRefusedNothing, withMockCloudReco } from "mock-cloud-reco/node-test";
import { VuforiaClient } from "../client/vuforia-client.mjs";

const raccoon = await readFile(new URL("../demo/images/raccoon.jpg", import.meta.url));

test(
  "a picture is added once",
  withMockCloudReco(async ({ mock, database }) => {
    const client = new VuforiaClient(database);
    const id = await client.addTarget("raccoon", raccoon);
    mock.finishProcessing();
    assert.equal(await client.statusOf(id), "success");
    assertReceived(mock, "addTarget", { times: 1 });
    assertRefusedNothing(mock);
  }),
);

test(
  "nobody waits for processing",
  withMockCloudReco({ failOnRefusedRequests: true }, async ({ database }, t) => {
    t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 31) });
    const client = new VuforiaClient(database);
    const id = await client.addTarget("raccoon", raccoon);
    t.mock.timers.tick(500);
    assert.equal(await client.statusOf(id), "success");
  }),
);

describe("tests that run at the same time", { concurrency: true }, () => {
  for (const name of ["first", "second", "third"]) {
    test(
      `do not see each other: ${name}`,
      withMockCloudReco(async ({ mock, database }) => {
        const client = new VuforiaClient(database);
        await client.addTarget(name, raccoon);
        await client.summary();
        assert.deepEqual(
          database.targets.map((target) => target.name),
          [name],
        );
        assert.deepEqual(
          mock.requests.map(({ operation }) => operation),
          ["addTarget", "databaseSummary"],
        );
      }),
    );
  }
});
