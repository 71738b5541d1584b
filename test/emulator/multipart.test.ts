import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FormPart, readForm, readLargeForm } from "../../src/emulator/multipart.ts";

const read = async (body: string, boundary = "b") =>
  (await readLargeForm(Buffer.from(body, "latin1"), boundary)).parts.map(({ name, filename, content }) => ({
    name,
    isFile: filename !== undefined,
    content: content.toString("latin1"),
  }));
const part = (headers: string, content = "c") => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;

describe("what a part is", () => {
  test.each([
    ['name="n"; filename="f.png"', { name: "n", isFile: true }],
    ['name="n"; filename=""', { name: "n", isFile: true }],
    ["filename=; name=n", { name: "n", isFile: true }],
    ["name=n; filename=", { name: "n", isFile: true }],
    ["name=n; FileName=my photo.png", { name: "n", isFile: true }],
    ["name=n; filename*=UTF-8''%e2%82%ac", { name: "n", isFile: true }],
    ["name=n; filename*=UTF-8''", { name: "n", isFile: true }],
    ['name="n";\r\n filename="f"', { name: "n", isFile: true }],
    ['name="n"', { name: "n", isFile: false }],
    ['name="n; filename="', { name: "n; filename=", isFile: false }],
    ['name="a\\"; filename=x"', { name: 'a"; filename=x', isFile: false }],
    ['xfilename="f"; name="n"', { name: "n", isFile: false }],
    ['name=""', { name: "", isFile: false }],
    ['filename="f"', { name: "", isFile: true }],
  ])("%s", async (parameters, expected) => {
    expect(await read(`${part(disposition(parameters))}--b--`)).toEqual([{ ...expected, content: "c" }]);
  });

  test("the declared type, charset and transfer encoding change nothing", async () => {
    const types = [
      "application/octet-stream",
      "text/plain; charset=utf-16le",
      "text/plain; charset=no-such-charset",
    ];
    for (const type of types) {
      const headers = `${disposition("name=n")}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64`;
      expect(await read(`${part(headers, "\xff\x00é")}--b--`)).toEqual([
        { name: "n", isFile: false, content: "\xff\x00é" },
      ]);
    }
  });
});

describe("what is not a part", () => {
  const good = part(disposition("name=good"));
  const expected = [{ name: "good", isFile: false, content: "c" }];

  test.each([
    ["text before the first boundary", `preamble\r\n${good}--b--`],
    ["what comes behind the closing boundary", `${good}--b--\r\n${good}${good}--b--`],
    ["a part that does not end", `${good}${part(disposition("name=x")).slice(0, -2)}`],
    ["a part whose boundary is cut", `${good}${part(disposition("name=x"))}--`],
    ["a part without headers", `--b\r\n\r\nbody\r\n${good}--b--`],
    ["a part without the end of its headers", `--b\r\n${disposition("name=x")}\r\n${good}--b--`],
    ["a part whose headers are broken", `${part("no header at all")}${good}--b--`],
    ["a part with a control character in its headers", `${part(disposition("name=\x01"))}${good}--b--`],
    ["a part without a disposition", `${part("X: y")}${good}--b--`],
    ["a part that is no form data", `${part("Content-Disposition: attachment; name=x")}${good}--b--`],
    [
      "a part with endless headers",
      `${part(`${disposition("name=x")}\r\nX: ${"x".repeat(20_000)}`)}${good}--b--`,
    ],
    [
      "a line that only begins with the boundary",
      `--bb\r\n${disposition("name=x")}\r\n\r\nc\r\n${good}--b--`,
    ],
    ["blanks behind a boundary", good.replace("--b", "--b \t").concat("--b--")],
    ["repeated boundaries", `--b\r\n--b\r\n${good}--b\r\n--b--`],
    ["the line end of a closing boundary that never comes", `${good}--b`],
  ])("%s", async (_, body) => {
    expect(await read(body)).toEqual(expected);
  });

  test.each(["", "b", "--b", "--b--", "\r\n--b", "--b\r\n", "--b\r\n\r\n", "no boundary"])(
    "%j",
    async (body) => {
      expect(await read(body)).toEqual([]);
    },
  );
});

describe("any form", () => {
  const boundaries = fc.oneof(
    fc.string({ minLength: 1, maxLength: 70 }),
    fc.stringMatching(/^[0-9a-zA-Z'()+_,./:=?-]{1,70}$/),
    fc
      .array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 9 })
      .map((codes) => String.fromCharCode(...codes)),
  );
  const parts = fc.array(
    fc.record({
      name: fc.stringMatching(/^[a-z_]{0,9}$/),
      filename: fc.constantFrom(undefined, "", "a b.png"),
      contentType: fc.constantFrom(undefined, "image/png; x=y"),
      content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    }),
    { maxLength: 5 },
  );
  const write = (form: readonly FormPart[], boundary: string): Buffer => {
    const pieces = form.flatMap(({ name, filename, contentType, content }) => [
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
      filename === undefined ? "" : `; filename="${filename}"`,
      `${contentType === undefined ? "" : `\r\nContent-Type: ${contentType}`}\r\n\r\n`,
      content,
    ]);
    const all = [...pieces, `\r\n--${boundary}--`];
    return Buffer.concat(
      all.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : piece)),
    );
  };

  test("is parsed as it was written; truncated anywhere, as its complete parts", () => {
    fc.assert(
      fc.property(boundaries, parts, fc.nat(), (wanted, form, cut) => {
        // Longer than any content, so that no content contains it.
        const boundary = wanted.padEnd(301, "=");
        const body = write(form, boundary);
        expect(readForm(body, boundary)).toEqual({ parts: form, isCut: false });
        const end = cut % (body.length + 1);
        const ended = readForm(body.subarray(0, end), boundary).parts;
        const boundariesSeen = body.subarray(0, end).toString("latin1").split(`\r\n--${boundary}`).length - 1;
        expect(ended).toEqual(form.slice(0, Math.max(0, boundariesSeen - 1)));
      }),
    );
  });
});

describe("a form with many escaped quotes", () => {
  test("is read in linear time", () => {
    const header = `Content-Disposition: form-data; name="image"; filename="${'\\"'.repeat(7_000)}`;
    const part = `--b\r\n${header}\r\n\r\nx\r\n`;
    const body = Buffer.from(`${part.repeat(500)}--b--\r\n`);
    expect(readForm(body, "b").isCut).toBe(true);
  });
});
