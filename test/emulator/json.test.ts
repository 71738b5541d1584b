import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RequestBody } from "../../src/core/emulator/context.ts";
import { parseJson } from "../../src/core/general/json.ts";
import { decodeServiceBase64 } from "../../src/core/schema/base64.ts";

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
    expect(parseJson(text)).toMatchObject({ error });
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

  it("parses large text like JSON.parse", () => {
    const large = 2 ** 18;
    const strings = ["\\", '"', "\u0000", "é", "\u{1f600}", "a", "\ud83d", "\n"].flatMap((each) =>
      [-2, -1, 0, 1].map((more) => "x".repeat(large + more) + each.repeat(20)),
    );
    const value = { strings, ["__proto__"]: [{}, [[]], 1e-7, true, null], "": { a: -0.5 } };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), '{"a":1,"a":2}']) {
      const read = parseJson(Buffer.from(text));
      // Compared without Vitest, which would print megabytes.
      expect(
        read.error === undefined && JSON.stringify(read.value) === JSON.stringify(JSON.parse(text)),
      ).toBe(true);
    }
    for (const broken of [
      `"${"x".repeat(large)}`,
      `"${"x".repeat(large)}\n"`,
      `"${"x".repeat(large)}\\\\x\\"`,
    ])
      expect(parseJson(broken)).toMatchObject({ error: "unexpected character or end of the text" });
    const notUtf8 = Buffer.concat([
      Buffer.from(`["${"x".repeat(large)}`),
      Buffer.from([0xff]),
      Buffer.from('"]'),
    ]);
    expect(parseJson(notUtf8)).toMatchObject({ error: "the text is not UTF-8" });
  });

  it("refuses more bytes besides long strings than it can parse at once", () => {
    const limit = 2 ** 20;
    const error = `more than ${limit} bytes besides long strings`;
    const spaced = (bytes: number) => `["${"x".repeat(2 ** 22)}"${" ".repeat(bytes - 4)}]`;
    expect(parseJson(spaced(limit - 1)).error).toBeUndefined();
    expect(parseJson(spaced(limit)).error).toBeUndefined();
    expect(parseJson(spaced(limit + 1))).toMatchObject({ error });
    expect(parseJson(spaced(limit + 1), Number.POSITIVE_INFINITY).error).toBeUndefined();
    const strings = (length: number) => `[${`"${"x".repeat(length)}",`.repeat(limit / 200)}1]`;
    expect(parseJson(strings(256)).error).toBeUndefined();
    expect(parseJson(strings(255))).toMatchObject({ error });
    const escaped = (quotes: number) => JSON.stringify('"'.repeat(quotes));
    expect(parseJson(escaped(500_000)).error).toBeUndefined();
    expect(parseJson(escaped(2_000_000))).toMatchObject({ error });
    const slashes = (count: number) => JSON.stringify(["\\".repeat(count / 2)]);
    expect(parseJson(slashes(limit - 4)).error).toBeUndefined();
    expect(parseJson(slashes(limit))).toMatchObject({ error });
    expect(parseJson(slashes(16 * limit))).toMatchObject({ error });
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

  it("refuses text that is nested too deeply before parsing it", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(parseJson(deep(100)).error).toBeUndefined();
    expect(parseJson(deep(101))).toMatchObject({ error: "nested deeper than 100 levels at position 100" });
    expect(parseJson("[".repeat(63 * 2 ** 20)).error).toMatch(/^nested deeper/);
    expect(parseJson(JSON.stringify("[{".repeat(300_000))).error).toBeUndefined();
    expect(parseJson(JSON.stringify(":".repeat(300_000))).error).toBeUndefined();
  });
});

const BYTES = Buffer.alloc(100_000, "a picture");
const LONG = BYTES.toString("base64");
const json = (image: string, before = "", after = "") => `{${before}"image": "${image}"${after}}`;

describe("a body with a long image", () => {
  it.each([
    ["alone", json(LONG)],
    ["with other fields", json(LONG, '"name":"an image","width":1, ', ',"active_flag":null')],
    ["of which the last group is padded", json(BYTES.subarray(1).toString("base64"))],
    ["with blanks around its colon", `{"image" \n: \t"${LONG}"}`],
  ])("%s has its bytes and its text", (_, text) => {
    const body = new RequestBody(Buffer.from(text));
    expect(body.fields).toStrictEqual(JSON.parse(text));
    expect(body.image).toStrictEqual(decodeServiceBase64(String(body.fields.image)));
    expect(JSON.stringify(body.json)).toBe(JSON.stringify({ value: JSON.parse(text) }));
  });

  it.each([
    ["has another image after it", json(LONG, "", ',"image":""')],
    ["has another one by an escaped name", json(LONG, "", ',"im\\u0061ge":""')],
    ["has it in another object", `{"other":${json(LONG)},"image":"AAAA"}`],
    ["has it in an object only", `{"other":${json(LONG)}}`],
    ["has it in a list", `[${json(LONG)}]`],
    ["has line breaks in it", json(`${LONG.slice(0, 76)}\\n${LONG.slice(76)}`)],
    ["has characters for URLs in it", json(`_-${LONG.slice(2)}`)],
    ["has padding in it", json(`${LONG.slice(0, 20_000)}====${LONG.slice(20_000)}`)],
    ["has padding where a part of it ends", json(`${LONG.slice(0, 32_766)}==${LONG.slice(32_768)}`)],
    ["has no whole groups", json(LONG.slice(1))],
    ["has letters beyond ASCII in it", json(`é${LONG.slice(2)}`)],
    ["is cut off", json(LONG).slice(0, -1)],
    ["is cut off in it", json(LONG).slice(0, -9)],
    ["has no colon", json(LONG).replace(":", " ")],
    ["is no JSON", `${json(LONG)},`],
  ])("is read as any other where it %s", (_, text) => {
    const { image, fields, json: parsed } = new RequestBody(Buffer.from(text));
    expect(image).toBeUndefined();
    expect(parsed).toStrictEqual(parseJson(Buffer.from(text)));
    if (parsed.error === undefined) expect(parsed).toStrictEqual({ value: JSON.parse(text) });
    else expect(() => JSON.parse(text)).toThrow(SyntaxError);
    if (parsed.error !== undefined) expect(fields).toStrictEqual({});
  });
});
