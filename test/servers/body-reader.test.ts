import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type BodyRead, BodyReader } from "../../src/servers/http/body-reader.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function reading(held = { count: 0 }) {
  const incoming = new IncomingMessage(new Socket());
  const reader = new BodyReader(
    incoming,
    { maxBytes: 100, maxTotalBytes: 1000, idleMilliseconds: 2000 },
    held,
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
