import { describe, expect, it } from "vitest";
import { Journal, type RequestResult } from "../../src/core/emulator/journal.ts";
import { recordRequest, recordResponse } from "../../src/core/emulator/recorded-message.ts";

const request = (path = "/targets", body = Buffer.alloc(0)) => ({
  time: new Date(0),
  api: "target" as const,
  operation: "listTargets" as const,
  method: "GET",
  path,
  request: recordRequest({ headers: [], query: "", body }, false),
});
const answered: RequestResult = { status: 200, durationMs: 1 };

describe("a recorded request", () => {
  it("keeps only the beginning of what is longer than 8 kB, and of more than 16 kB of headers", () => {
    const long = "x".repeat(250_000);
    const { headers, query } = recordRequest(
      {
        headers: [
          ["A", long.slice(0, 9000)],
          ["B", "b"],
          ["C", long],
        ],
        query: long,
        body: Buffer.alloc(0),
      },
      false,
    );
    expect(query).toBe(`${long.slice(0, 8192)}… (250000 characters)`);
    expect(headers).toEqual({
      a: `${long.slice(0, 8192)}… (9000 characters)`,
      b: "b",
      "…": "1 more header lines, not kept",
    });
  });
});

describe("the journal", () => {
  it.each([1, 3, 10])("keeps the latest %i requests and counts the others", (capacity) => {
    const journal = new Journal(capacity);
    for (let index = 1; index <= 25; index++) {
      journal.open(request(`/${index}`))(answered);
      expect(journal.entries.length).toBe(Math.min(index, capacity));
      expect(journal.dropped).toBe(Math.max(0, index - capacity));
      expect(journal.entries.at(-1)?.path).toBe(`/${index}`);
    }
    expect(journal.entries.map(({ number }) => number)).toEqual(
      Array.from({ length: capacity }, (_, index) => 26 - capacity + index),
    );
  });

  it("counts no bodies of dropped requests, nor drops them, because callers may hold them", () => {
    const journal = new Journal(2, 12);
    const bodies = ["aaaa", "bbbb", "cccc", "dddd", "eeee"].map((text) => {
      const arrived = request("/", Buffer.from(text));
      journal.open(arrived)(answered);
      return arrived.request.body;
    });
    expect(bodies.map(({ dropped }) => dropped)).toEqual([false, false, false, false, false]);
    const late = request("/", Buffer.from("aaaa"));
    const close = journal.open(late);
    journal.clear();
    close(answered);
    const others = ["bbbbbb", "cccccc"].map((text) => {
      const arrived = request("/", Buffer.from(text));
      journal.open(arrived)(answered);
      return arrived.request.body;
    });
    expect(others.map(({ dropped }) => dropped)).toEqual([false, false]);
  });

  it("keeps a small body without the large buffer that it arrived in", () => {
    const chunk = Buffer.alloc(65_536, "x");
    const { bytes } = recordRequest({ headers: [], query: "", body: chunk.subarray(7, 107) }, false).body;
    expect([bytes?.toString(), bytes?.buffer.byteLength]).toEqual(["x".repeat(100), 100]);
  });

  it("numbers requests in order of arrival and keeps them in order of response", () => {
    const journal = new Journal();
    const [first, second] = [journal.open(request("/a")), journal.open(request("/b"))];
    second(answered);
    first(answered);
    expect(journal.entries.map(({ number, path }) => [number, path])).toEqual([
      [2, "/b"],
      [1, "/a"],
    ]);
  });

  it("does not keep requests that were in progress when it was cleared", () => {
    const journal = new Journal(1);
    const close = journal.open(request());
    journal.clear();
    close(answered);
    expect([journal.entries, journal.dropped]).toEqual([[], 0]);
    journal.open(request())(answered);
    expect(journal.entries.map(({ number }) => number)).toEqual([1]);
  });

  it("does not change lists that it returned earlier", () => {
    const journal = new Journal(2);
    journal.open(request())(answered);
    const { entries } = journal;
    journal.open(request())(answered);
    expect(entries.length).toBe(1);
  });

  it("keeps the newest bodies up to a limit, and marks those it dropped", () => {
    const journal = new Journal(10, 100);
    for (const size of [60, 30, 40, 101, 7]) journal.open(request("/", Buffer.alloc(size, "a")))(answered);
    const bodies = journal.entries.map((entry) => entry.request.body);
    expect(bodies.map(({ bytes }) => bytes?.length)).toEqual([undefined, undefined, undefined, undefined, 7]);
    expect(bodies.map(({ size, dropped }) => [size, dropped])).toEqual([
      [60, true],
      [30, true],
      [40, true],
      [101, true],
      [7, false],
    ]);
    expect(String(bodies[0])).toBe(
      "‹60 bytes, dropped: the journal keeps the newest 100 bytes of bodies (option journalBodyBytes)›",
    );
  });

  it("counts the bodies of responses and of forks towards the same limit", () => {
    const whole = new Journal(10, 100);
    const fork = new Journal(10, 100, whole);
    whole.open(request("/", Buffer.alloc(60)))(answered);
    const response = recordResponse({ headers: [], body: Buffer.alloc(30) }, false);
    fork.open(request("/", Buffer.alloc(30)))({ ...answered, response });
    expect(whole.entries.map((entry) => entry.request.body.dropped)).toEqual([true, false]);
    expect(fork.entries[0]?.response?.body.dropped).toBe(false);
    fork.clear();
    whole.open(request("/", Buffer.alloc(41)))(answered);
    expect(whole.entries.map((entry) => entry.request.body.dropped)).toEqual([true, true, false]);
  });

  it("keeps the newest of many small bodies within the limit", () => {
    const journal = new Journal(5000, 1000);
    for (let index = 0; index < 5000; index++) journal.open(request("/", Buffer.alloc(10)))(answered);
    const kept = journal.entries.map((entry) => !entry.request.body.dropped);
    expect(kept.indexOf(true)).toBe(4900);
    expect(kept.lastIndexOf(false)).toBe(4899);
  });
});
