import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { mockHooks, outcomeOf } from "mock-cloud-reco/assert";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { fetch as agentFetch, MockAgent } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { endFixture, type MockFixtureOptions, openFixture } from "../../src/testing/fixture.ts";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { unwrapped } from "../support/unwrapped.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");
const refusal =
  /\n\nThe mock refused 1 request:\n#1 .* GET \/summary → 401 .*\n {3}authorizationGiven: the request has no /;

describe("a test that failed", () => {
  it("has what was refused appended to its error's message and stack, once", async () => {
    const { end } = openFixture();
    await summary();
    const error = new Error("expected 401 to be 200");
    const text = end({ failed: true, error });
    expect(error.message).toMatch(/^expected 401 to be 200\n/);
    expect(unwrapped(error.message)).toMatch(refusal);
    expect(error.message.split("authorizationGiven")).toHaveLength(2);
    expect(error.stack).toContain(`expected 401 to be 200\n\n${text}\n    at `);
    expect(error.stack?.split("authorizationGiven")).toHaveLength(2);
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
      /\n\nNo target matched 1 query:\n#1 .* POST \/v1\/query → 200 Success .*\n(?: {3}the response is gzip-encoded.*\n)? {3}✗ "off" \(\w+\): inactive/,
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
      /\n {3}route: the request is a CORS preflight, .* run the test in the node environment \("\/\/ @vitest-environment node"/,
    );
  });

  it("says that its time limit ended mock.page.pause()", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const { mock, end } = openFixture();
    const paused = mock.page.pause();
    await vi.waitFor(() => expect(write).toHaveBeenCalled());
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
      /200\n\nAnother mock of this process, not the fixture's, refused 1 request:\n#1 .* GET \/summary → 401 .*\n {3}signatureMatches: /,
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
      /^the access key ".{4}…" \(\d+ characters\) belongs to the database "shop" of another mock of this process, which intercepts nothing/,
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

describe("a test that ran into its time limit while a target is processing", () => {
  const timeout = () => new Error("Test timed out in 5000ms.");
  const still =
    "The clock stands still; 1 target is processing: advance it, or call mock.finishProcessing().";
  const opened = async (options: MockFixtureOptions = {}) => {
    const fixture = openFixture(options);
    await fixture.mock.addTarget(fixture.database, { image: makePng() });
    await new MockSession(fixture.mock, fixture.database, () => fixture.mock.clock.now()).target({
      method: "GET",
      path: "/targets",
    });
    return fixture;
  };

  it("is told that its clock stands still", async () => {
    const { end } = await opened({ clock: new ManualClock() });
    expect(end({ failed: true, error: timeout() })).toBe(still);
  });

  it("is told so with fake timers", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { end } = await opened();
      expect(end({ failed: true, error: timeout() })).toBe(still);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is told nothing when the clock runs, nothing is processing, or it failed otherwise", async () => {
    const clock = new ManualClock();
    const running = await opened({ clock, processingTimeSeconds: 60 });
    clock.advance(1);
    expect(running.end({ failed: true, error: timeout() })).toBeUndefined();
    const processed = await opened({ clock: new ManualClock() });
    processed.mock.finishProcessing();
    expect(processed.end({ failed: true, error: timeout() })).toBeUndefined();
    const other = await opened({ clock: new ManualClock() });
    expect(other.end({ failed: true, error: new Error("expected 1 to be 2") })).toBeUndefined();
  });
});

describe("a test that failed is told what may surprise about served requests", () => {
  it("gzip that the client did not ask for, and a target that failed; each once", async () => {
    const { mock, database, end } = openFixture();
    const session = new MockSession(mock, database);
    const image = await samplePicture(1);
    await mock.addTarget(database, { image, processed: true });
    const { targetId } = await mock.addTarget(database, { image, processed: true, status: "failed" });
    for (let index = 0; index < 2; index++) {
      await session.query(image);
      await session.target({ method: "GET", path: `/targets/${targetId}` });
    }
    const text = unwrapped(end({ failed: true, error: new Error("unexpected token") }) ?? "");
    expect(text).toMatch(
      /^The mock served, with a remark, 2 requests:\n#3 .* POST \/v1\/query → 200 Success .*\n {3}the response is gzip-encoded although .*\n/,
    );
    expect(text.split("gzip-encoded")).toHaveLength(2);
    expect(text).toMatch(
      /#4 .* GET \/targets\/.*\n {3}failed: the image has only one colour.*status: "failed"\)$/,
    );
  });

  it("first of all, what the option realism changed", async () => {
    const { mock, database, end } = openFixture({ realism: true });
    await summary();
    const session = new MockSession(mock, database);
    const { target_id: id } = JSON.parse((await session.add()).body.toString());
    await session.target({ method: "GET", path: `/targets/${id}` });
    const text = unwrapped(end({ failed: true, error: new Error("expected 404 to be 200") }) ?? "");
    expect(text).toMatch(
      /^The option realism changed the answer to 1 request:\n#3 .* → 404 UnknownTarget .*\n {3}not yet visible: added [\d.]+ s ago, visible after 1 s \(realism\)\nThe mock refused 1 request:\n#1 /,
    );
    expect(text.split("(realism)")).toHaveLength(2);
  });

  it("and which requests its own faults applied to", async () => {
    const { mock, end } = openFixture();
    const [, above] = /explain-failure\.test\.ts:(\d+)/.exec(new Error().stack ?? "") ?? [];
    mock.addFault({ operation: "databaseSummary", response: { status: 503 } });
    await summary();
    const text = unwrapped(end({ failed: true, error: new Error("503") }) ?? "");
    expect(text).toMatch(/^A fault of this test applied to 1 request:\n#1 .* → 503 .*\n {3}addFault: .*$/);
    expect(text.split("addFault: ")[1]).toBe(
      `answered with 503, by the fault that was added at test/runners/explain-failure.test.ts:${Number(above) + 1}`,
    );
  });
});

describe("a test that failed is told what it may not expect", () => {
  const failed = { failed: true, error: new TypeError("Cannot read properties of undefined") };
  const opened = (options: MockFixtureOptions = {}) => {
    const { mock, database, end } = openFixture(options);
    const ended = () => unwrapped(end({ ...failed, error: new TypeError(failed.error.message) }) ?? "");
    const session = new MockSession(mock, database);
    const get = (path: string) => session.target({ method: "GET", path });
    return { mock, database, session, get, ended };
  };

  it.each(["targets", "summary"])("of GET /%s/{id} while the target is processing", async (path) => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    mock.finishProcessing();
    const { targetId } = await mock.addTarget(database, { image: makePng() });
    await get(`/${path}/${targetId}`);
    await get(`/${path}/${targetId}`);
    expect(ended()).toMatch(
      /^The mock served, with a remark, 1 request:\n#2 .*\n {3}the target is still processing, so its tracking_rating is -1: await the add, then call mock\.finishProcessing\(\)/,
    );
  });

  it("nothing of a target that is processed in the end", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    const { targetId } = await mock.addTarget(database, { image: await samplePicture(1) });
    await get(`/targets/${targetId}`);
    mock.finishProcessing();
    await get(`/targets/${targetId}`);
    expect(ended()).toBe("");
  });

  it("of a database's summary while a target is processing", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    await mock.addTarget(database, { image: makePng() });
    await get("/summary");
    expect(ended()).toMatch(/\n {3}1 target is still processing, and not counted as active: await the add/);
  });

  it("of duplicates while another target is processing", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(database, { image, processed: true });
    await mock.addTarget(database, { image });
    await get(`/duplicates/${targetId}`);
    expect(ended()).toMatch(/\n {3}1 of the other targets is still processing, and compared only when that/);
  });

  it("of a query's number of results, and of their target_data", async () => {
    const query = async (send: (session: MockSession, image: Buffer) => Promise<unknown>) => {
      const { mock, database, session, ended } = opened({ queryContentEncoding: "identity" });
      const image = await samplePicture(1);
      for (let index = 0; index < 3; index++) await mock.addTarget(database, { image, processed: true });
      await send(session, image);
      return ended();
    };
    expect(await query((session, image) => session.query(image))).toMatch(
      /\n {3}3 targets match, but max_num_results is 1: send a larger one$/m,
    );
    expect(await query((session, image) => new VuforiaClient(session.database).find(image))).toMatch(
      /\n {3}only the first result has target_data: send include_target_data=all$/m,
    );
  });

  describe("of finishProcessing() before an add was awaited:", () => {
    const early =
      /^mock\.finishProcessing\(\) was called at test\/\S+:\d+, before a target was added: await the add first\.$/m;

    it("a query or a status that finds the target processing", async () => {
      const { mock, session, ended } = opened({ processingTimeSeconds: 60 });
      const adding = session.add();
      mock.finishProcessing();
      await adding;
      await session.query();
      expect(ended()).toMatch(early);
    });

    it("an add that the mock has not answered when the test fails, and one that has not arrived", async () => {
      const ending = new AbortController();
      const rating = once(ending.signal, "abort").then(() => 5);
      const { mock, session, ended } = opened({ targetRater: () => rating });
      const arrived = new Promise((resolve) => mock.on("request", resolve));
      const adding = session.add();
      mock.finishProcessing();
      await arrived;
      expect(ended()).toMatch(early);
      ending.abort();
      await adding.catch(() => {});

      const none = openFixture();
      none.mock.finishProcessing();
      const text = none.end({ failed: true, error: new Error("expected [] to have length 1") });
      expect(unwrapped(text ?? "")).toMatch(
        /^mock\.finishProcessing\(\) was called at \S+, before anything was added: await the add first\.\nNo request/,
      );
    });

    it("nothing of targets whose processing nothing met, that have no processing, or after another call", async () => {
      const clock = new ManualClock();
      const late = opened({ processingTimeSeconds: 60, clock });
      late.mock.finishProcessing();
      await late.mock.addTarget(late.database, { image: makePng() });
      clock.advance(60);
      await summary();
      expect(late.ended()).not.toContain("finishProcessing() was called");

      const again = opened({ processingTimeSeconds: 60 });
      again.mock.finishProcessing();
      await again.session.add();
      again.mock.finishProcessing();
      await summary();
      expect(again.ended()).not.toContain("finishProcessing() was called");

      const reset = opened({ processingTimeSeconds: 60 });
      reset.mock.finishProcessing();
      await reset.mock.reset();
      await reset.mock.addTarget(reset.mock.addCloudDatabase(), { image: makePng() });
      await summary();
      expect(reset.ended()).not.toContain("finishProcessing() was called");
    });
  });

  it("of a client that gave up while the option responseDelaySeconds made it wait", async () => {
    const { mock, database, end } = openFixture({ responseDelaySeconds: 30, delay: async () => {} });
    await new MockSession(mock, database).target({ method: "GET", path: "/summary" });
    const says = "Each response waits for 30 s, as the option responseDelaySeconds says.";
    expect(end({ failed: true, error: new Error("This operation was aborted") })).toBe(says);
  });

  it("of a fault that applied to no request, also when it was removed", async () => {
    const { mock, database, get, ended } = opened();
    await get("/summary");
    const other = mock.addCloudDatabase({ databaseName: "other" });
    const response = { status: 503 };
    {
      using _unused = mock.addFault({ operation: "query", response });
      mock.addFault({ operation: "databaseSummary", database: other, response });
      mock.addFault({ operation: "databaseSummary", when: () => false, response });
      mock.addFault({ api: "target", times: 1, response, probability: 0 });
      mock.addFault({ api: "target", times: 1, response });
      await get("/summary");
    }
    const lines = ended().split("\n").slice(3);
    expect(lines.map((line) => line.replace(/ that was added at test\S+:\d+/, ""))).toEqual([
      "The fault (for query) applied to no request: the mock received only databaseSummary.",
      'The fault (for databaseSummary, database "other") applied to no request: the nearest, #2 GET /summary, was signed with keys of the database "test-database".',
      "The fault (for databaseSummary) applied to no request: the nearest, #2 GET /summary, came before it, or its `when` returned false.",
      "The fault (for target) applied to no request: the nearest, #2 GET /summary, came before it, or was not drawn.",
    ]);
    expect(database.databaseName).toBe("test-database");
    const reset = opened();
    reset.mock.addFault({ operation: "query", response });
    await reset.mock.reset();
    await summary();
    expect(reset.ended()).not.toContain("The fault");
  });
});

