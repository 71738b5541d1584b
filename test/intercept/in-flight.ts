import https from "node:https";
import axios from "axios";
import got from "got";
import { describe, expect, test } from "vitest";
import { codesOf, failureOf, messagesOf } from "./failures.ts";
import { CLIENTS, HOST, mock, type RunningMock, reply, viaFetch, type Way } from "./mocks.ts";

interface SlowMock extends RunningMock {
  /** Resolves when the handler has received a request. */
  readonly entered: Promise<void>;
  /** Releases the response, or the error. */
  finish(error?: Error): void;
}

/** Handles a request only when it is released. */
function slowMock(options: Way): SlowMock {
  const entered = deferred<void>();
  const finished = deferred<Error | undefined>();
  const running = mock({
    ...options,
    handle: async () => {
      entered.resolve();
      const error = await finished.promise;
      if (error) throw error;
      return reply(Buffer.alloc(100_000, "late"));
    },
  });
  return { ...running, entered: entered.promise, finish: finished.resolve };
}

function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Sends complete requests, which gives late errors of earlier ones time to surface as unhandled in Vitest. */
async function letLateErrorsShow(): Promise<void> {
  const { stop } = mock({ baseUrl: "https://later.example" });
  for (let request = 0; request < 3; request++) await viaFetch("https://later.example");
  stop();
}

/** Tests what happens to requests in flight when their client aborts, or the mock stops. */
export function testRequestsInFlight(options: Way): void {
  describe.each(Object.entries(CLIENTS))("%s", (_name, client) => {
    test.each(["answered", "failed"])("an aborted request that is %s afterwards", async (how) => {
      const { entered, finish } = slowMock(options);
      const controller = new AbortController();
      const response = client(`${HOST}/`, {
        method: "POST",
        body: Buffer.from("x"),
        signal: controller.signal,
      });
      const aborted = expect(response).rejects.toThrow(/abort|cancel/i);
      await entered;
      controller.abort();
      await aborted;
      finish(how === "failed" ? new Error("late") : undefined);
      await letLateErrorsShow();
    });

    test("a request that is being answered when the mock stops is answered", async () => {
      const { entered, finish, stop } = slowMock(options);
      const response = client(`${HOST}/`);
      await entered;
      stop();
      finish();
      expect((await response).body).toHaveLength(100_000);
    });

    test("an error of the handler after the mock was stopped fails the request", async () => {
      const { entered, finish, stop } = slowMock(options);
      const failure = failureOf(client(`${HOST}/`));
      await entered;
      stop();
      finish(new RangeError("the handler's own"));
      expect(messagesOf(await failure)).toContain("the handler's own");
    });

    test("requests overlap", async () => {
      mock({ ...options, handle: async ({ path, body }) => reply(`${path} ${body}`) });
      const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
      const send = (path: string) =>
        client(HOST + path, { method: "POST", body: Buffer.from(`body of ${path}`) });
      const responses = await Promise.all(paths.map(send));
      expect(responses.map(({ body }) => String(body))).toEqual(
        paths.map((path) => `${path} body of ${path}`),
      );
    });
  });

  // got sends nothing before the next turn of the event loop.
  const atOnce = Object.entries(CLIENTS).filter(([name]) => name !== "got");

  describe.each(atOnce)("%s", (_name, client) => {
    test.each(["GET", "POST"])(
      "a %s that the mock has not yet seen when it stops is refused",
      async (method) => {
        const { requests, stop } = mock(options);
        const body = method === "POST" ? { body: Buffer.alloc(1_000_000) } : {};
        const failure = failureOf(client(`${HOST}/path`, { method, ...body }));
        stop();
        const error = await failure;
        expect(codesOf(error)).toContain("ECONNREFUSED");
        expect(messagesOf(error).join()).toMatch(
          method === "GET"
            ? `GET ${HOST}/path: the mock was stopped while the request was in flight; await the response before the mock stops`
            : /the mock was stopped/,
        );
        expect(requests).toEqual([]);
      },
    );
  });

  test.each<[string, () => Promise<unknown>]>([
    ["fetch", () => fetch(HOST, { signal: AbortSignal.timeout(20) })],
    ["axios (http)", () => axios.get(HOST, { adapter: "http", timeout: 20 })],
    ["axios (fetch)", () => axios.get(HOST, { adapter: "fetch", timeout: 20 })],
    ["got", async () => await got(HOST, { timeout: { request: 20 }, retry: { limit: 0 } })],
    [
      "node:https",
      () =>
        new Promise((_, reject) => {
          const request = https.get(HOST, { timeout: 20 });
          request.on("timeout", () => request.destroy(new Error("timeout")));
          request.on("error", reject);
        }),
    ],
  ])("the client's own timeout works: %s", async (_name, send) => {
    const { finish } = slowMock(options);
    await expect(send()).rejects.toThrow(/time(d )?out/i);
    finish();
    await letLateErrorsShow();
  });
}
