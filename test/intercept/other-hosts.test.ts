import { createRequire } from "node:module";
import { MockCloudReco, type UnhandledRequests } from "mock-cloud-reco";
import nock from "nock";
import { request as undiciRequest } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { BUILT_PACKAGE } from "../support/bundle.ts";
import { failureOf, messagesOf } from "./failures.ts";
import { ask, CLIENTS, HOST, mock, reply, viaFetch } from "./mocks.ts";
import { realServer } from "./real-server.ts";

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  if (!nock.isActive()) nock.activate();
});

/** The package loaded once more, as when it is installed twice. */
function copyOfPackage(): typeof import("mock-cloud-reco") {
  const require = createRequire(import.meta.url);
  for (const path of Object.keys(require.cache))
    if (path.startsWith(BUILT_PACKAGE)) delete require.cache[path];
  return require(`${BUILT_PACKAGE}/index.cjs`);
}

describe("requests to other hosts", () => {
  test("are sent with bypass", async () => {
    const other = await realServer();
    mock();
    expect(await ask(other)).toBe("real");
  });

  test.each(Object.entries(CLIENTS))("fail with error, localhost included: %s", async (_name, send) => {
    const other = await realServer();
    const { stop } = mock({ unhandledRequests: "error" });
    await expect(send(`${other}/path?query`)).rejects.toThrow(
      /GET http:\/\/127\.0\.0\.1:\d+\/path\?query: no mock serves this host.*bypass/,
    );
    stop();
    expect(String((await send(other)).body)).toBe("real");
  });

  test.each<[string, UnhandledRequests]>([
    ["error-except-loopback", "error-except-loopback"],
    ["a list with the host", ["127.0.0.1"]],
    ["a list with a pattern", [/^127\.0\.0\.1:\d+$/g]],
    ["a function", (host) => host.startsWith("127.0.0.1:")],
  ])("pass or fail by %s", async (_name, unhandledRequests) => {
    const other = await realServer();
    for (const intercept of ["nock", "sockets"] as const) {
      const { stop } = mock({ unhandledRequests, intercept });
      for (const _again of [1, 2]) expect(await ask(other)).toBe("real");
      expect(messagesOf(await failureOf(viaFetch("http://elsewhere.invalid/x"))).join()).toMatch(
        /GET http:\/\/elsewhere\.invalid\/x: .*the option unhandledRequests blocks .*list with "elsewhere\.invalid"/,
      );
      stop();
    }
  });

  test("pass to hosts that the user enabled in nock", async () => {
    const other = await realServer();
    nock.disableNetConnect();
    nock.enableNetConnect("127.0.0.1");
    mock({ unhandledRequests: "error" });
    expect(await ask(other)).toBe("real");
    expect(await ask(other.replace("127.0.0.1", "localhost"))).toContain("no mock serves this host");
  });

  test("fail if any started mock blocks them", async () => {
    const other = await realServer();
    mock();
    const { stop } = mock({ unhandledRequests: "error" });
    expect(await ask(other)).toContain("no mock serves this host");
    stop();
    expect(await ask(other)).toBe("real");
  });

  test("pass where a user's scope allows it, and are answered by the scope where it matches", async () => {
    const other = await realServer();
    nock(other, { allowUnmocked: true }).get("/theirs").reply(200, "theirs");
    mock({ unhandledRequests: "error" });
    expect(await ask(`${other}/theirs`)).toBe("theirs");
    expect(await ask(`${other}/unknown`)).toBe("real");
  });

  test("fail after a user's scope that let nothing pass is gone", async () => {
    const other = await realServer();
    nock(other).get("/theirs").reply(200, "theirs");
    mock({ unhandledRequests: "error" });
    expect(await ask(`${other}/unknown`)).toBe("ERR_NOCK_NO_MATCH");
    nock.cleanAll();
    expect(await ask(`${other}/unknown`)).toContain("no mock serves this host");
  });
});

