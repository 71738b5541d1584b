import { executionAsyncResource } from "node:async_hooks";
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { Agent, request } from "undici";
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

it("leaves no more in a context that starts many mocks than in one that starts one", () => {
  const start = () => new MockCloudReco({ intercept: "sockets" }).stop();
  start();
  const before = carriedValues();
  for (let count = 0; count < 10; count += 1) start();
  expect(carriedValues()).toBe(before);
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

/** Inside an inner call, where the client's pool connects, or writes, because of what an outer call did. */
it.each<[string, (send: () => Promise<unknown>, mock: MockCloudReco) => Promise<void>]>([
  [
    "after a stop that closed the pool's connection",
    async (send, mock) => {
      await send();
      await mock.isolate(async () => {
        mock.stop();
        mock.start();
        await mock.isolate(async () => {
          await send();
          expect(mock.requests).toHaveLength(1);
        });
      });
    },
  ],
  [
    "behind another call's request",
    async (send, mock) => {
      await mock.isolate(async () => {
        const sent = Promise.all([send(), send()]);
        await mock.isolate(async () => {
          await Promise.all([send(), send(), send()]);
          expect(mock.requests).toHaveLength(3);
        });
        await sent;
      });
      expect(mock.requests).toHaveLength(5);
    },
  ],
])("a request belongs to the call that sends it, whoever wrote it to its connection: %s", async (_, act) => {
  await using mock = new MockCloudReco({ intercept: "sockets" });
  const url = `${mock.urls.target}/summary`;
  await act(() => fetch(url).then((response) => response.arrayBuffer()), mock);
  for (const pipelining of [1, 4]) {
    mock.clearRequests();
    const dispatcher = new Agent({ connections: 1, pipelining });
    await act(async () => (await request(url, { dispatcher })).body.dump(), mock);
    await dispatcher.destroy();
  }
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  mock.clearRequests();
  await act(
    () =>
      new Promise((resolve, reject) => {
        https.get(url, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject);
      }),
    mock,
  );
  agent.destroy();
});
