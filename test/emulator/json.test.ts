import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, parseLargeJson, SNAPSHOT_LIMITS } from "../../src/emulator/json.ts";

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

  it("parses large text in steps, like JSON.parse", async () => {
    const large = 2 ** 18;
    const strings = ["\\", '"', "\u0000", "é", "\u{1f600}", "a", "\ud83d", "\n"].flatMap((each) =>
      [-2, -1, 0, 1].map((more) => "x".repeat(large + more) + each.repeat(20)),
    );
    const value = { strings, ["__proto__"]: [{}, [[]], 1e-7, true, null], "": { a: -0.5 } };
    const spaced = JSON.stringify(value, null, 2);
    for (const text of [JSON.stringify(value), spaced, " ".repeat(large) + spaced, '{"a":1,"a":2}']) {
      const read = await parseLargeJson(text);
      expect(read.error).toBeUndefined();
      if (read.error === undefined) expect(JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(text)));
    }
    const escaped = `"${"\\u00e9".repeat(large)}"`;
    expect(await parseLargeJson(escaped)).toEqual({ value: "é".repeat(large) });
    for (const broken of [escaped.slice(0, -1), `"${"x".repeat(large)}\n"`, `"${"x".repeat(large)}\\\\x\\"`])
      expect(await parseLargeJson(broken)).toEqual({ error: "unexpected character or end of the text" });
  });

  it("parses strings of megabytes in pieces, whatever stands where they are divided", async () => {
    const piece = 2 ** 19;
    for (const unit of ["é", "\u{1f600}", "a", "€", "\\u00e9", "\\ud83d\\ude00", '\\"', "\\\\"]) {
      // A division has moved through the whole of a unit, or of an escape, by then.
      for (let shift = 0; shift < Math.min(Buffer.byteLength(unit), 6); shift += 1) {
        const long = "x".repeat(shift) + unit.repeat((3 * piece) / unit.length);
        // Escapes at first, and then none.
        const text = `{"first":"${long}","__proto__":["${long}${"é".repeat(2 * piece)}"],"short":"\\n"}`;
        const read = await parseLargeJson(text);
        if (read.error !== undefined) throw new Error(read.error);
        // Compared without Vitest, which would print megabytes.
        expect(JSON.stringify(read.value) === JSON.stringify(JSON.parse(text)), `${unit} ${shift}`).toBe(
          true,
        );
      }
    }
    const name = "n".repeat(10_000);
    const named = await parseLargeJson(`{"${name}":"${"x".repeat(4 * piece)}","${name}":"${name}"}`);
    expect(named).toEqual({ value: { [name]: name } });
    const bytes = (broken: number) =>
      Buffer.concat([Buffer.from(`["${"x".repeat(5 * piece)}`), Buffer.from([broken]), Buffer.from('"]')]);
    expect(await parseLargeJson(bytes(0xff))).toEqual({ error: "the text is not UTF-8" });
    expect(await parseLargeJson(bytes(0x0a))).toEqual({ error: "unexpected character or end of the text" });
  });

  it("refuses more values, or more bytes besides long strings, than it can parse at once", () => {
    const numbers = (count: number) => `[${Array.from({ length: count }, () => `[${"1,".repeat(9_999)}1]`)}]`;
    expect(parseJson(numbers(99)).error).toBeUndefined();
    expect(parseJson(numbers(101)).error).toMatch(/^more than 1000000 values at position/);
    const spaced = (count: number) => `["${"x".repeat(2 ** 23)}"${" ".repeat(count)}]`;
    expect(parseJson(spaced(2 ** 23 - 4)).error).toBeUndefined();
    expect(parseJson(spaced(2 ** 23 - 3)).error).toBe("more than 8388608 bytes besides long strings");
    expect(parseJson(spaced(2 ** 24), SNAPSHOT_LIMITS).error).toBeUndefined();
  });

  it("refuses more escapes than it can parse at once", async () => {
    const escapes = (count: number) => `["a","${"\\n".repeat(count)}\\""]`;
    expect((await parseLargeJson(escapes(2 ** 22 - 1))).error).toBeUndefined();
    expect((await parseLargeJson(escapes(2 ** 22))).error).toMatch(/^more than 4194304 escapes at position/);
  });

  it("parses in steps what JSON.parse parses", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", "}", "]", ",", '"', "x", "\\"),
        async (json, at, put) => {
          const text = json.slice(0, at % (json.length + 1)) + put + json.slice((at % (json.length + 1)) + 1);
          const inSteps = await parseLargeJson(text);
          expect(inSteps).toEqual(parseJson(text));
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
    const objects = (count: number) => `[${`[${"{},".repeat(count / 10 - 2)}{}],`.repeat(10)}{}]`;
    expect(parseJson(objects(50_000 - 20)).error).toBeUndefined();
    expect(parseJson(objects(50_000 + 20)).error).toMatch(/^more than 50000 objects and arrays/);
    expect(parseJson(JSON.stringify("[{".repeat(300_000))).error).toBeUndefined();
    const names = (count: number) => `{${'"a":0,'.repeat(count - 1)}"a":0}`;
    expect(parseJson(names(50_000)).error).toBeUndefined();
    expect(parseJson(names(50_001)).error).toMatch(/^more than 50000 names of fields/);
    expect(parseJson(`{"a":${names(200_000)}}`, SNAPSHOT_LIMITS).error).toBeUndefined();
    expect(parseJson(names(200_001), SNAPSHOT_LIMITS).error).toMatch(/^more than 200000 fields in one/);
    expect(parseJson(`[${"1,".repeat(9_999)}1]`).error).toBeUndefined();
    expect(parseJson(`[${"1,".repeat(10_000)}1]`).error).toMatch(/^more than 10000 elements in one array/);
    expect(parseJson(`[${"1,".repeat(10_000)}1]`, SNAPSHOT_LIMITS).error).toBeUndefined();
    expect(parseJson(JSON.stringify(":".repeat(300_000))).error).toBeUndefined();
  });
});
