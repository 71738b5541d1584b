import https from "node:https";
import axios from "axios";
import got from "got";
import { MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { failureOf, messagesOf } from "../intercept/failures.ts";
import { type Client, clients, fetchClient, nodeClient } from "../support/clients.ts";
import { makePng } from "../support/png.ts";
import { signedRequest } from "../support/signed-request.ts";

/** A mock whose delays a test ends explicitly. */
function open(options: MockCloudRecoOptions = {}) {
  const delays: { readonly seconds: number; readonly end: () => void }[] = [];
  const waiting: (() => void)[] = [];
  const mock = new MockCloudReco({
    responseDelaySeconds: 1.5,
    delay: (seconds) =>
      new Promise((end) => {
        delays.push({ seconds, end });
        waiting.shift()?.();
      }),
    ...options,
  });
  const keys = mock.addCloudDatabase();
  const url = (api: keyof MockCloudReco["urls"], path: string) => ({
    method: "GET",
    headers: {},
    url: mock.urls[api] + path,
  });
  return {
    mock,
    keys,
    delays,
    /** Resolves when the next delay starts. */
    nextDelay: () => new Promise<void>((resolve) => waiting.push(resolve)),
    addTarget: () =>
      signedRequest({
        method: "POST",
        baseUrl: mock.urls.target,
        path: "/targets",
        accessKey: keys.serverAccessKey,
        secretKey: keys.serverSecretKey,
        now: new Date(),
        body: { name: "name", width: 1, image: makePng().toString("base64") },
      }),
    url,
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

/** Whether a promise settles without any time passing. */
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol("pending");
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

describe("a response delay", () => {
  test.each([
    ["a refused request", "GET", "target", "/summary", 401],
    ["an unserved method", "PUT", "target", "/targets", 404],
    ["an unserved query method", "GET", "query", "/v1/query", 404],
    ["a token request", "POST", "modelTarget", "/oauth2/token", 401],
    ["a refused query", "POST", "query", "/v1/query", 401],
  ] as const)("holds back the answer to %s", async (_, method, api, path, status) => {
    await using service = open();
    const begun = service.nextDelay();
    const answer = fetchClient({ ...service.url(api, path), method });
    await begun;
    expect(await settled(answer)).toBe(false);
    expect(service.delays.map(({ seconds }) => seconds)).toEqual([1.5]);
    service.delays[0]?.end();
    expect(await answer).toMatchObject({ status });
  });

  test("holds back a configured failure, and a connection error", async () => {
    await using service = open({ cloudQueryFailure: { status: 500 } });
    const begun = service.nextDelay();
    const failing = fetchClient({ ...service.url("query", "/v1/query"), method: "POST" });
    await begun;
    expect(await settled(failing)).toBe(false);
    service.delays[0]?.end();
    expect(await failing).toMatchObject({ status: 500 });

    const begunAgain = service.nextDelay();
    const refused = fetchClient(service.url("query", "/nothing")).catch(() => "failed");
    await begunAgain;
    expect(await settled(refused)).toBe(false);
    service.delays[1]?.end();
    expect(await refused).toBe("failed");
  });

  test("does not hold back the target manager", async () => {
    await using service = open();
    expect(await fetchClient(service.url("manager", "/cloud_databases"))).toMatchObject({ status: 200 });
    expect(service.delays).toEqual([]);
  });

  test("starts after the response was computed, so that the clock and the state do not wait", async () => {
    await using service = open();
    const begun = service.nextDelay();
    const answer = fetchClient(service.addTarget());
    await begun;
    expect(service.keys.targets).toHaveLength(1);
    expect(service.mock.requests).toMatchObject([{ operation: "addTarget", status: 201 }]);
    service.delays[0]?.end();
    expect(await answer).toMatchObject({ status: 201 });
  });

  test.each([0.03, 1e-9])(
    "of %d seconds is really waited when no function replaces the wait",
    async (seconds) => {
      await using mock = new MockCloudReco({ responseDelaySeconds: seconds });
      const start = performance.now();
      await fetchClient({ method: "GET", headers: {}, url: `${mock.urls.target}/summary` });
      // Node's timers may fire a millisecond early.
      expect(performance.now() - start).toBeGreaterThanOrEqual(seconds * 1000 - 1);
    },
  );
});

describe("a delay without a promise", () => {
  const WRONG: readonly [string, () => unknown, string][] = [
    [
      "returning nothing",
      () => undefined,
      "the function of the option delay: expected a promise; got undefined (undefined)",
    ],
    ["returning a number", () => 1, "the function of the option delay: expected a promise; got 1 (number)"],
    [
      "throwing",
      () => {
        throw new Error("in delay");
      },
      "in delay",
    ],
  ];

  test.each(WRONG)("%s fails the request, and is over when the mock stops", async (_name, act, message) => {
    const signals: AbortSignal[] = [];
    const delay = (_seconds: number, signal: AbortSignal) => {
      signals.push(signal);
      return act() as never;
    };
    await using service = open({ delay });
    for (const client of Object.values(clients)) {
      const failure = await failureOf(client(service.url("target", "/summary")));
      expect(messagesOf(failure).join("; ")).toContain(message);
    }
    service.mock.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual(Object.keys(clients).map(() => false));
  });

  test("of Promise's class waits", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the promise of a library.
    const delay = () => ({ then: (resolve: () => void) => resolve() }) as never;
    await using service = open({ delay });
    expect((await fetchClient(service.url("target", "/summary"))).status).toBe(401);
  });
});

describe("when the mock stops", () => {
  test.each(["nock", "sockets"] as const)("a delayed request fails, recorded once: %s", async (intercept) => {
    const signals: AbortSignal[] = [];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const delay = (_seconds: number, signal: AbortSignal) => {
      signals.push(signal);
      begin();
      return new Promise<void>(() => {});
    };
    await using mock = new MockCloudReco({ responseDelaySeconds: 3600, delay, intercept });
    const request = { method: "GET", headers: {}, url: `${mock.urls.target}/summary` };
    const failure = nodeClient(request).catch((error: unknown) => error);
    await begun;
    mock.stop();
    expect(await failure).toMatchObject({
      code: "ECONNRESET",
      message: "the request was aborted: the mock was stopped while it delayed the response",
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(mock.requests).toMatchObject([{ operation: "databaseSummary", status: 401 }]);
  });

  test("mock.fetch rejects, and delays again afterwards", async () => {
    await using service = open({ intercept: false });
    const send = () => service.mock.fetch(`${service.mock.urls.target}/summary`);
    const begun = service.nextDelay();
    const failure = send().catch((error: unknown) => error);
    await begun;
    service.mock.stop();
    expect(await failure).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
    const again = service.nextDelay();
    const answer = send();
    await again;
    service.delays[1]?.end();
    expect((await answer).status).toBe(401);
  });
});

describe.each(Object.entries(clients))("%s, while a response is delayed,", (_, client: Client) => {
  test("can be aborted; the request was executed", async () => {
    await using service = open();
    const begun = service.nextDelay();
    const abort = new AbortController();
    const answer = client({ ...service.addTarget(), signal: abort.signal }).then(
      () => "answered",
      (error: unknown) => error,
    );
    await begun;
    abort.abort();
    expect(await answer).toMatchObject({ name: expect.stringMatching(/^(AbortError|CanceledError)$/) });
    expect(service.keys.targets).toHaveLength(1);
    service.delays[0]?.end();
    const next = service.nextDelay();
    const other = client(service.url("target", "/summary"));
    await next;
    service.delays[1]?.end();
    expect(await other).toMatchObject({ status: 401 });
  });
});

describe("client timeouts fire while a response is delayed", () => {
  const TIMEOUT_MS = 25;
  const timeouts: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    fetch: (url) => fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }),
    "node:https": (url) =>
      new Promise((_, reject) => {
        const request = https.get(url, { timeout: TIMEOUT_MS });
        request.on("timeout", () => request.destroy(new Error("timed out")));
        request.on("error", reject);
      }),
    axios: (url) => axios.get(url, { timeout: TIMEOUT_MS }),
    got: (url) => got(url, { timeout: { request: TIMEOUT_MS }, retry: { limit: 0 } }),
  };

  test.each(Object.entries(timeouts))("%s", async (_, get) => {
    await using service = open();
    const failure = get(`${service.mock.urls.target}/summary`).catch((error: unknown) => String(error));
    expect(await failure).toMatch(/time(d )?out|Timeout/i);
  });
});