describe("with report: on-failure", () => {
  const folder = join(tmpdir(), `mock-cloud-reco-reports-${process.pid}`);
  const open = (more: MockFixtureOptions = {}) =>
    openFixture({ report: "on-failure", reportFolder: folder, ...more });
  const written = async () => (await readdir(folder).catch(() => [])).sort();
  const test = { name: "pictures > are found", file: "/project/pictures.test.ts" };
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("a failed test's report is written, with the test, its error and no secret", async () => {
    const fixture = open();
    const secret = fixture.database.serverSecretKey;
    await summary();
    const error = new Error(`\u001b[31mexpected "${secret}"\u001b[39m to be 200`);
    await endFixture(fixture, { failed: true, error, ...test });
    const [file = "", ...others] = await written();
    expect(others).toEqual([]);
    expect(file).toMatch(/^pictures-are-found-[0-9a-f]{8}\.html$/);
    expect(error.message).toMatch(refusal);
    expect(error.message.split("\n").at(-1)).toBe(`Report of all requests: ${join(folder, file)}`);
    const html = await readFile(join(folder, file), "utf8");
    const [, data = ""] = /<script type="application\/json" id="report">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      test: { name: "pictures > are found", error: 'expected "‹hidden›" to be 200' },
      requests: [{ path: "/summary", status: 401 }],
    });
    expect(html).not.toContain(secret);
  });

  it("a test that fails because of its fixture has one too", async () => {
    const fixture = open({ failOnRefusedRequests: true });
    await summary();
    await expect(endFixture(fixture, { failed: false, ...test })).rejects.toThrow(
      /^the mock refused 1 request, .*\n#1 .*\n.*\n.*\nReport of all requests: .*pictures-are-found-.*\.html$/,
    );
    expect(await written()).toHaveLength(1);
  });

  it("also when the requests explain nothing; tests of other files have their own", async () => {
    for (const file of ["/project/a.test.ts", "/project/b.test.ts"]) {
      const fixture = open();
      await new MockSession(fixture.mock, fixture.database).target({ method: "GET", path: "/summary" });
      const error = new Error("other");
      await endFixture(fixture, { failed: true, error, ...test, file });
      expect(error.message).toMatch(/^other\n\nReport of all requests: \S+$/);
    }
    expect(await written()).toHaveLength(2);
  });

  it("a passing test has none", async () => {
    const fixture = open();
    await summary();
    expect(endFixture(fixture, { failed: false, ...test })).toBeUndefined();
    expect(await written()).toEqual([]);
  });

  it("a report that cannot be written is a warning, and hides no error", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const fixture = open({ reportFolder: join(process.execPath, "reports") });
    const error = new Error("own");
    await endFixture(fixture, { failed: true, error, ...test });
    expect(error.message).toMatch(/^own\n/);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^the report .* was not written: /), {
      code: "MOCK_CLOUD_RECO_REPORT",
    });
    warn.mockRestore();
  });

  it("hooks wait for it", async () => {
    const recognition = mockHooks({ report: "on-failure", reportFolder: folder });
    recognition.beforeEach();
    await recognition.afterEach({ state: "failed", err: new Error("own"), titlePath: () => ["a", "b"] });
    expect(await written()).toEqual([expect.stringMatching(/^a-b-/)]);
  });

  it("no other value is accepted", () => {
    expect(() => openFixture({ report: "always" as "on-failure" })).toThrow(
      'Invalid options.report: expected "on-failure"; got "always".',
    );
  });
});

