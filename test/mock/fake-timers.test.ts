import { MockCloudReco, type MockCloudRecoOptions, perfectRater } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clients, fetchClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";

/** Reads the time even while it is faked. */
const real = { now: performance.now.bind(performance) };
const NOON = new Date("2026-11-21T12:00:00Z");

function opened(options: MockCloudRecoOptions = {}) {
  const mock = new MockCloudReco({ processingTimeSeconds: 2, targetRater: perfectRater, ...options });
  const database = mock.addCloudDatabase();
  return { mock, database, session: new MockSession(mock, database) };
}

afterEach(() => {
  vi.useRealTimers();
});

/** Everything that Vitest can fake except `nextTick` and `queueMicrotask`, which Node's HTTP clients need. */
const EVERYTHING = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "Date",
  "performance",
] as const;

describe.each<[string, Parameters<typeof vi.useFakeTimers>[0]]>([
  ["by default", undefined],
  ["of Date only", { toFake: ["Date"] }],
  ["of everything", { toFake: [...EVERYTHING] }],
])("fake timers %s", (_which, config) => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON, ...config });
  });

  it.each(Object.entries(clients))("do not block %s from getting its response", async (_name, client) => {
    const { mock, database } = opened();
    await using _ = mock;
    const session = new MockSession(mock, database, undefined, client);
    expect((await session.add()).status).toBe(201);
    expect((await session.target({ method: "GET", path: "/targets" })).status).toBe(200);
    expect(mock.requests.map(({ time }) => time)).toEqual([NOON, NOON]);
  });

  it("advance the mock's clock, so that processing takes as long as configured", async () => {
    const { mock, database } = opened();
    await using _ = mock;
    const session = new MockSession(mock, database, undefined, fetchClient);
    await session.add();
    vi.setSystemTime(NOON.getTime() + 1999);
    expect(database.targets[0]?.status).toBe("processing");
    vi.setSystemTime(NOON.getTime() + 2000);
    expect(database.targets[0]?.status).toBe("success");
    await session.add({ name: "second" });
    vi.advanceTimersByTime(2000);
    expect(database.targets[1]?.status).toBe("success");
    await session.add({ name: "third" });
    mock.finishProcessing();
    expect(database.targets[2]?.status).toBe("success");
  });

  it("do not affect a response delay, which uses real time unless `delay` replaces it", async () => {
    const { mock, database } = opened({ responseDelaySeconds: 0.02 });
    await using _ = mock;
    const session = new MockSession(mock, database, undefined, fetchClient);
    const sent = real.now();
    expect((await session.target({ method: "GET", path: "/summary" })).status).toBe(200);
    // A timer may fire up to a millisecond early.
    expect(real.now() - sent).toBeGreaterThan(18);
    expect(Date.now()).toBe(NOON.getTime());
  });
});

it("the option `delay` makes a response delay use fake timers", async () => {
  vi.useFakeTimers({ now: NOON });
  let waits = () => {};
  const waiting = new Promise<void>((resolve) => {
    waits = resolve;
  });
  const delay = (seconds: number) => {
    const over = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
    waits();
    return over;
  };
  const { mock, database } = opened({ responseDelaySeconds: 3600, delay });
  await using _ = mock;
  const session = new MockSession(mock, database, undefined, fetchClient);
  const response = session.target({ method: "GET", path: "/summary" });
  await waiting;
  // At once, so that nothing else in this process can start a timer that would fire for an hour.
  vi.advanceTimersByTime(3_600_000);
  expect((await response).status).toBe(200);
});

it("a mock can be created before timers are faked", async () => {
  const { mock, database } = opened();
  await using _ = mock;
  vi.useFakeTimers({ now: NOON });
  const session = new MockSession(mock, database, undefined, fetchClient);
  expect((await session.add()).status).toBe(201);
  vi.advanceTimersByTime(2000);
  expect(database.targets[0]?.status).toBe("success");
  vi.useRealTimers();
  expect((await session.target({ method: "GET", path: "/targets" })).status).toBe(200);
});
