import { exactMatcher, MockCloudReco, type MockCloudRecoOptions, perfectRater } from "mock-cloud-reco";
import { onTestFinished } from "vitest";
import { type Client, fetchBy, fetchClient, nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";

/** A mock that stops when the test ends, and a client of it. */
export function opened(options: MockCloudRecoOptions = {}) {
  const mock = new MockCloudReco({
    processingTimeSeconds: 0,
    queryMatcher: exactMatcher,
    targetRater: perfectRater,
    ...options,
  });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  return { mock, database, session: new MockSession(mock, database) };
}

export const LIST = { method: "GET", path: "/targets" };

/** The interception, and the client, of each transport in this process. */
export const TRANSPORTS: Readonly<
  Record<string, readonly ["nock" | "sockets" | false, (mock: MockCloudReco) => Client]>
> = {
  "fetch, by nock": ["nock", () => fetchClient],
  "node:http, by nock": ["nock", () => nodeClient],
  "fetch, by sockets": ["sockets", () => fetchClient],
  "node:http, by sockets": ["sockets", () => nodeClient],
  "mock.fetch": [false, (mock) => fetchBy(mock.fetch)],
};