describe("a test that passed", () => {
  it("prints nothing", async () => {
    const { end } = openFixture();
    await summary();
    const print = vi.fn();
    expect(end({ failed: false, print })).toBeUndefined();
    expect(print).not.toHaveBeenCalled();
  });

  it("does not fail for refusals that are expected or excepted", async () => {
    const { mock, end } = openFixture({
      failOnRefusedRequests: true,
      except: [{ operation: "listTargets" }, { status: 418 }],
    });
    mock.expectRefusal({ operation: "databaseSummary", status: 401 });
    await summary();
    await fetch("https://vws.vuforia.com/targets");
    expect(end({ failed: false })).toBeUndefined();
  });

  it("fails when an expected refusal did not occur", async () => {
    const { mock, end } = openFixture();
    mock.expectRefusal({ operation: "addTarget", resultCode: "TargetNameExist" });
    mock.expectRefusal({ status: 403 });
    await summary();
    expect(() => end({ failed: false })).toThrow(
      /^expected a refusal that did not occur: \{ operation: 'addTarget', resultCode: 'TargetNameExist' \}, and 1 more\nThe mock received 1 request, 1 refused\n#1 /,
    );
  });

  it("does not count responses to polling as refusals", async () => {
    const { mock, database, end } = openFixture({ failOnRefusedRequests: true, processingTimeSeconds: 60 });
    const month = new Date().toISOString().slice(0, 7);
    const path = `/imagetargets/databases/${database.databaseId}/reports/recoCounts`;
    const answer = await new MockSession(mock, database).target({ method: "POST", path, body: { month } });
    const { presigned_url: url } = JSON.parse(answer.body.toString());
    expect((await fetch(url)).status).toBe(404);
    expect(mock.requests.at(-1)).toMatchObject({
      status: 404,
      refusedBy: undefined,
      reason: "not ready yet: the report is ready 60 s after it was requested",
    });
    expect(end({ failed: false })).toBeUndefined();
  });
});

