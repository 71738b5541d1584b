import { executionAsyncResource } from "node:async_hooks";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { fetchClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";

/** How many values Node 20 copies to each new asynchronous operation. */
const carriedValues = () => Object.getOwnPropertySymbols(executionAsyncResource()).length;

it("does not make later asynchronous operations carry more for each mock", async () => {
  const useMock = async () => {
    await using mock = new MockCloudReco();
    await using apart = new MockCloudReco({ intercept: false });
    await mock.isolate(() => apart.isolate(async () => {}));
    return carriedValues();
  };
  await useMock();
  const before = await useMock();
  for (let count = 0; count < 10; count += 1) await useMock();
  expect(await useMock()).toBe(before);
});

it("does not give the requests of a started mock to one that intercepts nothing", async () => {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  await using apart = new MockCloudReco({ intercept: false });
  await using newest = await new Promise<MockCloudReco>((resolve) => {
    // In a context of its own, as another concurrent test has.
    setImmediate(() => resolve(new MockCloudReco()));
  });
  await fetchClient({ url: `${mock.urls.modelTarget}/oauth2/token`, method: "POST", headers: {} });
  expect([mock, apart, newest].map(({ requests }) => requests.length)).toEqual([1, 0, 0]);
  expect((await new MockSession(mock, database).target({ method: "GET", path: "/summary" })).status).toBe(
    200,
  );
});
