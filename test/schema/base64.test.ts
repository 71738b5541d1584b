import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeServiceBase64 } from "../../src/schema/base64.ts";

it.each([
  ["", ""],
  ["XN", "\\"],
  ["YQ==YQ==", "a"],
  ["\nYW\r\nJj\n", "abc"],
  ["Y\nQ\n=\n=\n", "a"],
  ["\r\n", ""],
  ["=abc", undefined],
  ["ab=c", undefined],
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
  );
});
