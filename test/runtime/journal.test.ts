import { describe, expect, it } from "vitest";
import { Journal, type RequestResult } from "../../src/runtime/journal.ts";

const request = (path = "/targets") => ({
  time: new Date(0),
  api: "target" as const,
  operation: "listTargets" as const,
  method: "GET",
  path,
});
const answered: RequestResult = { status: 200, durationMs: 1 };

const consideredOf = (length: number): RequestResult => ({
  ...answered,
  considered: Array.from({ length }, (_, index) => ({
    targetId: String(index),
    name: "",
    matched: false,
    why: "",
  })),
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

  it("numbers requests by arrival and keeps them by answer", () => {
    const journal = new Journal();
    const [first, second] = [journal.open(request("/a")), journal.open(request("/b"))];
    second(answered);
    first(answered);
    expect(journal.entries.map(({ number, path }) => [number, path])).toEqual([
      [2, "/b"],
      [1, "/a"],
    ]);
  });

  it("does not keep what was under way when it was cleared", () => {
    const journal = new Journal(1);
    const close = journal.open(request());
    journal.clear();
    close(answered);
    expect([journal.entries, journal.dropped]).toEqual([[], 0]);
    journal.open(request())(answered);
    expect(journal.entries.map(({ number }) => number)).toEqual([1]);
  });

  it("does not change lists that were handed out", () => {
    const journal = new Journal(2);
    journal.open(request())(answered);
    const { entries } = journal;
    journal.open(request())(answered);
    expect(entries.length).toBe(1);
  });

  it("holds the considered targets of the latest queries only, when these are many", () => {
    const journal = new Journal();
    for (let index = 0; index < 500; index++) journal.open(request())(consideredOf(1000));
    const held = journal.entries.map(({ considered }) => considered?.length ?? 0);
    expect(held.length).toBe(500);
    expect(held.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(50_000);
    expect(held.slice(-20)).toEqual(Array.from({ length: 20 }, () => 1000));
  });
});
