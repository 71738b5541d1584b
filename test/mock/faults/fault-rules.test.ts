import { describe, expect, it } from "vitest";
import { LIST, opened } from "./opened.ts";

describe("several faults", () => {
  it("apply newest first, each as often as its `times` allows", async () => {
    const { mock, session } = opened();
    mock.addFault({ response: { status: 500 }, times: 2 });
    const newest = mock.addFault({ response: { status: 503 }, times: 1 });
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await session.target(LIST)).status);
    expect([statuses, newest.timesApplied]).toEqual([[503, 500, 500, 200], 1]);
  });

  it("stop applying after remove(), the end of a block, or reset()", async () => {
    const { mock, session } = opened();
    const first = mock.addFault({ response: { status: 500 } });
    {
      using second = mock.addFault({ response: { status: 503 } });
      expect((await session.target(LIST)).status).toBe(503);
      expect(second.timesApplied).toBe(1);
    }
    expect((await session.target(LIST)).status).toBe(500);
    first.remove();
    first.remove();
    expect((await session.target(LIST)).status).toBe(200);
    mock.addFault({ response: { status: 500 } });
    await mock.reset();
    expect((await session.target(LIST)).status).toBe(400);
  });

  it("apply in the isolated call that added them, together with those from outside", async () => {
    const { mock, session } = opened();
    mock.addFault({ operation: "listTargets", response: { status: 500 } });
    await mock.isolate(async () => {
      mock.addFault({ response: { status: 503 }, operation: "databaseSummary" });
      expect((await session.target({ method: "GET", path: "/summary" })).status).toBe(503);
      expect((await session.target(LIST)).status).toBe(500);
    });
    expect((await session.target({ method: "GET", path: "/summary" })).status).toBe(200);
  });
});

describe("a fault with a probability", () => {
  const pattern = async (seed: number, probability: number) => {
    const { mock, session } = opened({ seed });
    mock.addFault({ response: { status: 500 }, probability });
    const statuses = [];
    for (let count = 0; count < 40; count++) statuses.push((await session.target(LIST)).status);
    return statuses;
  };

  it("is applied to some requests, the same ones for the same seed", async () => {
    const once = await pattern(1, 0.5);
    expect(await pattern(1, 0.5)).toEqual(once);
    expect(await pattern(2, 0.5)).not.toEqual(once);
    const failed = once.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  it("is never applied with 0, and always with 1", async () => {
    expect(new Set(await pattern(1, 0))).toEqual(new Set([200]));
    expect(new Set(await pattern(1, 1))).toEqual(new Set([500]));
  });
});

describe("the journal of a fault", () => {
  it("describes its effect, and does not count the request as refused", async () => {
    const { mock, session } = opened();
    const rejected: unknown[] = [];
    mock.on("rejected", (entry) => rejected.push(entry));
    const response = { resultCode: "Fail", status: 500 } as const;
    mock.addFault({ operation: "addTarget", response, executed: true, delaySeconds: 0.001 });
    mock.addFault({ operation: "query", resetConnection: true });
    await session.add();
    await session.query().catch(() => {});
    expect(mock.requests).toMatchObject([
      { status: 500, resultCode: "Fail", fault: "addFault", database: "shop" },
      {
        fault: "addFault",
        database: "shop",
        reason: expect.stringMatching(/^the connection was reset, by the fault that was added at \S+:\d+$/),
      },
    ]);
    expect(mock.requestsOf({ refused: true })).toEqual([]);
    expect(rejected).toEqual([]);
    expect(mock.explain().split("\n")).toEqual([
      "2 requests, none refused",
      expect.stringContaining('POST /targets → 500 Fail (addTarget, database "shop")'),
      expect.stringMatching(
        /^ {3}addFault: answered with 500 Fail, the response was delayed by 0.001 s, the request was executed, by the fault that was added at test\/mock\/faults\/fault-rules\.test\.ts:\d+$/,
      ),
      expect.stringContaining('POST /v1/query → no response (query, database "shop")'),
      expect.stringContaining("   addFault: the connection was reset"),
    ]);
  });

  it("names the check that refused a request that was delayed, or executed", async () => {
    const { mock, session } = opened();
    mock.addFault({ response: { status: 504 }, executed: true, times: 1 });
    await session.target({ ...LIST, secretKey: "wrong" });
    await session.target({ ...LIST, secretKey: "wrong" });
    const [delayed, own] = mock.requests;
    expect(delayed).toMatchObject({ status: 504, fault: "addFault", refusedBy: expect.any(String) });
    expect(own).toMatchObject({ status: 401, refusedBy: delayed?.refusedBy });
  });
});

it.each<[object, string]>([
  [{}, "Invalid fault: expected response, resetConnection or delaySeconds; got none."],
  [
    { operation: "addTargets", resetConnection: true },
    'Invalid fault.operation: expected addTarget; got "addTargets".',
  ],
  [
    { operation: "upload", resetConnection: true },
    "Invalid fault.operation: expected one or a list of addTarget, listTargets,",
  ],
  [{ status: 503 }, "Invalid fault.status: expected response: { status } instead; got a value."],
  [
    { operation: ["query", "x"], resetConnection: true },
    "Invalid fault.operation[1]: expected addTarget, listTargets,",
  ],
  [{ operation: "addTarget" }, "Invalid fault: expected "],
  [
    { executed: true, delaySeconds: 1 },
    "Invalid fault.executed: expected to be used with response or resetConnection; got true alone.",
  ],
  [{ response: {} }, "Invalid fault.response.status: expected a whole number from 200 to 599; got nothing."],
  [
    { response: 500 },
    "Invalid fault.response: expected { status, headers, body } or { resultCode }; got 500.",
  ],
  [{ response: { status: 500, resultcode: "Fail" } }, "Invalid fault.response.resultcode: expected "],
  [
    { response: { resultCode: "Fali" } },
    "Invalid fault.response.resultCode: expected a result code of the service,",
  ],
  [{ response: { status: 500 }, resetConnection: true }, "Invalid fault.resetConnection: expected "],
  [{ resetConnection: true, times: 0 }, "Invalid fault.times: expected a whole number, 1 or more; got 0."],
  [
    { resetConnection: true, probability: 1.1 },
    "Invalid fault.probability: expected a number from 0 to 1; got 1.1.",
  ],
  [{ resetConnection: true, api: "vws" }, 'Invalid fault.api: expected "target", "modelTarget", "query"'],
  [{ resetConnection: true, operation: 1 }, "Invalid fault.operation: expected one or a list of addTarget"],
  [{ resetConnection: true, delaySeconds: -1 }, "Invalid fault.delaySeconds: expected a number of seconds"],
])("the fault %j is refused", (fault, message) => {
  const { mock } = opened();
  expect(() => mock.addFault(JSON.parse(JSON.stringify(fault)))).toThrow(message);
});
