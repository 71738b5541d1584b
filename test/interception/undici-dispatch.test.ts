import { setImmediate as nextTurn } from "node:timers/promises";
import * as undici7 from "undici";
import * as undici6 from "undici-6";
import { describe, expect, test, vi } from "vitest";
import { interceptWithUndici } from "../../src/interception/undici-interceptor.ts";
import { HOST, type MockOptions, mock as nockMock, reply } from "./mocks.ts";

const mock = (options: MockOptions = {}) => nockMock({ ...options, intercept: interceptWithUndici });

describe.each([
  ["undici 7", undici7],
  ["undici 6", undici6 as unknown as typeof undici7],
])("%s, what a request may be made of", (_name, { request, getGlobalDispatcher }) => {
  const ownHeaders = async (headers: object) => {
    const { requests } = mock();
    await request(HOST, { headers: Object(headers) });
    return requests[0]?.headers;
  };

  test.each<[string, object]>([
    ["names and values in turn", ["X-Own", "a", "Twice", ["1", "2"]]],
    ["a Map", new Map(Object.entries({ "X-Own": "a", Twice: ["1", "2"] }))],
    ["a record, some of it undefined", { "X-Own": "a", Nothing: undefined, Twice: ["1", "2"] }],
  ])("headers: %s", async (_kind, headers) => {
    expect(await ownHeaders(headers)).toEqual([
      ["X-Own", "a"],
      ["Twice", "1"],
      ["Twice", "2"],
      ["host", "service.example"],
    ]);
  });

  test("a Host header of one's own", async () => {
    expect(await ownHeaders({ Host: "own.example" })).toEqual([["Host", "own.example"]]);
  });

  function* chunks() {
    yield Buffer.from("some ");
    yield Buffer.from("ü");
  }
  test.each<[string, () => unknown, string | undefined]>([
    ["an ArrayBuffer", () => new Uint8Array(Buffer.from("some ü")).buffer, undefined],
    ["a Blob", () => new Blob(["some ü"], { type: "text/own" }), "text/own"],
    ["a Blob of no type", () => new Blob(["some ü"]), undefined],
    ["an iterable", chunks, undefined],
  ])("a body that is %s", async (_kind, body, type) => {
    const { requests } = mock();
    await request(HOST, { method: "POST", body: Object(body()) });
    expect(String(requests[0]?.body)).toBe("some ü");
    expect(new Map(requests[0]?.headers).get("content-type")).toBe(type);
  });

  test("a body that is nothing of the kind", async () => {
    mock();
    await expect(request(HOST, { method: "POST", body: Object(5) })).rejects.toThrow(
      "cannot read a request body of type [object Number]",
    );
  });

  test("without an origin, undici itself says so", () => {
    mock();
    const onError = vi.fn();
    getGlobalDispatcher().dispatch({ path: "/", method: "GET" }, { onError });
    expect(onError.mock.lastCall).toMatchObject([{ message: expect.stringContaining("origin") }]);
  });
});

/** What a handler with the newer callbacks hears; at one of them it aborts. */
async function heard(abortAt?: string): Promise<readonly unknown[]> {
  const calls: unknown[] = [];
  const call = (controller: undici7.Dispatcher.DispatchController, name: string, ...rest: unknown[]) => {
    calls.push([name, ...rest]);
    if (name === abortAt) controller.abort(new Error("enough"));
  };
  undici7.getGlobalDispatcher().dispatch(
    { origin: HOST, path: "/", method: "GET" },
    {
      onRequestStart: (controller) => call(controller, "start"),
      onResponseStart: (controller, ...rest) => call(controller, "headers", ...rest),
      onResponseData: (controller, chunk) => call(controller, "data", String(chunk)),
      onResponseEnd: (controller) => call(controller, "end"),
      onResponseError: (controller, error) =>
        calls.push(["error", error.message, controller.aborted, controller.reason === error]),
    },
  );
  await nextTurn();
  return calls;
}

