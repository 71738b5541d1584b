import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { samplePicture } from "mock-cloud-reco";
import { assertReceived, assertRefusedNothing, withMockCloudReco } from "mock-cloud-reco/node-test";
import { VuforiaClient } from "../client/vuforia-client.cjs";

const picture = await samplePicture(1);

test(
  "a picture is added once",
  withMockCloudReco(async ({ mock, database }) => {
    const client = new VuforiaClient(database);
    const id = await client.addTarget("picture", picture);
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
    const id = await client.addTarget("picture", picture);
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
        await client.addTarget(name, picture);
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
