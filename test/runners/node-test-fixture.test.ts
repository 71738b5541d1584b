import type { TestContext } from "node:test";
import { MockCloudReco } from "mock-cloud-reco";
import { assertReceived, withMockCloudReco } from "mock-cloud-reco/node-test";
import { expect, test } from "vitest";

// test/package tests the packed package in node:test itself; here the tests are called as node:test would call them.
const context: TestContext = Object.create(null);
const summary = () => fetch("https://vws.vuforia.com/summary");

test("every test has its own mock and empty database, and the context of node:test", async () => {
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

test("the mock has the options", async () => {
  const options = { database: { databaseName: "pictures" } };
  const run = withMockCloudReco(options, ({ database }) => {
    expect(database.databaseName).toBe("pictures");
  });
  await run(context);
  expect.assertions(1);
});

test("the mock stops when the test fails, and the test's error is kept", async () => {
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
