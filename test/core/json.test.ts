import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/core/json.ts";

describe("reading JSON", () => {
  it.each([
    ["", "unexpected end at position 0"],
    ['{"name":}', "unexpected character at position 8"],
    ['{"name":1,}', "unexpected character at position 10"],
    ["[1,]", "unexpected character at position 3"],
    ["[1 2]", "unexpected character at position 3"],
    ["{'a':1}", "unexpected character at position 1"],
    ['{"a"1}', "unexpected character at position 4"],
    ['"a', "unexpected end at position 2"],
    ['"a\\x"', "unexpected character at position 2"],
    ['"a\nb"', "unexpected character at position 2"],
    ["NaN", "unexpected character at position 0"],
    ["01", "unexpected character at position 0"],
    ["1 1", "unexpected character at position 2"],
    ["\ufeff{}", "unexpected character at position 0"],
    ["[", "unexpected end at position 1"],
    ["}", "unexpected character at position 0"],
  ])("tells where %j is wrong: %s", (text, error) => {
    expect(parseJson(text)).toEqual({ error });
  });

  it("parses what JSON.parse parses, and shows nothing of what it rejects", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", "}", "]", ",", '"', "x", "\\"),
        (json, at, put) => {
          const text = json.slice(0, at % (json.length + 1)) + put + json.slice((at % (json.length + 1)) + 1);
          const read = parseJson(text);
          let wanted: unknown;
          try {
            wanted = JSON.parse(text);
          } catch {
            expect(read.error).toMatch(/^unexpected (?:character|end) at position \d+$/);
            return;
          }
          expect(read).toEqual({ value: wanted });
        },
      ),
    );
  });

  it("finds the first position at which no valid JSON can continue", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, at) => {
        const end = at % json.length;
        const broken = `${json.slice(0, end)}\u0001`;
        const found = Number(/\d+$/.exec(parseJson(broken).error ?? "")?.[0]);
        // What comes before could have continued, except for a truncated number, word or escape.
        expect(found).toBeLessThanOrEqual(end);
        expect(found).toBeGreaterThanOrEqual(
          end - (/\\?[\w.+-]*$/.exec(json.slice(0, end))?.[0].length ?? 0),
        );
      }),
    );
  });

  it("refuses text that is nested too deeply, or has too many brackets, before parsing it", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(parseJson(deep(100)).error).toBeUndefined();
    expect(parseJson(deep(101))).toEqual({ error: "nested deeper than 100 levels at position 100" });
    expect(parseJson("[".repeat(63 * 2 ** 20)).error).toMatch(/^nested deeper/);
    expect(parseJson(`[${"{},".repeat(199_998)}{}]`).error).toBeUndefined();
    expect(parseJson(`[${"{},".repeat(199_999)}{}]`).error).toMatch(/^more than 200000 objects and arrays/);
    expect(parseJson(JSON.stringify("[{".repeat(300_000))).error).toBeUndefined();
    const names = (count: number) => `{${'"a":0,'.repeat(count - 1)}"a":0}`;
    expect(parseJson(names(200_000)).error).toBeUndefined();
    expect(parseJson(names(200_001)).error).toMatch(/^more than 200000 names of fields/);
    expect(parseJson(names(200_001), Number.POSITIVE_INFINITY).error).toBeUndefined();
    expect(parseJson(JSON.stringify(":".repeat(300_000))).error).toBeUndefined();
  });
});
