import { hasSubscribers, subscribe, unsubscribe } from "node:diagnostics_channel";
import https from "node:https";
import { setImmediate as turn } from "node:timers/promises";
import { checkServerIdentity, connect, type TLSSocket } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, onTestFinished, test } from "vitest";
import { viaNode } from "./kept-service.ts";
import { HOST, mock, reply } from "./mocks.ts";
import { realServer } from "./real-server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const SUMMARY = "https://vws.vuforia.com/summary";

/** Listens to a channel of undici until the test ends. */
function hear(name: string, listener: (message: unknown) => void): void {
  subscribe(name, listener);
  onTestFinished(() => void unsubscribe(name, listener));
}

/** As OpenTelemetry does: adds a header when a request is created, and notes what follows. */
function trace(): readonly string[] {
  const events: string[] = [];
  hear("undici:request:create", (message) => {
    const request: { addHeader(name: string, value: string): void } = Reflect.get(Object(message), "request");
    request.addHeader("traceparent", "00-1-2-01");
    events.push("create");
  });
  hear("undici:request:headers", (message) => {
    const response: { readonly statusCode: number } = Reflect.get(Object(message), "response");
    events.push(`headers ${response.statusCode}`);
  });
  hear("undici:request:trailers", () => events.push("trailers"));
  hear("undici:request:error", () => events.push("error"));
  return events;
}

test.each(["nock", "sockets"] as const)(
  "a tracer hears of each fetch that a mock answers: %s",
  async (intercept) => {
    await using mock = new MockCloudReco({ intercept });
    const events = trace();
    for (let count = 0; count < 3; count++)
      await (await fetch(SUMMARY, { method: "POST", body: "{}" })).text();
    expect(events).toEqual(Array(3).fill(["create", "headers 404", "trailers"]).flat());
    expect(mock.requests.map(({ request }) => request.headers.traceparent)).toEqual(
      Array(3).fill("00-1-2-01"),
    );
    mock.addFault({ resetConnection: true });
    await expect(fetch(SUMMARY)).rejects.toThrow("fetch failed");
    expect(events.slice(9)).toEqual(["create", "error"]);
  },
);

test("a mock is not taken for a tracer, for which a fetch takes a longer way", async () => {
  await using _mock = new MockCloudReco();
  const names = ["headers", "trailers", "error"].map((name) => `undici:request:${name}`);
  expect(names.filter((name) => hasSubscribers(name))).toEqual([]);
});

test.each(["nock", "sockets"] as const)(
  "a fetch that a tracer hears of can be aborted after a garbage collection: %s",
  async (intercept) => {
    trace();
    const answers: (() => void)[] = [];
    const handle = async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return reply("answered");
    };
    mock({ intercept, handle });
    const controllers = Array.from({ length: 10 }, () => new AbortController());
    const sent = controllers.map(({ signal }) =>
      fetch(HOST, { signal }).then(
        ({ status }) => status,
        () => "aborted",
      ),
    );
    while (answers.length < sent.length) await turn();
    for (let count = 0; count < 3; count++) {
      collectGarbage();
      await turn();
    }
    for (const controller of controllers) controller.abort();
    for (const answer of answers) answer();
    expect(await Promise.all(sent)).toEqual(sent.map(() => "aborted"));
  },
);

test.each(["nock", "sockets"] as const)(
  "a wrapper around fetch survives the stop of the mock: %s",
  async (intercept) => {
    const { fetch: before } = globalThis;
    onTestFinished(() => void Object.assign(globalThis, { fetch: before }));
    const other = await realServer();
    const mock = new MockCloudReco({ intercept });
    const { fetch: wrapped } = globalThis;
    const seen: string[] = [];
    const wrapper: typeof fetch = (input, init) => {
      seen.push(String(input));
      return wrapped(input, init);
    };
    globalThis.fetch = wrapper;
    expect((await fetch(SUMMARY)).status).toBe(401);
    mock.stop();
    expect(globalThis.fetch).toBe(wrapper);
    await turn();
    expect(await (await fetch(other)).text()).toBe("real");
    await using _next = new MockCloudReco({ intercept });
    expect((await fetch(SUMMARY)).status).toBe(401);
    expect(seen.slice(0, 2)).toEqual([SUMMARY, other]);
  },
);

test.each([
  ["nock", ["https.request"]],
  ["sockets", ["fetch", "https.request"]],
] as const)("wrappers from before the mock are called: %s %j", async (intercept, called) => {
  const before = { fetch: globalThis.fetch, request: https.request };
  onTestFinished(() => {
    globalThis.fetch = before.fetch;
    https.request = before.request;
  });
  const seen: string[] = [];
  const wrapped = (name: string, original: (...args: never) => unknown) =>
    function (this: unknown, ...args: unknown[]) {
      seen.push(name);
      return Reflect.apply(original, this, args);
    };
  Object.assign(globalThis, { fetch: wrapped("fetch", before.fetch) });
  Object.assign(https, { request: wrapped("https.request", before.request) });
  await using _mock = new MockCloudReco({ intercept });
  expect((await fetch(SUMMARY)).status).toBe(401);
  expect(await viaNode(https)(SUMMARY)).toBe(401);
  expect(seen).toEqual(called);
});

test.each(["nock", "sockets"] as const)(
  "a client can check the certificate of the service: %s",
  async (intercept) => {
    await using _mock = new MockCloudReco({ intercept });
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const opened: TLSSocket = connect({ host: "vws.vuforia.com", port: 443 }, () => resolve(opened)).on(
        "error",
        reject,
      );
    });
    const certificate = socket.getPeerCertificate();
    expect(checkServerIdentity("vws.vuforia.com", certificate)).toBeUndefined();
    expect(checkServerIdentity("other.example", certificate)).toBeInstanceOf(Error);
    expect(Date.parse(certificate.valid_from)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.valid_to)).toBeGreaterThan(Date.now());
    expect(certificate).toMatchObject({
      subject: { CN: "vws.vuforia.com" },
      issuer: { CN: expect.any(String) },
      serialNumber: expect.stringMatching(/^[0-9A-F]+$/),
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/),
      fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      raw: expect.any(Buffer),
    });
    socket.destroy();
  },
);
