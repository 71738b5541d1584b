import { once } from "node:events";
import { type JournalEntry, ManualClock, MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";

const opened = (mock: MockCloudReco) => new MockSession(mock, mock.addCloudDatabase());

describe("events of a mock", () => {
  it("report arrivals, responses and rejections, in order", async () => {
    await using mock = new MockCloudReco();
    const session = opened(mock);
    const seen: unknown[] = [];
    mock.on("request", ({ number, operation }) => seen.push(["request", number, operation]));
    mock.on("response", ({ number, status }) => seen.push(["response", number, status]));
    mock.on("rejected", ({ number, reason }) => seen.push(["rejected", number, reason]));
    await session.target({ method: "GET", path: "/targets" });
    await session.target({ method: "GET", path: "/targets", secretKey: "wrong" });
    await expect(session.target({ method: "GET", path: "/target" })).rejects.toThrow(
      "the nearest route is GET /targets",
    );
    expect(seen).toEqual([
      ["request", 1, "listTargets"],
      ["response", 1, 200],
      ["request", 2, "listTargets"],
      ["response", 2, 401],
      ["rejected", 2, expect.stringMatching(/^check the secret key/)],
      ["request", 3, undefined],
      ["rejected", 3, expect.stringMatching(/^correct the path: nothing is served at GET \/target/)],
    ]);
  });

  it("pass the same objects as the journal", async () => {
    await using mock = new MockCloudReco();
    const responses: JournalEntry[] = [];
    mock.on("response", (entry) => responses.push(entry));
    await opened(mock).target({ method: "GET", path: "/summary" });
    expect(responses[0]).toBe(mock.requests[0]);
  });

  it("have names, and listeners that are functions", async () => {
    await using mock = new MockCloudReco();
    expect(() => mock.on("refused" as "rejected", () => {})).toThrow(
      'Invalid event: expected "request", "response" or "rejected"; got "refused".',
    );
    expect(() => mock.on("rejected", null as never)).toThrow(
      "Invalid listener: expected a function; got null.",
    );
  });

  it("stop for the listener whose remove function was called", async () => {
    await using mock = new MockCloudReco();
    const session = opened(mock);
    let calls = 0;
    const listener = () => {
      calls += 1;
    };
    const stops = [mock.on("response", listener), mock.on("response", listener)];
    await session.target({ method: "GET", path: "/summary" });
    stops[0]?.();
    stops[0]?.();
    await session.target({ method: "GET", path: "/summary" });
    stops[1]?.();
    await session.target({ method: "GET", path: "/summary" });
    expect(calls).toBe(3);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("at once");
      },
    ],
    [
      "throws that is no Error",
      () => {
        throw "non-empty text";
      },
    ],
    [
      "rejects later",
      async () => {
        await undefined;
        throw new Error("later");
      },
    ],
  ])("turns what a listener %s into a warning; the request and other listeners go on", async (_how, fail) => {
    await using mock = new MockCloudReco();
    let called = false;
    mock.on("response", fail);
    mock.on("response", () => {
      called = true;
    });
    const warned = once(process, "warning");
    const response = await opened(mock).target({ method: "GET", path: "/summary" });
    const [warning] = await warned;
    expect([response.status, called]).toEqual([200, true]);
    expect(warning).toMatchObject({
      code: "MOCK_CLOUD_RECO_LISTENER",
      message: expect.stringContaining('a "response" listener failed'),
    });
  });
});

describe("the requests of a mock", () => {
  it("can be filtered by their fields and outcome", async () => {
    await using mock = new MockCloudReco();
    const session = opened(mock);
    const other = new MockSession(mock, mock.addCloudDatabase());
    await session.add();
    await session.add();
    await other.add();
    await session.query();
    const paths = (filter: Parameters<typeof mock.requestsOf>[0]) =>
      mock.requestsOf(filter).map(({ operation, status }) => `${operation} ${status}`);
    expect(paths({ operation: "addTarget" })).toEqual(["addTarget 201", "addTarget 403", "addTarget 201"]);
    expect(paths({ operation: "addTarget", refused: true })).toEqual(["addTarget 403"]);
    expect(paths({ refused: false, database: other.database })).toEqual(["addTarget 201"]);
    expect(paths({ database: other.database.databaseName })).toEqual(["addTarget 201"]);
    const { refusedBy } = mock.requestsOf({ refused: true })[0] ?? {};
    expect(refusedBy).toMatch(/^\w+$/);
    expect(paths({ resultCode: "TargetNameExist", refusedBy, status: 403 })).toEqual(["addTarget 403"]);
    expect(paths({ refusedBy: "another" })).toEqual([]);
    expect(paths({ api: "query", method: "POST", path: "/v1/query" })).toEqual(["query 200"]);
    expect(paths({ api: "manager" })).toEqual([]);
    expect(paths({})).toHaveLength(4);
  });

  it.each([
    [{ opperation: "query" }, "Invalid filter.opperation: expected operation; got an unknown name."],
    [{ operation: "list_targets" }, 'Invalid filter.operation: expected listTargets; got "list_targets".'],
    [
      { api: "vws" },
      'Invalid filter.api: expected "target", "modelTarget", "query" or "manager"; got "vws".',
    ],
    [{ database: {} }, "Invalid filter.database: expected a database or its name; got an object."],
  ])("refuse the filter %j", async (filter, message) => {
    await using mock = new MockCloudReco();
    expect(() => mock.requestsOf(JSON.parse(JSON.stringify(filter)))).toThrow(message);
  });

  it("are limited by an option, and dropped ones are counted", async () => {
    await using mock = new MockCloudReco({ journalCapacity: 2, clock: new ManualClock(new Date(0)) });
    for (const method of ["GET", "PUT", "POST"]) {
      await nodeClient({ method, url: `${mock.urls.target}/summary`, headers: {} });
    }
    expect(mock.requests.map(({ method }) => method)).toEqual(["PUT", "POST"]);
    expect(mock.droppedRequests).toBe(1);
    expect(mock.explain().split("\n", 1)).toEqual(["2 requests, 2 refused, 1 older ones dropped"]);
    await mock.reset();
    expect([mock.requests, mock.droppedRequests, mock.explain()]).toEqual([
      [],
      0,
      "0 requests, none refused",
    ]);
    expect(() => new MockCloudReco({ journalCapacity: 0 })).toThrow(
      "Invalid options.journalCapacity: expected a whole number, 1 or more; got 0.",
    );
  });
});
