import { createHmac } from "node:crypto";
import { request } from "node:https";
import { createRequire, Module } from "node:module";
import { ManualClock, MockCloudReco } from "mock-cloud-reco";
import { fetch as agentFetch, MockAgent } from "undici";
import { describe, expect, it, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { unwrapped } from "../support/unwrapped.ts";
import { openFixture } from "./open-fixture.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");
const refusal =
  /\n\nThe mock refused 1 request:\n#1 .* GET \/summary → 401 .*\n(?: {2}.*\n)? {3}\w+: send an Authorization header: /;

describe("a test that failed", () => {
  it("has what was refused appended to its error's message and stack, once", async () => {
    const { end } = openFixture();
    await summary();
    const error = new Error("expected 401 to be 200");
    const text = end({ failed: true, error });
    expect(error.message).toMatch(/^expected 401 to be 200\n/);
    expect(unwrapped(error.message)).toMatch(refusal);
    expect(unwrapped(error.message).split("send an Authorization header: ")).toHaveLength(2);
    expect(error.stack).toContain(`expected 401 to be 200\n\n${text}\n    at `);
    expect(unwrapped(error.stack ?? "").split("send an Authorization header: ")).toHaveLength(2);
  });

  it("is told in lines of at most 100 characters, of a database with a readable name", async () => {
    const { mock, database, end } = openFixture();
    const session = new MockSession(mock, database);
    await session.target({ method: "GET", path: "/summary", secretKey: "x" });
    const text = end({ failed: true, error: new Error("expected 401 to be 200") }) ?? "";
    for (const line of text.split("\n")) expect(line.replace(/"[^"]*"/, "").length).toBeLessThanOrEqual(100);
    expect(text.split("\n").length).toBeGreaterThan(4);
    expect(unwrapped(text)).toContain('database "test-database")');
    expect(unwrapped(text)).toContain(mock.requests[0]?.reason);
  });

  it("shows why the nearest targets did not match a query", async () => {
    const { mock, database, end } = openFixture();
    await mock.addTarget(database, { name: "off", image: makePng(), processed: true, activeFlag: false });
    await new MockSession(mock, database).query();
    const error = new Error("expected [] to have length 1");
    end({ failed: true, error });
    expect(unwrapped(error.message)).toMatch(
      /\n\nNo target matched 1 query:\n#1 .* POST \/v1\/query → 200 Success .*\n(?: {3}decode the response, or .*\n)? {3}✗ "off" \(\w+\): inactive/,
    );
  });

  it("says that nothing reached the mock, and which URLs would", () => {
    const error = new Error("timed out");
    openFixture({ targetUrl: "https://target.example/v2" }).end({ failed: true, error });
    expect(unwrapped(error.message)).toBe(
      "timed out\n\nNo request reached the mock. It serves https://target.example/v2, https://cloudreco.vuforia.com, " +
        "http://target-manager.test. Check the scheme and the host that the client uses, and that nothing else intercepts it (nock, MSW, " +
        "MockAgent).",
    );
  });

  it("names a loaded client that opens its own sockets", () => {
    const { cache } = createRequire(import.meta.url);
    const path = "/project/node_modules/impit/index.js";
    cache[path] = new Module(path);
    try {
      const text = openFixture().end({ failed: true, error: new Error("timed out") });
      expect(unwrapped(text ?? "")).toContain(
        "This process has loaded impit, whose requests do not pass through Node and reach the real service: call startServers()",
      );
    } finally {
      delete cache[path];
    }
  });

  it.each([
    Object.assign(new Error("invalid option options.width"), { name: "InvalidOptionError" }),
    new Error("[MSW] Cannot bypass a request"),
    new TypeError("Cannot read properties of undefined (reading 'targetId')"),
    new TypeError("client.fetchTarget is not a function"),
    new TypeError("Cannot read properties of undefined (reading 'request')"),
  ])("says nothing about requests that did not arrive when it failed with %s", (error) => {
    const { message } = error;
    expect(openFixture().end({ failed: true, error })).toBeUndefined();
    expect(error.message).toBe(message);
  });

  it("says that nothing reached the mock when fetch failed", () => {
    const text = openFixture().end({ failed: true, error: new TypeError("fetch failed") });
    expect(text).toMatch(/^No request reached the mock/);
  });

  it.each([
    [
      "a key with a line feed",
      () => request("https://vws.vuforia.com/summary", { headers: { Authorization: "VWS key\n:x" } }),
      /^A header has a character that HTTP does not allow, such as the line feed .* that a key was read from: trim it\.$/,
    ],
    [
      "a client without a secret key",
      () => createHmac("sha1", Reflect.get({}, "serverSecretKey")),
      /^The client has no secret key to sign with: create it with the keys of a database, /,
    ],
    [
      "a MockAgent in between",
      async () => {
        const agent = new MockAgent();
        agent.disableNetConnect();
        await agentFetch("https://vws.vuforia.com/summary", { dispatcher: agent });
      },
      /^Undici's MockAgent answers in place of the mock: remove it/,
    ],
    [
      "another interceptor of nock",
      () => Promise.reject(new Error('Nock: No match for request {"method":"GET"}')),
      /^A nock interceptor of that host, which is not the mock's, refused the request: remove it with nock\.cleanAll/,
    ],
  ])("says why no request was sent: %s", async (_what, send, says) => {
    const { end } = openFixture();
    const error: unknown = await (async () => await send())().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(unwrapped(end({ failed: true, error }) ?? "")).toMatch(says);
  });

  it("says how to leave a DOM environment in which nothing reached the mock", () => {
    vi.stubGlobal("document", {});
    vi.stubGlobal("XMLHttpRequest", class {});
    const text = openFixture().end({ failed: true, error: new Error("Network Error") }) ?? "";
    vi.unstubAllGlobals();
    expect(unwrapped(text)).toMatch(
      /^No request reached the mock\. It serves .* This test runs in a DOM environment, .*: put "\/\/ @vitest-environment node"/,
    );
  });

  it("says what a CORS preflight is", async () => {
    const { end } = openFixture();
    await fetch("https://vws.vuforia.com/targets", {
      method: "OPTIONS",
      headers: { "Access-Control-Request-Method": "POST", Origin: "http://localhost" },
    });
    expect(unwrapped(end({ failed: true, error: new Error("Network Error") }) ?? "")).toMatch(
      /\n {3}route: run the test in the node environment \("\/\/ @vitest-environment node".* the request is a CORS preflight, /,
    );
  });

  it("says that its time limit ended mock.page.pause()", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { mock, end } = openFixture();
    const paused = mock.page.pause();
    await vi.waitFor(() => expect(write).toHaveBeenCalled(), 20_000);
    write.mockRestore();
    expect(unwrapped(end({ failed: true, error: new Error("Test timed out in 5000ms.") }) ?? "")).toMatch(
      /^The test's time limit ended mock\.page\.pause\(\): set MOCK_CLOUD_RECO_PAUSE=1/,
    );
    await paused;
    const { end: next } = openFixture();
    expect(next({ failed: true, error: new Error("Test timed out in 5000ms.") })).toMatch(/^No request/);
  });

  it("says what another mock of the process refused, and not that nothing arrived", async () => {
    const { end } = openFixture();
    using own = new MockCloudReco({ clock: new ManualClock() });
    await new MockSession(own, own.addCloudDatabase()).target({
      method: "GET",
      path: "/summary",
      secretKey: "x",
    });
    const error = new Error("expected 401 to be 200");
    end({ failed: true, error });
    expect(unwrapped(error.message)).toMatch(
      /200\n\nAnother mock of this process, not the fixture's, refused 1 request:\n#1 .* GET \/summary → 401 .*\n(?: {2}.*\n)? {3}\w+: check the secret key/,
    );
  });

  it("says nothing about requests that did not arrive when another mock served some", async () => {
    const { end } = openFixture();
    using own = new MockCloudReco();
    await new MockSession(own, own.addCloudDatabase()).target({ method: "GET", path: "/summary" });
    expect(end({ failed: true, error: new Error("own") })).toBeUndefined();
  });

  it("is not told of the mocks of other fixtures, whose tests may run at the same time", async () => {
    const first = openFixture();
    const second = openFixture();
    await first.mock.fetch("https://vws.vuforia.com/summary");
    expect(second.end({ failed: true, error: new Error("own") })).toMatch(/^No request reached the mock/);
    first.end({ failed: false });
  });

  it("says that the mock was stopped, or intercepts nothing", () => {
    const stopped = openFixture();
    stopped.mock.stop();
    expect(stopped.end({ failed: true, error: new TypeError("fetch failed") })).toBe(
      "No request reached the mock: it is stopped: call `mock.start()`.",
    );
    expect(
      unwrapped(
        openFixture({ intercept: false }).end({ failed: true, error: new TypeError("fetch failed") }) ?? "",
      ),
    ).toBe(
      "No request reached the mock: it intercepts nothing (`intercept: false`): pass `mock.fetch` to the client, or use `handlers(mock)`.",
    );
  });

  it("says whose a key is that another mock of the process has", async () => {
    const { mock, end } = openFixture();
    using quiet = new MockCloudReco({ intercept: false });
    using elsewhere = new MockCloudReco({
      targetUrl: "https://target.example",
      queryUrl: "https://query.example",
    });
    for (const other of [quiet, elsewhere]) {
      const database = other.addCloudDatabase({ databaseName: "shop" });
      await new MockSession(mock, database).target({ method: "GET", path: "/summary" });
    }
    const [first, second] = mock.requests.map(({ reason }) => reason);
    expect(first).toMatch(
      /^send the request to the mock that has the key, or use this mock's keys: the access key ".{4}…" \(\d+ characters\) belongs to the database "shop" of another mock of this process, which intercepts nothing/,
    );
    expect(second).toMatch(
      /"shop" of another mock of this process, which serves https:\/\/target\.example, /,
    );
    end({ failed: false });
  });

  it("says nothing about requests below an error that the mock threw", async () => {
    const { mock, database, end } = openFixture();
    const error: unknown = await mock
      .addTarget(database, { image: Buffer.from("no image") })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(end({ failed: true, error })).toBeUndefined();
  });

  it("gets no explanation when all was served, or its message already contains it", async () => {
    const { mock, database, end } = openFixture();
    await new MockSession(mock, database).target({ method: "GET", path: "/summary" });
    const error = new Error("other");
    expect(end({ failed: true, error })).toBeUndefined();
    expect(error.message).toBe("other");

    const told = openFixture();
    await summary();
    const known = new Error(told.mock.explain());
    expect(told.end({ failed: true, error: known })).toBeUndefined();
  });

  it("shows the last five of many requests", async () => {
    const { end } = openFixture();
    for (let index = 0; index < 7; index++) await summary();
    const text = end({ failed: true, error: new Error("") });
    expect(text).toMatch(/^The mock refused 7 requests, the last 5 of them:\n#3 /);
  });

  it.each([
    ["text", "some text"],
    ["a frozen error", Object.freeze(new Error("frozen"))],
    ["nothing", undefined],
  ])("that threw %s has it printed", async (_what, error) => {
    const { end } = openFixture();
    await summary();
    const print = vi.fn();
    end({ failed: true, error, print });
    expect(print).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^The mock refused 1 request:\n/));
  });

  it("leaves out refusals that were expected", async () => {
    const { mock, end } = openFixture({ except: { operation: "listTargets" } });
    mock.expectRefusal({ operation: "databaseSummary" });
    await summary();
    await fetch("https://vws.vuforia.com/targets");
    expect(end({ failed: true, error: new Error("other") })).toBeUndefined();
  });
});