describe.each(["nock", "sockets"] as const)(
  'a function that cannot decide, with intercept: "%s",',
  (intercept) => {
    const SOURCE = "the function of the option unhandledRequests";
    const WRONG: Readonly<Record<string, readonly [() => unknown, string]>> = {
      "returns a promise": [
        async () => Promise.reject(new Error("in the function")),
        `${SOURCE}: expected true or false; got [object Promise] (object)`,
      ],
      "returns nothing": [() => undefined, `${SOURCE}: expected true or false; got undefined (undefined)`],
      "returns text": [() => "no", `${SOURCE}: expected true or false; got "no"`],
      throws: [
        () => {
          throw new Error("in the function");
        },
        `${SOURCE} threw: in the function`,
      ],
    };
    const clients = { ...CLIENTS, undici: (url: string) => undiciRequest(url) };

    describe.each(Object.entries(WRONG))("because it %s,", (_what, [decide, message]) => {
      // Vitest fails when nobody handles a rejection.
      test.each(Object.entries(clients))(
        "fails the request, which does not leave: %s",
        async (_name, send) => {
          let received = 0;
          const other = await realServer(() => {
            received += 1;
          });
          const { stop } = mock({ intercept, unhandledRequests: decide as never });
          const messages = messagesOf(await failureOf(send(`${other}/path`)));
          expect(messages.join("; ")).toContain(`GET ${other}/path: ${message}`);
          expect(received).toBe(0);
          stop();
          await send(other);
          expect(received).toBe(1);
        },
      );
    });
  },
);

describe("several mocks", () => {
  test("on one host: the newest serves, and after it stops the one before", async () => {
    mock({ handle: async () => reply("first") });
    const second = mock({ handle: async () => reply("second") });
    const third = mock({ handle: async () => reply("third") });
    expect(await ask(HOST)).toBe("third");
    second.stop();
    expect(await ask(HOST)).toBe("third");
    third.stop();
    expect(await ask(HOST)).toBe("first");
  });

  test("of several copies of this package share nock", async () => {
    const { fetch } = globalThis;
    nock.restore();
    const { fetch: original } = globalThis;
    const first = new MockCloudReco({ targetUrl: HOST });
    const copy = copyOfPackage();
    expect(copy.MockCloudReco).not.toBe(MockCloudReco);
    const second = new copy.MockCloudReco({ targetUrl: HOST });
    await ask(`${HOST}/summary`);
    first.stop();
    await ask(`${HOST}/summary`);
    second.stop();
    expect([first, second].map(({ requests }) => requests.length)).toEqual([0, 2]);
    expect(globalThis.fetch).toBe(original);
    expect(globalThis.fetch).not.toBe(fetch);
  });

  test("on one origin: the longest prefix serves, whole segments only", async () => {
    mock({ baseUrl: `${HOST}/api`, handle: async ({ path }) => reply(`api ${path}`) });
    mock({ baseUrl: `${HOST}/api/v2/`, handle: async ({ path }) => reply(`v2 ${path}`) });
    expect(await ask(`${HOST}/api/v2/targets`)).toBe("v2 /targets");
    expect(await ask(`${HOST}/api/v2`)).toBe("v2 /");
    expect(await ask(`${HOST}/api/v22/targets`)).toBe("api /v22/targets");
    expect(await ask(`${HOST}/apis`)).toBe("ECONNREFUSED");
    expect(messagesOf(await failureOf(viaFetch(`${HOST}/apis?x`)))).toEqual([
      "fetch failed",
      `No mock serves GET ${HOST}/apis, only ${HOST}/api/v2 and ${HOST}/api`,
    ]);
  });

  test("on different ports and schemes", async () => {
    for (const baseUrl of [
      "http://a.example",
      "https://a.example",
      "https://a.example:8443",
      "http://[::1]:81",
    ]) {
      mock({ baseUrl, handle: async () => reply(baseUrl) });
    }
    for (const baseUrl of [
      "http://a.example:80",
      "https://a.example:443",
      "https://A.example:8443",
      "http://[::1]:81",
    ]) {
      expect(await ask(`${baseUrl}/`)).toBe(new URL(baseUrl).origin);
    }
  });
});
