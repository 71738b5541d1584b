import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BodyFilter, BodyRead, BodyReader } from "../../src/core/http/body-reader.ts";

let Reader: typeof BodyReader;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  // It captures Node's functions when it loads.
  vi.doMock("node:timers", () => ({ default: globalThis }));
  vi.resetModules();
  ({ BodyReader: Reader } = await import("../../src/core/http/body-reader.ts"));
});
afterEach(() => {
  vi.doUnmock("node:timers");
  vi.useRealTimers();
  // Or the tests that run in this process afterwards would have what loaded with fake timers.
  vi.resetModules();
});

function reading(held = { count: 0 }, filter?: BodyFilter, isSending?: () => boolean) {
  const incoming = new IncomingMessage(new Socket());
  const reader = new Reader(
    incoming,
    { maxBytes: 100, maxTotalBytes: 1000, idleMilliseconds: 2000 },
    held,
    filter,
    isSending,
  );
  const results: BodyRead[] = [];
  void reader.read().then((read) => results.push(read));
  const settled = () => new Promise(setImmediate);
  return { incoming, reader, results, settled };
}

test("a client is idle when no byte arrives for the whole limit, however long the body takes", async () => {
  const { incoming, results, settled } = reading();
  for (let sent = 0; sent < 10; sent += 1) {
    vi.advanceTimersByTime(1999);
    incoming.push("a");
    await settled();
  }
  expect(results).toEqual([]);
  vi.advanceTimersByTime(1999);
  await settled();
  expect(results).toEqual([]);
  vi.advanceTimersByTime(1);
  await settled();
  expect(results).toEqual([{ end: "partial", bytes: Buffer.from("a".repeat(10)) }]);
});

test("a client that is known to send more has five times as long", async () => {
  let isSending = true;
  const slow = reading({ count: 0 }, undefined, () => isSending);
  vi.advanceTimersByTime(9999);
  await slow.settled();
  expect(slow.results).toEqual([]);
  vi.advanceTimersByTime(1);
  await slow.settled();
  expect(slow.results).toMatchObject([{ end: "partial" }]);

  const ended = reading({ count: 0 }, undefined, () => isSending);
  vi.advanceTimersByTime(3000);
  isSending = false;
  vi.advanceTimersByTime(500);
  await ended.settled();
  expect(ended.results).toMatchObject([{ end: "partial" }]);
});

test("a complete body leaves no timer running", async () => {
  const { incoming, results, settled } = reading();
  incoming.push("abc");
  incoming.push(null);
  await settled();
  expect(results).toEqual([{ end: "whole", bytes: Buffer.from("abc") }]);
  expect(vi.getTimerCount()).toBe(0);
});

test("later bytes, an end or an error do not change the result", async () => {
  const { incoming, reader, results, settled } = reading();
  incoming.push("a");
  await settled();
  reader.stop();
  incoming.push("b");
  await settled();
  incoming.destroy(new Error("reset"));
  await settled();
  expect(results).toEqual([{ end: "partial", bytes: Buffer.from("a") }]);
});

test("a stall of the process, however long, does not truncate a body that arrived meanwhile", async () => {
  const { incoming, results, settled } = reading();
  vi.advanceTimersByTime(1500);
  // After a stall, a timer runs before received data is read.
  vi.advanceTimersToNextTimer();
  expect(results).toEqual([]);
  incoming.push("abc");
  incoming.push(null);
  await settled();
  expect(results).toEqual([{ end: "whole", bytes: Buffer.from("abc") }]);
});

test("what a filter leaves of a body may be as long as all bodies together", async () => {
  const filter: BodyFilter = { write: (chunk) => [chunk], images: new Map() };
  for (const [length, end] of [
    [1000, "whole"],
    [1001, "bodyTooLarge"],
  ] as const) {
    const { incoming, results, settled } = reading({ count: 0 }, filter);
    incoming.push("a".repeat(length));
    incoming.push(null);
    await settled();
    expect(results).toMatchObject([{ end }]);
  }
});

test("bodies of other requests count until those requests are answered", async () => {
  const held = { count: 950 };
  const first = reading(held);
  first.incoming.push("a".repeat(60));
  await first.settled();
  expect(first.results).toEqual([{ end: "overloaded" }]);
  expect(held.count).toBe(950);
  const second = reading(held);
  second.incoming.push("a".repeat(50));
  second.incoming.push(null);
  await second.settled();
  expect(second.results).toEqual([{ end: "whole", bytes: Buffer.alloc(50, "a") }]);
  expect(held.count).toBe(1000);
  second.reader.release();
  expect(held.count).toBe(950);
});