/** The same of a handler with the older ones. */
async function heardOfOld(abortAt?: string): Promise<readonly unknown[]> {
  const calls: unknown[] = [];
  let abort = (_error?: Error) => {};
  const call = (name: string) => {
    calls.push(name);
    if (name === abortAt) abort(new Error("enough"));
    return true;
  };
  undici7.getGlobalDispatcher().dispatch(
    { origin: HOST, path: "/", method: "GET" },
    {
      onConnect: (given) => {
        abort = given;
        call("start");
      },
      onHeaders: () => call("headers"),
      onData: () => call("data"),
      onComplete: () => void call("end"),
      onError: ({ message }) => void calls.push(`error ${message}`),
    },
  );
  await nextTurn();
  return calls;
}

describe("a handler of one's own", () => {
  const repeated = [
    ["Twice", "1"],
    ["twice", "2"],
    ["Twice", "3"],
    ["X-Own", "a"],
  ] as const;
  const answer = { handle: async () => reply("text", 299, repeated) };
  const headers = ["headers", 299, { twice: ["1", "2", "3"], "x-own": "a" }, ""];
  const enough = ["error", "enough", true, true];

  test.each([
    [undefined, [["start"], headers, ["data", "text"], ["end"]]],
    ["start", [["start"], enough]],
    ["headers", [["start"], headers, enough]],
    ["data", [["start"], headers, ["data", "text"], enough]],
    ["end", [["start"], headers, ["data", "text"], ["end"]]],
  ])("that aborts at %s hears of nothing after its error", async (abortAt, calls) => {
    const { requests } = mock(answer);
    expect(await heard(abortAt)).toEqual(calls);
    expect(requests).toHaveLength(abortAt === "start" ? 0 : 1);
  });

  test.each([
    [undefined, ["start", "headers", "data", "end"]],
    ["start", ["start", "error enough"]],
    ["headers", ["start", "headers", "error enough"]],
    ["data", ["start", "headers", "data", "error enough"]],
  ])("with older callbacks that aborts at %s neither", async (abortAt, calls) => {
    mock(answer);
    expect(await heardOfOld(abortAt)).toEqual(calls);
  });

  test("hears of a host that no mock serves", async () => {
    mock({ baseUrl: "https://other.example", unhandledRequests: "error" });
    expect(await heard()).toEqual([
      ["start"],
      ["error", expect.stringContaining("no mock serves this host"), false, false],
    ]);
  });
});

describe("undici's interceptors in front", () => {
  const { retry } = undici7.interceptors;
  const through = retry({ minTimeout: 1, maxTimeout: 1 })((options, handler) =>
    undici7.getGlobalDispatcher().dispatch(options, handler),
  );
  class Retrying extends undici7.Dispatcher {
    override dispatch(...given: Parameters<undici7.Dispatcher["dispatch"]>): boolean {
      return through(...given);
    }
  }

  test("a request is tried again when the connection was reset, and its large answer read", async () => {
    const large = Buffer.alloc(3_000_000, "0123456789");
    let tries = 0;
    mock({
      handle: async () => {
        tries += 1;
        if (tries > 1) return reply(large, 200, [["X-Own", "a"]]);
        return { connectionError: { kind: "reset", message: "cut" } };
      },
    });
    const response = await undici7.request(HOST, { dispatcher: new Retrying() });
    expect(response).toMatchObject({ statusCode: 200, headers: { "x-own": "a" } });
    expect(large.equals(Buffer.from(await response.body.arrayBuffer()))).toBe(true);
    expect(tries).toBe(2);
  });

  test("an aborted request is not tried again", async () => {
    const controller = new AbortController();
    const { requests } = mock({
      handle: async () => {
        controller.abort();
        return reply("late");
      },
    });
    const { signal } = controller;
    await expect(undici7.request(HOST, { dispatcher: new Retrying(), signal })).rejects.toThrow("aborted");
    expect(requests).toHaveLength(1);
  });
});
