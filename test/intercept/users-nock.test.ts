import nock from "nock";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ask, HOST, mock } from "./mocks.ts";
import { realServer } from "./real-server.ts";

afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
  if (!nock.isActive()) nock.activate();
});

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

  test("on our host win when they are added between requests", async () => {
    mock();
    for (const path of ["/1", "/2", "/3"]) {
      expect(await ask(HOST + path)).toBe("ours");
      nock(HOST).get(path).reply(200, "theirs");
      expect(await ask(HOST + path)).toBe("theirs");
    }
  });

  test.each(["before", "after"])(
    "on our host still work after the mock stopped, registered %s us",
    async (when) => {
      const theirs = () => nock(HOST).get("/one").twice().reply(200, "theirs");
      if (when === "before") theirs();
      const { stop } = mock();
      if (when === "after") theirs();
      stop();
      expect(await ask(`${HOST}/two`)).toBe("ERR_NOCK_NO_MATCH");
      expect(await ask(`${HOST}/one`)).toBe("theirs");
      expect(await ask(`${HOST}/one`)).toBe("theirs");
      expect(await ask(`${HOST}/one`), "nock keeps a user's host").toBe("ERR_NOCK_NO_MATCH");
    },
  );

  test("on another port of our host do not keep our origin matched", async () => {
    const baseUrl = await realServer();
    const { stop } = mock({ baseUrl });
    nock(baseUrl.replace(/\d$/, "")).get("/").reply(200, "theirs");
    stop();
    expect(await ask(baseUrl)).toBe("real");
  });

  test("are the only ones that nock.isDone() and nock.pendingMocks() report", async () => {
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
  test("the host is reached again, and its next mock works", async () => {
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

  test("a user's disableNetConnect applies to our host", async () => {
    const baseUrl = await realServer();
    nock.disableNetConnect();
    const { stop } = mock({ baseUrl });
    expect(await ask(baseUrl)).toBe("ours");
    stop();
    for (const method of ["GET", "POST", "PATCH"]) expect(await ask(baseUrl, method)).toBe("ENETUNREACH");
  });

  test("NOCK_OFF=true is refused, and nothing stays patched", () => {
    vi.stubEnv("NOCK_OFF", "true");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(() => mock()).toThrow("NOCK_OFF=true disables nock, so no request would reach the mock; unset");
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

  test("nock stays active for interceptors that the user registered in the meantime", async () => {
    nock.restore();
    const { stop } = mock();
    nock("https://other.example").get("/").reply(200, "theirs");
    stop();
    expect(await ask("https://other.example")).toBe("theirs");
  });

  test("nock stays inactive if the user deactivated it in the meantime", () => {
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

  test("does not stop the mock from answering a request of the same turn", async () => {
    mock();
    nock.cleanAll();
    expect(await ask(HOST)).toBe("ours");
    expect(await ask(HOST)).toBe("ours");
  });

  test("does not affect a request that nock already has", async () => {
    const { stop } = mock();
    const response = ask(HOST);
    nock.cleanAll();
    expect(await response).toBe("ours");
    stop();
    expect(nock.activeMocks()).toEqual([]);
  });

  test("just before the mock stops leaves nothing registered", async () => {
    const baseUrl = await realServer();
    const { stop } = mock({ baseUrl });
    nock.cleanAll();
    stop();
    await undefined;
    expect(nock.activeMocks()).toEqual([]);
    expect(await ask(baseUrl)).toBe("real");
  });
});
