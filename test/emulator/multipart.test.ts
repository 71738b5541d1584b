import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FormPart, readForm } from "../../src/core/emulator/multipart.ts";

const read = async (body: string, boundary = "b") =>
  readForm(Buffer.from(body, "latin1"), boundary).parts.map(({ name, filename, content }) => ({
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

  test("its headers may be long", async () => {
    const headers = `${disposition("name=n")}\r\nX: ${"x".repeat(16_000)}`;
    expect(await read(`${part(headers)}--b--`)).toEqual([{ name: "n", isFile: false, content: "c" }]);
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

test("plain header lines are read as the same lines with blanks, which busboy reads", async () => {
  const name = fc.stringMatching(/^[a-z][\w-]{0,20}$/);
  const value = fc.stringMatching(/^[ -~]{1,20}$/);
  await fc.assert(
    fc.asyncProperty(name, fc.array(fc.tuple(name, value), { maxLength: 4 }), async (field, others) => {
      const lines = others.map(([header, text]) => `\r\n${header}: ${text}`).join("");
      const plain = `${part(disposition(`name="${field}"`) + lines)}--b--`;
      const blank = `${part(disposition(` name="${field}"`) + lines)}--b--`;
      const expected = { name: field, isFile: false, content: "c" };
      expect(await read(plain)).toEqual([expected]);
      expect(await read(blank)).toEqual([expected]);
    }),
  );
});

describe("what is not a part", () => {
  const good = part(disposition("name=good"));
  const expected = [{ name: "good", isFile: false, content: "c" }];

  test.each([
    ["text before the first boundary", `preamble\r\n${good}--b--`],
    ["what comes behind the closing boundary", `${good}--b--\r\n${good}${good}--b--`],
    ["a part without the end of its headers", `--b\r\n${disposition("name=x")}\r\n${good}--b--`],
    ["a part whose headers are broken", `${part("no header at all")}${good}--b--`],
    ["a part with a control character in its headers", `${part(disposition("name=\x01"))}${good}--b--`],
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

describe("a body that ends early", () => {
  const good = part(disposition("name=good"));
  const start = `${good}--b\r\n`;
  const parts = (...more: object[]) => [{ name: "good", isFile: false, content: "c" }, ...more];
  const named = { name: "x", isFile: false };

  test.each([
    ["without the closing boundary", good.slice(0, -2), parts()],
    ["before the end of the last line", good, [{ ...parts()[0], content: "c\r\n" }]],
    ["within the content", `${start}${disposition("name=x")}\r\n\r\nab`, parts({ ...named, content: "ab" })],
    ["after the headers", `${start}${disposition("name=x")}\r\n\r\n`, parts({ ...named, content: "" })],
    ["after a header line", `${start}${disposition("name=x")}\r\n`, parts({ ...named, content: "" })],
    [
      "within another header",
      `${start}${disposition("name=x")}\r\nContent-T`,
      parts({ ...named, content: "" }),
    ],
    ["after a boundary", `${good}--b`, []],
    ["within the closing boundary", `${good}--b-`, []],
    [
      "after a header, before its line end",
      `${start}${disposition("name=x")}`,
      parts({ ...named, content: "" }),
    ],
    ["within a line end", `${start}${disposition('name="x"')}\r`, parts({ ...named, content: "" })],
    [
      "after a header of two lines",
      `${start}${disposition('name="x";\r\n filename="y"')}`,
      parts({ name: "x", isFile: true, content: "" }),
    ],
    [
      "after another header, before its line end",
      `${start}${disposition("name=x")}\r\nContent-Type: image/png`,
      parts({ ...named, content: "" }),
    ],
    ["after another header, without a disposition", `${start}Content-Type: image/png`, "lacksDisposition"],
    ["after the line of a boundary", start, "lacksDisposition"],
  ])("%s", async (_, body, expected) => {
    if (Array.isArray(expected)) expect(await read(body)).toEqual(expected);
    expect(readForm(Buffer.from(body), "b").lacksDisposition).toBe(!Array.isArray(expected));
  });

  const cutParameters = ["na", "name", "name=", 'name="', 'name="x', 'name="x\\"'];
  const cutFiles = ['name="x";', 'name="x"; filen', 'name="x"; filename=', 'name="x"; filename="'];
  test.each([
    ...["Content-Dispo", "Content-Disposition", "Content-Disposition: form-da"],
    ...[...cutParameters, ...cutFiles].map(disposition),
  ])("within the disposition: %s", (line) => {
    expect(readForm(Buffer.from(start + line), "b").lacksDisposition).toBe(true);
  });
});

describe("a part that has no disposition", () => {
  const good = part(disposition("name=good"));

  test.each([
    ["nor another header", `--b\r\n\r\nbody\r\n${good}--b--`, true],
    ["but another header", `${good}${part("X: y")}--b--`, true],
    [
      "but a header of a similar name",
      `${part("X-Content-Disposition: form-data; name=x")}${good}--b--`,
      true,
    ],
    ["as every part should", `${good}--b--`, false],
  ])("%s", async (_, body, lacksDisposition) => {
    expect(readForm(Buffer.from(body), "b").lacksDisposition).toBe(lacksDisposition);
    expect(await read(body)).toEqual([{ name: "good", isFile: false, content: "c" }]);
  });
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
      isCutOff: fc.constant(false),
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

  test("is parsed as it was written; truncated anywhere, it begins with its complete parts", () => {
    fc.assert(
      fc.property(boundaries, parts, fc.nat(), (wanted, form, cut) => {
        // Longer than any content, so that no content contains it.
        const boundary = wanted.padEnd(301, "=");
        const body = write(form, boundary);
        expect(readForm(body, boundary)).toEqual({ parts: form, isCut: false, lacksDisposition: false });
        const end = cut % (body.length + 1);
        const ended = readForm(body.subarray(0, end), boundary).parts;
        const boundariesSeen = body.subarray(0, end).toString("latin1").split(`\r\n--${boundary}`).length - 1;
        const complete = form.slice(0, Math.max(0, boundariesSeen - 1));
        // A part that is open counts, too; none does when the body ends directly behind a boundary.
        if (ended.length > 0) expect(ended.slice(0, complete.length)).toEqual(complete);
        expect(ended.length).toBeLessThanOrEqual(complete.length + 1);
      }),
    );
  });
});

describe("a form with many boundaries", () => {
  test.each([
    ["without parts", "--b\r\n"],
    ["before parts that are broken", part("no header at all")],
    ["before parts that have no disposition", part("X: y")],
  ])("%s is not read to its end", (_, section) => {
    expect(readForm(Buffer.from(`${section.repeat(100)}--b--`), "b").isCut).toBe(false);
    expect(readForm(Buffer.from(`${section.repeat(101)}--b--`), "b").isCut).toBe(true);
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
