import { Readable, Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import * as undici7 from "undici";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { mock as anyMock, HOST, type MockOptions, reply } from "./mocks.ts";
import { undiciVersions } from "./undici-versions.ts";

const SLOTS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];
const dispatchers = () => SLOTS.map((slot) => Object.getOwnPropertyDescriptor(globalThis, slot));

const mock = (options: MockOptions = {}) => anyMock({ intercept: "sockets", ...options });

describe.each(undiciVersions)(
  "%s",
  (_name, {
    request,
    stream,
    pipeline,
    fetch,
    Agent,
    FormData,
    MockAgent,
    getGlobalDispatcher,
    setGlobalDispatcher,
  }) => {
    // Each version has its own dispatcher, as if it were the only one installed.
    const before = getGlobalDispatcher();
    beforeAll(() => setGlobalDispatcher(new Agent()));
    afterAll(() => setGlobalDispatcher(before));

    test("the methods of the global dispatcher, composed or not", async () => {
      const { requests } = mock({ handle: async () => reply("answer") });
      const path = "/targets";
      const noted: string[] = [];
      const composed = getGlobalDispatcher().compose((dispatch) => (options, handler) => {
        noted.push(options.path);
        return dispatch(options, handler);
      });
      for (const dispatcher of [getGlobalDispatcher(), composed]) {
        const response = await dispatcher.request({ origin: HOST, path, method: "GET" });
        expect([response.statusCode, await response.body.text()]).toEqual([200, "answer"]);
      }
      expect([requests.length, noted]).toEqual([2, [path]]);
    });

    test("request, unchanged", async () => {
      const { requests } = mock({
        handle: async () =>
          reply("answer", 201, [
            ["X-Own", "a"],
            ["x-own", "b"],
            ["Server", "envoy"],
          ]),
      });
      const response = await request(`${HOST}/targets/%20?a=1`, {
        method: "PUT",
        headers: { "X-Case": "kept", Twice: ["1", "2"] },
        body: Buffer.from([0xff, 0x00]),
        responseHeaders: "raw",
      });
      expect(response.statusCode).toBe(201);
      expect(response.headers).toEqual(["X-Own", "a", "x-own", "b", "Server", "envoy"]);
      expect(await response.body.text()).toBe("answer");
      expect(requests).toEqual([
        {
          gone: expect.any(AbortSignal),
          method: "PUT",
          path: "/targets/%20",
          query: "a=1",
          headers: [
            ["host", "service.example"],
            ["connection", "keep-alive"],
            ["X-Case", "kept"],
            ["Twice", "1"],
            ["Twice", "2"],
            ["content-length", "2"],
          ],
          body: Buffer.from([0xff, 0x00]),
        },
      ]);
    });

    test("request with a query option", async () => {
      const { requests } = mock();
      await request(`${HOST}/x`, { query: { a: "1 2", b: ["3", "4"] } });
      expect(requests).toMatchObject([{ path: "/x", query: "a=1%202&b=3&b=4" }]);
    });

    test.each<[string, () => string | Uint8Array | Readable]>([
      ["text", () => "some ü"],
      ["a Buffer", () => Buffer.from("some ü")],
      ["a view", () => new Uint8Array(Buffer.from("<some ü>")).subarray(1, 8)],
      ["a stream", () => Readable.from([Buffer.from("some "), Buffer.from("ü")])],
    ])("a body that is %s", async (_kind, body) => {
      const { requests } = mock();
      await request(HOST, { method: "POST", body: body() });
      expect(String(requests[0]?.body)).toBe("some ü");
    });

    test.each(["request", "fetch"])("a form, by %s", async (how) => {
      const { requests } = mock();
      const form = new FormData();
      form.append("max_num_results", "3");
      form.append("image", new Blob([Buffer.from([0x89, 0xff])], { type: "image/png" }), "image.png");
      await (how === "request" ? request : fetch)(HOST, { method: "POST", body: form });
      const [received] = requests;
      const type = received?.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
      const parsed = await new Response(received?.body, {
        headers: { "content-type": type ?? "" },
      }).formData();
      expect(parsed.get("max_num_results")).toBe("3");
      const image = parsed.get("image");
      expect(image).toMatchObject({ name: "image.png", type: "image/png" });
      expect(image instanceof Blob && new Uint8Array(await image.arrayBuffer())).toEqual(
        new Uint8Array([0x89, 0xff]),
      );
    });

    test("fetch, with a gzip answer", async () => {
      const { requests } = mock({
        handle: async () => reply(gzipSync("a text"), 200, [["Content-Encoding", "gzip"]]),
      });
      const response = await fetch(`${HOST}/x`, { method: "POST", body: "sent", headers: { "X-Own": "1" } });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("a text");
      expect(requests).toMatchObject([{ method: "POST", path: "/x", body: Buffer.from("sent") }]);
      expect(requests[0]?.headers.map(([name, value]) => [name.toLowerCase(), value])).toContainEqual([
        "x-own",
        "1",
      ]);
    });

    test("stream and pipeline", async () => {
      const large = Buffer.alloc(3_000_000, "0123456789");
      mock({ handle: async ({ body }) => reply(Buffer.concat([body, large])) });
      const chunks: Buffer[] = [];
      await stream(
        HOST,
        { method: "POST", body: "a" },
        () =>
          new Writable({
            write(chunk, _encoding, done) {
              chunks.push(chunk);
              done();
            },
          }),
      );
      expect(Buffer.concat(chunks).equals(Buffer.concat([Buffer.from("a"), large]))).toBe(true);
      const piped: Buffer[] = [];
      const through = pipeline(HOST, { method: "POST" }, ({ body }) => body);
      through.end("b");
      for await (const chunk of through) piped.push(chunk);
      expect(Buffer.concat(piped).equals(Buffer.concat([Buffer.from("b"), large]))).toBe(true);
    });

    test.each(["HEAD", "DELETE"] as const)("%s, and empty answers", async (method) => {
      mock({
        handle: async () =>
          method === "HEAD" ? reply("not sent", 200, [["Content-Length", "8"]]) : reply("", 204),
      });
      const response = await request(HOST, { method });
      expect(response.statusCode).toBe(method === "HEAD" ? 200 : 204);
      expect(await response.body.text()).toBe("");
    });

    test("connection errors and errors of the handler", async () => {
      mock({
        handle: async ({ path }) => {
          if (path === "/own") throw new RangeError("the handler's own");
          return {
            connectionError: { kind: path === "/reset" ? "reset" : "refused", message: `at ${path}` },
          };
        },
      });
      await expect(request(`${HOST}/reset`)).rejects.toMatchObject({
        code: "ECONNRESET",
        message: "at /reset",
      });
      await expect(request(`${HOST}/x`)).rejects.toMatchObject({ code: "ECONNREFUSED", message: "at /x" });
      await expect(fetch(`${HOST}/x`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
      await expect(request(`${HOST}/own`)).rejects.toThrow(RangeError);
      await expect(request(HOST, { method: "POST", body: failingStream() })).rejects.toThrow(
        "cannot be read",
      );
    });

    test.each(["answered", "failed"])("an aborted request that is %s afterwards", async (how) => {
      for (const send of [request, fetch]) {
        let finish = () => {};
        let enter = () => {};
        const entered = new Promise<void>((resolve) => {
          enter = resolve;
        });
        const { stop } = mock({
          handle: async () => {
            enter();
            await new Promise<void>((resolve) => {
              finish = resolve;
            });
            if (how === "failed") throw new Error("late");
            return reply("late");
          },
        });
        const controller = new AbortController();
        const aborted = expect(send(HOST, { signal: controller.signal })).rejects.toThrow("aborted");
        await entered;
        controller.abort();
        await aborted;
        finish();
        stop();
      }
      const before = AbortSignal.abort();
      const { requests } = mock();
      await expect(request(HOST, { signal: before })).rejects.toThrow("aborted");
      expect(requests).toEqual([]);
    });

    test("other hosts, and a user's own MockAgent for one of them", async () => {
      const original = getGlobalDispatcher();
      const agent = new MockAgent();
      agent.disableNetConnect();
      setGlobalDispatcher(agent);
      onTestFinished(() => setGlobalDispatcher(original));
      agent.get("https://other.example").intercept({ path: "/" }).reply(200, "theirs").persist();
      const before = dispatchers();
      for (const unhandledRequests of ["bypass", "error"] as const) {
        const { stop } = mock({ unhandledRequests });
        expect(await (await request("https://other.example/")).body.text()).toBe("theirs");
        expect(await (await request(HOST)).body.text()).toBe("ours");
        stop();
      }
      expect(dispatchers()).toEqual(before);
      await expect(request(HOST)).rejects.toThrow(/MockNotMatchedError|mock/i);
      await agent.close();
    });

    test("other hosts fail with unhandledRequests: error", async () => {
      const { stop } = mock({ unhandledRequests: "error" });
      mock({ baseUrl: "https://second.example" });
      await expect(request("http://localhost:1/x")).rejects.toThrow(
        /^GET http:\/\/localhost:1\/x: no mock serves this host.*localhost.*bypass/,
      );
      stop();
      await expect(request("http://localhost:1/x")).rejects.toMatchObject({
        code: "ECONNREFUSED",
        syscall: "connect",
      });
    });
  },
);

test("a MockAgent that the user sets while a mock is started must allow the host", async () => {
  const original = undici7.getGlobalDispatcher();
  onTestFinished(() => undici7.setGlobalDispatcher(original));
  const { requests } = mock({ intercept: "sockets" });
  const agent = new undici7.MockAgent();
  undici7.setGlobalDispatcher(agent);
  agent.disableNetConnect();
  await expect(undici7.request(HOST)).rejects.toThrow(/mock/i);
  agent.enableNetConnect("service.example");
  expect(await (await undici7.request(HOST)).body.text()).toBe("ours");
  expect(requests).toHaveLength(1);
  await agent.close();
});

test("the dispatchers are restored when the last mock stops", () => {
  const before = dispatchers();
  expect(before[0]?.value).toBeDefined();
  const first = mock();
  const second = mock({ baseUrl: "https://second.example" });
  first.stop();
  expect(dispatchers()).not.toEqual(before);
  second.stop();
  second.stop();
  expect(dispatchers().map((slot) => slot?.value)).toEqual(before.map((slot) => slot?.value));
  for (const [index, slot] of dispatchers().entries())
    expect(slot?.value === before[index]?.value).toBe(true);
  expect(dispatchers()).toEqual(before);
});

test("a dispatcher that the user sets while a mock is started stays", () => {
  const original = undici7.getGlobalDispatcher();
  onTestFinished(() => undici7.setGlobalDispatcher(original));
  const { stop } = mock();
  const own = new undici7.Agent();
  undici7.setGlobalDispatcher(own);
  stop();
  expect(undici7.getGlobalDispatcher() === own).toBe(true);
});

function failingStream(): Readable {
  return new Readable({
    read() {
      this.destroy(new Error("cannot be read"));
    },
  });
}
