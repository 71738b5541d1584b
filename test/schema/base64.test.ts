import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeServiceBase64 } from "../../src/core/schema/base64.ts";
import { times } from "../support/combinations.ts";

it.each([
  ["\nYW\r\nJj\n", "abc"],
  ["Y\nQ\n=\n=\n", "a"],
  ["\r\n", ""],
  ["YW Jj", undefined],
  ["YWJj\t", undefined],
])("%j is read as %j", (text, expected) => {
  expect(decodeServiceBase64(text)?.toString()).toBe(expected);
});

it("line breaks change nothing, wherever they stand", () => {
  const groups = 2 ** 18;
  fc.assert(
    fc.property(
      fc.constantFrom("", "A".repeat(4 * groups - 1), "A".repeat(4 * groups + 1), "ABCD\n".repeat(groups)),
      fc.base64String(),
      fc.constantFrom("", "=", "A", "-", "é", "=A"),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom("\n", "\r", "\r\n"))),
      (start, end, more, breaks) => {
        const text = `${start.replaceAll("\n", "")}${end}${more}`;
        let broken = `${start}${end}${more}`;
        for (const [at, lineEnd] of breaks) {
          const place = at % (broken.length + 1);
          broken = broken.slice(0, place) + lineEnd + broken.slice(place);
        }
        const expected = decodeServiceBase64(text);
        expect(decodeServiceBase64(broken)?.toString("hex")).toBe(expected?.toString("hex"));
      },
    ),
    { numRuns: times(100, 25) },
  );
});

describe("base64 as the service reads it", () => {
  it.each([
    ["XN", "\\"],
    ["YWI", "ab"],
    ["Y\r\nQ=\n=\n", "a"],
    ["YWJjZ", "abc"],
    ["YQ==YQ==", "a"],
    ["YQ===YQ=", "a"],
    ["YWJj=", "abc"],
    ["YWJj====", "abc"],
    ["====", ""],
    ["===", ""],
    ["==", ""],
    ["=", ""],
    ["", ""],
  ])("%s is read as %s", (text, decoded) => {
    expect(decodeServiceBase64(text)?.toString("latin1")).toBe(decoded);
  });

  it.each(["=abc", "ab=c", "a===", "YQ=Y", "abcd=abc", "YWJjZGVm==YW", "a b=", "a-b_", "é", "\u{5d041}"])(
    "%j is an error",
    (text) => {
      expect(decodeServiceBase64(text)).toBeUndefined();
    },
  );

  it("decodes what any encoder writes, with or without padding", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const encoded = Buffer.from(bytes).toString("base64");
        expect(decodeServiceBase64(encoded)).toEqual(Buffer.from(bytes));
        expect(decodeServiceBase64(encoded.replace(/=+$/, ""))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."AZaz09+/=-_ ") }), (text) => {
        const decoded = decodeServiceBase64(text);
        expect(decoded === undefined || Buffer.isBuffer(decoded)).toBe(true);
      }),
    );
  });
});
