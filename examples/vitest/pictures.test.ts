import { samplePicture } from "mock-cloud-reco";
import { test } from "mock-cloud-reco/vitest";
import { describe, expect } from "vitest";
import { VuforiaClient } from "../client/vuforia-client.cjs";

const picture = await samplePicture(1);

test("a picture is added once", async ({ mock, database }) => {
  const client = new VuforiaClient(database);
  const id = await client.addTarget("picture", picture);
  mock.finishProcessing();
  expect(await client.statusOf(id)).toBe("success");
  expect(mock).toHaveReceived("addTarget", { times: 1 });
  expect(mock).toHaveRefusedNothing();
});

test("every test begins with an empty database", async ({ mock, database }) => {
  expect(database.targets).toEqual([]);
  expect(mock).not.toHaveReceived("addTarget");
});

describe("without processing time", () => {
  test.override({ mockOptions: { processingTimeSeconds: 0, failOnRefusedRequests: true } });

  test("a picture is found at once", async ({ database }) => {
    const client = new VuforiaClient(database);
    const id = await client.addTarget("picture", picture);
    expect(await client.find(picture)).toMatchObject([{ target_id: id }]);
  });
});