it("filters that cannot match anything are refused at once", () => {
  const before = globalThis.fetch;
  expect(() => openFixture({ except: { operation: "querry" as "query" } })).toThrow("filter.operation");
  expect(globalThis.fetch).toBe(before);
  const { mock, end } = openFixture();
  expect(() => mock.expectRefusal({ opration: "query" } as never)).toThrow("filter.opration");
  end({ failed: false });
});

describe("hooks for any runner", () => {
  it("give each test its own mock and database", async () => {
    const recognition = mockHooks();
    expect(() => recognition.mock).toThrow("the mock exists only while a test runs: ");
    recognition.beforeEach();
    const first = recognition.mock;
    expect(recognition.database.targets).toEqual([]);
    recognition.afterEach();
    recognition.beforeEach();
    expect(recognition.mock).not.toBe(first);
    const error = new Error("own");
    await summary();
    recognition.afterEach({ state: "failed", err: error });
    expect(error.message).toMatch(refusal);
    expect(() => recognition.database).toThrow("the mock exists only while a test runs: ");
  });

  it("have no named parameters, which some runners treat as callbacks", () => {
    const { beforeEach, afterEach } = mockHooks();
    expect([beforeEach.length, afterEach.length]).toEqual([0, 0]);
  });

  it.each([
    ["Mocha", { titlePath: () => ["block", "test"], file: "/a.js" }, "block > test", "/a.js"],
    ["node:test", { name: "test", fullName: "block > test", filePath: "/a.js" }, "block > test", "/a.js"],
    ["node:test of Node 20", { name: "test" }, "test", undefined],
    ["AVA", { title: "afterEach.always hook for test" }, "test", undefined],
    ["Playwright", { title: "test", titlePath: ["", "a.js", "test"], file: "/a.js" }, "a.js > test", "/a.js"],
  ])("read the test's name and file from %s", (_runner, told, name, file) => {
    expect(outcomeOf(told)).toMatchObject({ name, file });
  });

  const own = new Error("own");
  it.each([
    ["Mocha, passed", { state: "passed" }, { failed: false }],
    ["Mocha, failed", { state: "failed", err: own }, { failed: true, error: own }],
    ["node:test, passed", { passed: true, error: null }, { failed: false }],
    [
      "node:test, failed",
      { passed: false, error: new Error("wrapped", { cause: own }) },
      { failed: true, error: own },
    ],
    ["AVA, passed", { passed: true, log: () => {} }, { failed: false }],
    ["AVA, failed", { passed: false, log: () => {} }, { failed: true, print: expect.any(Function) }],
    ["Playwright, passed", { status: "passed", expectedStatus: "passed" }, { failed: false }],
    [
      "Playwright, failed",
      { status: "failed", expectedStatus: "passed", error: own },
      { failed: true, error: own },
    ],
    ["nothing", undefined, { failed: false }],
  ])("understand %s", (_runner, told, outcome) => {
    expect(outcomeOf(told)).toMatchObject(outcome);
  });
});
