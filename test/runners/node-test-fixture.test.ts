import type { TestContext } from "node:test";
import { MockCloudReco } from "mock-cloud-reco";
import { assertReceived, withMockCloudReco } from "mock-cloud-reco/node-test";
import { expect, test } from "vitest";

// node:test itself runs the packed package in test/package; here its tests are called as it would call them.
const context: TestContext = Object.create(null);
const summary = () => fetch("https://vws.vuforia.com/summary");

test("every test has a mock and an empty database of its own, and the context of node:test", async () => {
  const seen = new Set<MockCloudReco>();
  const run = withMockCloudReco(async ({ mock, database }, given) => {
    expect(given).toBe(context);
    expect(mock).toBeInstanceOf(MockCloudReco);
    expect(mock.requests).toEqual([]);
    expect(database.targets).toEqual([]);
    await summary();
    assertReceived(mock, "databaseSummary", { times: 1 });
    seen.add(mock);
  });
  await run(context);
  await run(context);
  expect(seen.size).toBe(2);
});

test("options are the mock's", async () => {
  const options = { database: { databaseName: "pictures" } };
  const run = withMockCloudReco(options, ({ database }) => {
    expect(database.databaseName).toBe("pictures");
  });
  await run(context);
  expect.assertions(1);
});

test("the mock ends with a test that fails, whose error stays", async () => {
  const before = globalThis.fetch;
  const run = withMockCloudReco(() => {
    expect(globalThis.fetch).not.toBe(before);
    throw new Error("the test's own");
  });
  await expect(run(context)).rejects.toThrow("the test's own");
  expect(globalThis.fetch).toBe(before);
});

test("failOnRefusedRequests fails the test", async () => {
  const run = withMockCloudReco({ failOnRefusedRequests: true }, () => summary());
  await expect(run(context)).rejects.toThrow(
    /^the mock refused 1 request, and failOnRefusedRequests is set:/,
  );
});
