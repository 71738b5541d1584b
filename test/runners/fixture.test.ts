import { MockCloudReco } from "mock-cloud-reco";
import type { MockFixtureOptions } from "mock-cloud-reco/assert";
import { expect, it } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { openFixture } from "./open-fixture.ts";

const passed = { failed: false };

const summary = (key: string) =>
  fetch("https://vws.vuforia.com/summary", { headers: { Authorization: `VWS ${key}:signature` } });

it("leaves nothing patched when its options are invalid", () => {
  const before = globalThis.fetch;
  expect(() => openFixture({ database: { targetQuota: -1 } })).toThrow("targetQuota");
  expect(globalThis.fetch).toBe(before);
  expect(() => openFixture({ processingTimeSeconds: -1 })).toThrow("processingTimeSeconds");
  expect(() => openFixture({ failOnRefusedRequest: true } as MockFixtureOptions)).toThrow(
    "Invalid options.failOnRefusedRequest: expected failOnRefusedRequests; got an unknown name.",
  );
  expect(() => openFixture(null as never)).toThrow("Invalid options: expected an object; got null.");
  expect(globalThis.fetch).toBe(before);
});

it("stops the mock when the test fails for refused requests, and names all of them", async () => {
  const before = globalThis.fetch;
  const { database, mock, end } = openFixture({ failOnRefusedRequests: true, journalCapacity: 1 });
  await summary(database.serverAccessKey);
  await mock.reset();
  await expect(fetch("https://vws.vuforia.com/sumary")).rejects.toThrow();
  expect(() => end(passed)).toThrow(
    /^the mock refused 2 requests, and failOnRefusedRequests is set:\n#1 .*GET \/summary → 401 .*\n.*\n {3}\w+: send the Date header.*\n(.*\n)*#1 .*GET \/sumary → no response \[path\.unknown\]\n {3}route: (.*\n)*.*If a test expects it, write in the test: mock\.expectRefusal\(\{ operation: 'databaseSummary', resultCode: 'AuthenticationFailure' \}\)$/,
  );
  expect(globalThis.fetch).toBe(before);
});

it("also fails the test for a request that the mock itself could not answer", async () => {
  const queryMatcher = () => {
    throw new Error("no model loaded");
  };
  const { database, mock, end } = openFixture({
    failOnRefusedRequests: true,
    queryMatcher,
    targetRater: () => 5,
  });
  await mock.addTarget(database, { image: makePng(), processed: true });
  await expect(new MockSession(mock, database).query()).rejects.toThrow("no model loaded");
  expect(mock.requestsOf({ refused: true })).toHaveLength(1);
  expect(() => end(passed)).toThrow(
    /the mock refused 1 request.*:\n#1 .* no response .*\n(?: {2}.*\n)? {3}emulator: the request failed: no/,
  );
});

it("reports a late request of a test that timed out, and does not fail the next test for it", async () => {
  const earlier = openFixture({ failOnRefusedRequests: true });
  const { serverAccessKey } = earlier.database;
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  earlier.end({ failed: true, error: new Error("Test timed out in 5000ms."), print });
  const next = openFixture({ failOnRefusedRequests: true });
  await summary(serverAccessKey);
  next.end({ ...passed, print });
  expect(printed.at(-1)).toMatch(
    /^The mock refused, left over from an earlier test that timed out, 1 request:\n#1 .*GET \/summary → 40\d/,
  );
  const last = openFixture({ failOnRefusedRequests: true });
  await summary("unknown");
  expect(() => last.end(passed)).toThrow(/the mock refused 1 request, and failOnRefusedRequests is set/);
});

it("ignores refused requests without failOnRefusedRequests", async () => {
  const { database, end } = openFixture();
  await summary(database.serverAccessKey);
  expect(end(passed)).toBeUndefined();
});

it("lets the mock that knows the key answer, and the newest one if none does", async () => {
  using older = new MockCloudReco();
  using newer = new MockCloudReco();
  using elsewhere = new MockCloudReco({ targetUrl: "https://vws.vuforia.com/v2" });
  const key = older.addCloudDatabase().serverAccessKey;
  await summary(key);
  expect([older, newer].map((mock) => mock.requests.length)).toEqual([1, 0]);
  await summary("unknown");
  await fetch("https://vws.vuforia.com/summary");
  expect([older, newer].map((mock) => mock.requests.length)).toEqual([1, 2]);
  // A longer prefix is a different base URL, even if another mock knows the key.
  await fetch("https://vws.vuforia.com/v2/summary", { headers: { Authorization: `VWS ${key}:x` } });
  expect([older, newer, elsewhere].map((mock) => mock.requests.length)).toEqual([1, 2, 1]);
});
