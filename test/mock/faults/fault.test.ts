import { gunzipSync } from "node:zlib";
import type { Fault, FaultRequest } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { failureOf, messagesOf } from "../../intercept/failures.ts";
import { clients, nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";
import { LIST, opened, TRANSPORTS } from "./opened.ts";

describe("a fault answers", () => {
  it("with a status, headers and a body, exactly as given", async () => {
    const { mock, session } = opened();
    mock.addFault({
      response: { status: 503, headers: { "Retry-After": "2" }, body: new Uint8Array([0, 255]) },
    });
    const { status, rawHeaders, body } = await session.target(LIST);
    expect([status, rawHeaders, [...body]]).toEqual([503, [["Retry-After", "2"]], [0, 255]]);
    mock.addFault({ response: { status: 200, body: '{"results":[' } });
    expect((await session.target(LIST)).body.toString()).toBe('{"results":[');
  });

  it.each([
    [{ "X-Name\r\nX-Other": "1" }, /response\.headers\.X-Name\\r\\nX-Other: .*header names such as X-Name/],
    [{ "": "1" }, /response\.headers.*header names such as X-Name/],
    [{ "X-Name": "1\r\nX-Other: 2" }, /response\.headers\.X-Name.*without line breaks/],
    [{ "X-Name": "1\u0000" }, /response\.headers\.X-Name.*without line breaks/],
    [{ "X-Name": "\u20ac" }, /response\.headers\.X-Name.*Latin-1/],
  ])("with no header that would end its line: %j", (headers, reason) => {
    const { mock } = opened();
    expect(() => mock.addFault({ response: { status: 200, headers } })).toThrow(reason);
  });

  it("with a result code, in the format of each API", async () => {
    const { mock, session, database } = opened();
    mock.updateDatabase(database, { stateName: "PROJECT_INACTIVE" });
    const [refusedAdd, refusedQuery] = [await session.add(), await session.query()];
    mock.updateDatabase(database, { stateName: "WORKING" });
    mock.addFault({ api: "target", response: { resultCode: "ProjectInactive" } });
    mock.addFault({ api: "query", response: { resultCode: "InactiveProject" } });
    const [add, query] = [await session.add(), await session.query()];

    const shape = (response: typeof add, body = response.body) => ({
      status: response.status,
      headers: response.rawHeaders?.filter(([name]) => name !== "Date" && name !== "Content-Length"),
      body: body.toString().replace(/[0-9a-f]{32}/, "ID"),
    });
    expect(shape(add)).toEqual(shape(refusedAdd));
    expect(shape(query, gunzipSync(query.body))).toEqual(shape(refusedQuery, gunzipSync(refusedQuery.body)));
  });

  it("with a result code that the service never sends, and those of the other APIs", async () => {
    const { mock, session } = opened();
    mock.addFault({ api: "target", response: { resultCode: "TooManyRequests", status: 429 } });
    mock.addFault({ api: "modelTarget", response: { resultCode: "CONFLICT", status: 409 } });
    const { status, body } = await session.target(LIST);
    expect([status, JSON.parse(body.toString())]).toEqual([
      429,
      { transaction_id: expect.stringMatching(/^[0-9a-f]{32}$/), result_code: "TooManyRequests" },
    ]);
    const send = async (method: string, path: string) => {
      const response = await nodeClient({ method, url: mock.urls.modelTarget + path, headers: {} });
      return [response.status, JSON.parse(response.body.toString())];
    };
    expect(await send("GET", "/modeltargets/datasets/x/status")).toEqual([
      409,
      { error: { code: "CONFLICT", message: "a fault of the test" } },
    ]);
    expect(await send("POST", "/oauth2/token")).toEqual([409, { error: "CONFLICT" }]);
    mock.addFault({ resetConnection: true });
    expect((await fetch(`${mock.urls.manager}/cloud_databases`)).status).toBe(200);
    mock.addFault({ api: "manager", response: { resultCode: "Busy", status: 503 } });
    const managed = await fetch(`${mock.urls.manager}/cloud_databases`);
    expect([managed.status, await managed.text()]).toEqual([503, "Busy"]);
  });

  it("before any check, without executing the request", async () => {
    const { mock, session, database } = opened();
    const fault = mock.addFault({ response: { status: 500 } });
    expect((await session.add()).status).toBe(500);
    expect((await session.target({ ...LIST, secretKey: "wrong" })).status).toBe(500);
    expect([fault.timesApplied, database.targets]).toEqual([2, []]);
  });

  it("after executing the request when `executed` is set", async () => {
    const { mock, session, database } = opened();
    mock.addFault({ operation: "addTarget", response: { status: 504 }, executed: true, times: 1 });
    expect((await session.add({ name: "kept" })).status).toBe(504);
    expect(database.targets.map(({ name }) => name)).toEqual(["kept"]);
    expect((await session.add({ name: "kept" })).status, "the retry").toBe(403);
  });
});

describe("a fault resets the connection", () => {
  it.each(Object.entries(clients))("%s gets ECONNRESET", async (_name, client) => {
    const { mock, database } = opened();
    const session = new MockSession(mock, database, undefined, client);
    mock.addFault({ resetConnection: true, times: 1 });
    const error: unknown = await session.target(LIST).catch((reason: unknown) => reason);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    expect(cause).toMatchObject({
      code: "ECONNRESET",
      message: expect.stringMatching(
        /^GET \/targets: the connection was reset, by the fault that was added at \S+:\d+ \(times: 1\)$/,
      ),
    });
    expect((await session.target(LIST)).status).toBe(200);
  });

  it("executes the request first when `executed` is set", async () => {
    const { mock, session, database } = opened();
    mock.addFault({ resetConnection: true, executed: true });
    await expect(session.add()).rejects.toThrow("the connection was reset, the request was executed");
    expect(database.targets).toHaveLength(1);
  });
});

describe("a fault delays", () => {
  it("the response, in addition to the configured delay, with the option `delay`", async () => {
    const delays: number[] = [];
    const delay = async (seconds: number) => {
      delays.push(seconds);
    };
    const { mock, session } = opened({ responseDelaySeconds: 1, delay });
    mock.addFault({ operation: "listTargets", delaySeconds: 2.5 });
    expect((await session.target(LIST)).status).toBe(200);
    await session.target({ method: "GET", path: "/summary" });
    mock.addFault({ operation: "listTargets", delaySeconds: 4, resetConnection: true });
    await expect(session.target(LIST)).rejects.toThrow("reset");
    expect(delays).toEqual([1, 2.5, 1, 1, 4]);
  });
});

describe("a fault matches", () => {
  it.each<[string, Fault, readonly number[]]>([
    ["an API", { api: "query" }, [201, 200, 418, 200]],
    ["an operation", { operation: "addTarget" }, [418, 200, 200, 200]],
    ["several operations", { operation: ["addTarget", "query"] }, [418, 200, 418, 200]],
    [
      "requests that a function picks",
      { when: ({ path, method }) => method === "GET" && path === "/targets" },
      [201, 418, 200, 418],
    ],
    ["another database's requests", { database: "other" }, [201, 200, 200, 418]],
    ["a database's target and query requests", { database: "shop" }, [418, 418, 418, 200]],
    [
      "all that fits every field",
      { database: "shop", api: "target", operation: "listTargets" },
      [201, 418, 200, 200],
    ],
    ["no operation of an empty list", { operation: [] }, [201, 200, 200, 200]],
  ])("%s", async (_what, fault, statuses) => {
    const { mock, session } = opened();
    const other = new MockSession(mock, mock.addCloudDatabase({ databaseName: "other" }));
    mock.addFault({ response: { status: 418 }, ...fault });
    const responses = [
      await session.add(),
      await session.target(LIST),
      await session.query(),
      await other.target(LIST),
    ];
    expect(responses.map(({ status }) => status)).toEqual(statuses);
  });

  it("requests to a database given as an object", async () => {
    const { mock, session, database } = opened();
    mock.addFault({ database, response: { status: 418 } });
    expect((await session.target(LIST)).status).toBe(418);
  });

  it("requests for which a function returns true", async () => {
    const { mock, session } = opened();
    const seen: unknown[] = [];
    const when = (request: object) => {
      seen.push(request);
      return false;
    };
    mock.addFault({ when, resetConnection: true });
    const image = makePng().toString("base64");
    await session.add({ image });
    expect(seen).toEqual([
      {
        api: "target",
        operation: "addTarget",
        database: "shop",
        method: "POST",
        path: "/targets",
        query: "",
        headers: expect.objectContaining({ "content-type": "application/json" }),
        body: Buffer.from(JSON.stringify({ name: "target", width: 1, image })),
      },
    ]);
  });

  it("no request when its function throws; the request fails instead", async () => {
    const { mock, session } = opened();
    const [, above] = /fault\.test\.ts:(\d+)/.exec(new Error().stack ?? "") ?? [];
    mock.addFault({
      resetConnection: true,
      when: () => {
        throw new Error("in when");
      },
    });
    await expect(session.target(LIST)).rejects.toThrow("in when");
    expect(mock.requests[0]?.reason).toBe(
      "the request failed: the `when` of the fault that was added at test/mock/faults/fault.test.ts:" +
        `${Number(above) + 1} threw: in when`,
    );
  });
});

/** The type does not restrict users' JavaScript. */
const returning = (make: () => unknown): ((request: FaultRequest) => boolean) => {
  const untyped: { when(): never } = JSON.parse("{}");
  return Object.assign(untyped, { when: make }).when;
};

describe("a fault whose function returns no boolean", () => {
  const MESSAGE =
    /^the `when` of the fault that was added at test\/mock\/faults\/fault\.test\.ts:\d+: expected true or false; got (.+)$/;

  it.each(Object.entries(TRANSPORTS))("fails the request, with a promise through %s", async (_name, way) => {
    const [intercept, clientOf] = way;
    const { mock, database } = opened({ intercept });
    const session = new MockSession(mock, database, undefined, clientOf(mock));
    // Vitest fails when nobody handles a rejection.
    const when = returning(() => Promise.reject(new Error("in when")));
    const check = async () => {
      mock.addFault({ resetConnection: true, when });
      const failure = await failureOf(session.target(LIST));
      expect(failure).toBeInstanceOf(TypeError);
      expect(messagesOf(failure)).toContainEqual(expect.stringMatching(MESSAGE));
      const reason = mock.requests.at(-1)?.reason?.replace(/^the request failed: /, "");
      expect(reason).toMatch(MESSAGE);
      expect(MESSAGE.exec(reason ?? "")?.[1]).toBe("[object Promise] (object)");
      expect(mock.requests.at(-1)).toMatchObject({ refusedBy: "emulator" });
    };
    await mock.isolate(check);
    expect((await session.target(LIST)).status).toBe(200);
    await check();
  });

  it.each([
    [undefined, "undefined (undefined)"],
    [null, "null (object)"],
    [1, "1 (number)"],
    ["false", '"false"'],
    [{}, "[object Object] (object)"],
  ])("fails the request, with %s", async (result, shown) => {
    const { mock, session } = opened();
    using fault = mock.addFault({ resetConnection: true, when: returning(() => result) });
    const [message = ""] = messagesOf(await failureOf(session.target(LIST)));
    expect(MESSAGE.exec(message)?.[1]).toBe(shown);
    expect(fault.timesApplied).toBe(0);
  });

  const unshowable: readonly [string, object][] = [
    ["an object without a prototype", Object.create(null)],
    ["an object whose conversion throws", { toString: () => JSON.parse("") }],
  ];

  it.each(unshowable)("fails the request, with %s", async (_name, result) => {
    const { mock, session } = opened();
    mock.addFault({ resetConnection: true, when: returning(() => result) });
    const [message = ""] = messagesOf(await failureOf(session.target(LIST)));
    expect(MESSAGE.exec(message)?.[1]).toBe("a value that cannot be shown (object)");
  });

  it.each(unshowable)("fails the request also when it throws %s", async (_name, thrown) => {
    const { mock, session } = opened();
    const when = () => {
      throw thrown;
    };
    mock.addFault({ resetConnection: true, when });
    const [message = ""] = messagesOf(await failureOf(session.target(LIST)));
    expect(message).toMatch(
      /^the `when` of the fault that was added at .* threw: a value that cannot be shown$/,
    );
  });
});
