import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import nock from "nock";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { interceptWithNock } from "../../src/interception/nock-interceptor.ts";
import { CLIENTS, HOST, mock, reply, viaFetch } from "./mocks.ts";

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  if (!nock.isActive()) nock.activate();
});

/** What a URL answers, or how the request fails. */
async function ask(url: string, method = "GET"): Promise<string> {
  return await viaFetch(url, { method }).then(
    ({ body }) => String(body),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** A server outside of nock; answers "real". */
async function realServer(): Promise<string> {
  const listener: RequestListener = (_request, response) =>
    response.setHeader("Connection", "close").end("real");
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

describe("a user's scopes", () => {
  test("on other hosts are untouched, during and after", async () => {
    nock("https://other.example").persist().get("/before").reply(200, "theirs");
    const { stop } = mock();
    nock("https://other.example").persist().get("/during").reply(200, "theirs too");
    expect(await ask("https://other.example/before")).toBe("theirs");
    expect(await ask("https://other.example/during")).toBe("theirs too");
    expect(await ask("https://other.example/unknown")).toBe("ERR_NOCK_NO_MATCH");
    stop();
    expect(await ask("https://other.example/before")).toBe("theirs");
    expect(await ask("https://other.example/during")).toBe("theirs too");
  });

  test.each(["before", "after"])("on our host win, registered %s us", async (when) => {
    const theirs = () =>
      nock(HOST).get("/one").reply(200, "theirs").put("/two").times(2).reply(200, "theirs");
    if (when === "before") theirs();
    const { requests } = mock();
    if (when === "after") theirs();
    expect(await ask(`${HOST}/three`)).toBe("ours");
    expect(await ask(`${HOST}/one`, "POST")).toBe("ours");
    expect(await ask(`${HOST}/one`)).toBe("theirs");
    expect(await ask(`${HOST}/two`, "PUT")).toBe("theirs");
    expect(await ask(`${HOST}/two`, "PUT")).toBe("theirs");
    expect(await ask(`${HOST}/one`), "theirs was for one request").toBe("ours");
    expect(await ask(`${HOST}/two`, "PUT")).toBe("ours");
    expect(requests).toHaveLength(4);
  });

  test("on our host win when they are added in between", async () => {
    mock();
    for (const path of ["/1", "/2", "/3"]) {
      expect(await ask(HOST + path)).toBe("ours");
      nock(HOST).get(path).reply(200, "theirs");
      expect(await ask(HOST + path)).toBe("theirs");
    }
  });

  test.each(["before", "after"])("on our host go on after us, registered %s us", async (when) => {
    const theirs = () => nock(HOST).get("/one").twice().reply(200, "theirs");
    if (when === "before") theirs();
    const { stop } = mock();
    if (when === "after") theirs();
    stop();
    expect(await ask(`${HOST}/two`)).toBe("ERR_NOCK_NO_MATCH");
    expect(await ask(`${HOST}/one`)).toBe("theirs");
    expect(await ask(`${HOST}/one`)).toBe("theirs");
    expect(await ask(`${HOST}/one`), "nock keeps a user's host").toBe("ERR_NOCK_NO_MATCH");
  });

  test("on another port of our host do not keep it", async () => {
    const baseUrl = await realServer();
    const { stop } = mock({ baseUrl });
    nock(baseUrl.replace(/\d$/, "")).get("/").reply(200, "theirs");
    stop();
    expect(await ask(baseUrl)).toBe("real");
  });

  test("are not waited for because of ours", async () => {
    mock();
    expect(nock.isDone()).toBe(true);
    expect(nock.pendingMocks()).toEqual([]);
    const theirs = nock(HOST).get("/one").reply(200, "theirs");
    expect(nock.pendingMocks()).toEqual([`GET ${HOST}:443/one`]);
    await ask(`${HOST}/two`);
    expect(theirs.isDone()).toBe(false);
    await ask(`${HOST}/one`);
    theirs.done();
    expect(nock.isDone()).toBe(true);
  });
});

describe("after the last mock", () => {
  test("the host is real again, and its next mock works", async () => {
    const baseUrl = await realServer();
    for (let round = 0; round < 3; round++) {
      const { stop } = mock({ baseUrl });
      expect(await ask(baseUrl)).toBe("ours");
      stop();
      expect(await ask(baseUrl)).toBe("real");
      expect(await ask(baseUrl, "PATCH")).toBe("real");
    }
    expect(nock.activeMocks()).toEqual([]);
  });

  test("a user's disableNetConnect holds for our host", async () => {
    const baseUrl = await realServer();
    nock.disableNetConnect();
    const { stop } = mock({ baseUrl });
    expect(await ask(baseUrl)).toBe("ours");
    stop();
    for (const method of ["GET", "POST", "PATCH"]) expect(await ask(baseUrl, method)).toBe("ENETUNREACH");
  });

  test("NOCK_OFF=true is refused, and nothing is left behind", () => {
    vi.stubEnv("NOCK_OFF", "true");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(() => mock()).toThrow(
      "NOCK_OFF=true switches nock off, so no request would reach the mock: unset",
    );
    expect(nock.activeMocks()).toEqual([]);
  });

  test("nock is active if it was active", () => {
    const { stop } = mock();
    stop();
    expect(nock.isActive()).toBe(true);
  });

  test("nock is inactive if it was inactive", async () => {
    nock.restore();
    const { fetch } = globalThis;
    const { stop } = mock();
    expect(await ask(HOST)).toBe("ours");
    stop();
    expect(nock.isActive()).toBe(false);
    expect(globalThis.fetch).toBe(fetch);
  });

  test("nock stays active for interceptors that the user has registered meanwhile", async () => {
    nock.restore();
    const { stop } = mock();
    nock("https://other.example").get("/").reply(200, "theirs");
    stop();
    expect(await ask("https://other.example")).toBe("theirs");
  });

  test("nock stays inactive if the user has deactivated it meanwhile", () => {
    const { stop } = mock();
    nock.restore();
    stop();
    expect(nock.isActive()).toBe(false);
  });
});

describe("a user's cleanAll", () => {
  test("does not stop the mock, and clears the user's own scopes", async () => {
    nock(HOST).get("/one").reply(200, "theirs");
    const { requests, stop } = mock();
    mock({ baseUrl: "https://second.example" });
    for (let round = 0; round < 3; round++) {
      nock.cleanAll();
      await undefined;
      expect(await ask(`${HOST}/one`)).toBe("ours");
      expect(await ask("https://second.example")).toBe("ours");
    }
    nock(HOST).get("/one").reply(200, "theirs");
    expect(await ask(`${HOST}/one`)).toBe("theirs");
    expect(requests).toHaveLength(3);
    stop();
    nock.cleanAll();
    await undefined;
    expect(nock.activeMocks().join()).not.toContain(HOST);
  });

  test("is reported to a request of the same turn", async () => {
    mock();
    nock.cleanAll();
    expect(await ask(HOST)).toContain("nock.cleanAll() has removed the mock");
    expect(await ask(HOST)).toBe("ours");
  });

  test("does not reach a request that nock already has", async () => {
    const { stop } = mock();
    const response = ask(HOST);
    nock.cleanAll();
    expect(await response).toBe("ours");
    stop();
    expect(nock.activeMocks()).toEqual([]);
  });

  test("just before the mock stops leaves nothing behind", async () => {
    const baseUrl = await realServer();
    const { stop } = mock({ baseUrl });
    nock.cleanAll();
    stop();
    await undefined;
    expect(nock.activeMocks()).toEqual([]);
    expect(await ask(baseUrl)).toBe("real");
  });
});

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

  test("fail if any running mock says so", async () => {
    const other = await realServer();
    mock();
    const { stop } = mock({ unhandledRequests: "error" });
    expect(await ask(other)).toContain("no mock serves this host");
    stop();
    expect(await ask(other)).toBe("real");
  });

  test("are let through where a user's scope says so, and answered where it can", async () => {
    const other = await realServer();
    nock(other, { allowUnmocked: true }).get("/theirs").reply(200, "theirs");
    mock({ unhandledRequests: "error" });
    expect(await ask(`${other}/theirs`)).toBe("theirs");
    expect(await ask(`${other}/unknown`)).toBe("real");
  });
});

describe("several mocks", () => {
  test("on one host: the newest serves, then the one before it", async () => {
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
    const first = mock({ handle: async () => reply("first") });
    vi.resetModules();
    const copy = await import("../../src/interception/nock-interceptor.ts");
    expect(copy.interceptWithNock).not.toBe(interceptWithNock);
    const second = mock({ handle: async () => reply("second"), intercept: copy.interceptWithNock });
    expect(await ask(HOST)).toBe("second");
    first.stop();
    expect(await ask(HOST)).toBe("second");
    second.stop();
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
    await expect(viaFetch(`${HOST}/apis?x`)).rejects.toThrow(
      `No mock serves GET ${HOST}/apis, only ${HOST}/api/v2 and ${HOST}/api`,
    );
  });

  test("on ports and schemes of their own", async () => {
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
