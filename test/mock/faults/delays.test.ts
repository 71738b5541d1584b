import type { Fault, MockCloudReco, MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { type Client, nodeClient } from "../../support/clients.ts";
import { LIST, opened, TRANSPORTS } from "./opened.ts";

interface Delay {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Ends it as time does. */
  readonly pass: () => void;
}

/** A mock whose delays end only when something ends them, and requests that are delayed. */
function delaying(
  options: MockCloudRecoOptions = {},
  clientOf: (mock: MockCloudReco) => Client = () => nodeClient,
) {
  const delays: Delay[] = [];
  let wake = () => {};
  const delay = (seconds: number, signal: AbortSignal) =>
    new Promise<void>((pass) => {
      delays.push({ seconds, signal, pass });
      wake();
    });
  const { mock } = opened({ delay, ...options });
  const client = clientOf(mock);
  /** The next delay that begins. */
  const next = async () => {
    for (;;) {
      const begun = delays.shift();
      if (begun !== undefined) return begun;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const get = (path: string, signal?: AbortSignal) =>
    client({ method: "GET", url: mock.urls.target + path, headers: {}, ...(signal && { signal }) });
  /** The status of a delayed request; "pending" while it waits. */
  const delayed = async (path = LIST.path) => {
    const answer: { status: number | "pending" } = { status: "pending" };
    const answered = get(path).then(({ status }) => {
      answer.status = status;
    });
    return { answer, answered, ...(await next()) };
  };
  return { mock, next, get, delayed, waiting: delays };
}

const SLOW: Fault = { operation: "listTargets", delaySeconds: 600 };
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

const manager = (mock: MockCloudReco, method: string, path: string) =>
  nodeClient({ method, url: mock.urls.manager + path, headers: {} });

const ENDS: Readonly<Record<string, (mock: MockCloudReco, remove: () => void) => unknown>> = {
  "its handle": (_mock, remove) => remove(),
  "the route of faults": async (mock) => {
    const listed: readonly { id: string }[] = JSON.parse(
      (await manager(mock, "GET", "/faults")).body.toString(),
    );
    await manager(mock, "DELETE", `/faults/${listed[0]?.id}`);
  },
  "mock.reset": (mock) => mock.reset(),
  "the route of reset": (mock) => manager(mock, "POST", "/reset"),
};

describe("the delay of a fault ends", () => {
  it.each(Object.entries(ENDS))("with the fault's deletion by %s, with the response", async (_name, end) => {
    const { mock, delayed } = delaying();
    const { remove } = mock.addFault({ ...SLOW, response: { status: 418 } });
    const { answer, answered, seconds, signal } = await delayed();
    expect([seconds, signal.aborted]).toEqual([600, false]);
    await end(mock, remove);
    await answered;
    expect([answer.status, signal.aborted]).toEqual([418, true]);
  });

  it("at the end of a `using` block", async () => {
    const { mock, delayed } = delaying();
    const waiting = await (async () => {
      using _fault = mock.addFault(SLOW);
      return await delayed();
    })();
    await waiting.answered;
    expect(waiting.answer.status).toBe(401);
  });

  it("also if the fault was used up", async () => {
    const { mock, delayed } = delaying();
    const [first, second] = [mock.addFault({ ...SLOW, times: 1 }), mock.addFault({ ...SLOW, times: 1 })];
    const [ofSecond, ofFirst] = [await delayed(), await delayed()];
    first.remove();
    await ofFirst.answered;
    await turns();
    expect(ofSecond.answer.status).toBe("pending");
    second.remove();
    await ofSecond.answered;
    mock.addFault({ ...SLOW, times: 1 });
    const last = await delayed();
    await mock.reset();
    await last.answered;
  });

  it("before it begins", async () => {
    const { mock, get, waiting } = delaying();
    const fault = mock.addFault(SLOW);
    mock.on("response", () => fault.remove());
    expect((await get(LIST.path)).status).toBe(401);
    expect([waiting, fault.timesApplied]).toEqual([[], 1]);
  });

  it("without those of other faults, or the configured delay", async () => {
    const { mock, delayed, next, get } = delaying({ responseDelaySeconds: 5 });
    const fault = mock.addFault(SLOW);
    mock.addFault({ ...SLOW, operation: "databaseSummary", delaySeconds: 700 });
    const other = await delayed("/summary");
    const configured = await delayed();
    expect([other.seconds, configured.seconds]).toEqual([5, 5]);
    other.pass();
    const ofOther = await next();
    fault.remove();
    await turns();
    expect([configured.signal.aborted, configured.answer.status]).toEqual([false, "pending"]);
    configured.pass();
    await configured.answered;
    expect([ofOther.seconds, ofOther.signal.aborted, other.answer.status]).toEqual([700, false, "pending"]);
    const later = get(LIST.path);
    const only = await next();
    await mock.reset();
    await other.answered;
    expect([only.seconds, only.signal.aborted]).toEqual([5, false]);
    only.pass();
    await later;
  });
});

describe("the delay of a fault goes on", () => {
  it("when the clock moves, and after its own time the response follows", async () => {
    const { mock, delayed } = delaying();
    mock.addFault(SLOW);
    const { answer, answered, signal, pass } = await delayed();
    mock.clock.advance(1e6);
    await nodeClient({
      ...{ method: "POST", url: `${mock.urls.manager}/clock/advance`, headers: {} },
      body: Buffer.from('{"seconds":1000000}'),
    });
    mock.clock.set(new Date("2040-01-01T00:00:00Z"), true);
    mock.clock.reset();
    await turns();
    expect([answer.status, signal.aborted]).toEqual(["pending", false]);
    pass();
    await answered;
  });

  it("when an isolated call deletes its copy of the fault, or resets its copy of the state", async () => {
    const { mock, delayed } = delaying();
    const fault = mock.addFault(SLOW);
    const outside = await delayed();
    await mock.isolate(async () => {
      const inside = await delayed();
      fault.remove();
      await inside.answered;
    });
    await mock.isolate(() => mock.reset());
    await turns();
    expect(outside.answer.status).toBe("pending");
    fault.remove();
    await outside.answered;
  });

  it("after an isolated call that did not await it, unless the fault was the call's own", async () => {
    const { mock, delayed } = delaying();
    const outer = mock.addFault(SLOW);
    const [ofOuter, ofOwn] = await mock.isolate(async () => {
      const first = await delayed();
      mock.addFault({ ...SLOW, delaySeconds: 700 });
      return [first, await delayed()] as const;
    });
    await ofOwn.answered;
    await turns();
    expect([ofOwn.seconds, ofOuter.answer.status]).toEqual([700, "pending"]);
    outer.remove();
    await ofOuter.answered;
  });
});

describe.each(Object.entries(TRANSPORTS))("a client that gives up, %s,", (_name, [intercept, clientOf]) => {
  it.each([
    ["the delay of a fault", 0],
    ["the configured delay, and gets none of a fault", 5],
  ])("ends %s", async (_what, responseDelaySeconds) => {
    const { mock, get, next, waiting } = delaying({ intercept, responseDelaySeconds }, clientOf);
    mock.addFault(SLOW);
    const abort = new AbortController();
    const failure = get(LIST.path, abort.signal).catch((error: unknown) => error);
    const { signal } = await next();
    abort.abort();
    expect(await failure).toBeInstanceOf(Error);
    while (!signal.aborted) await new Promise(setImmediate);
    await turns();
    expect([mock.requests.length, waiting.length]).toEqual([1, 0]);
  });
});
