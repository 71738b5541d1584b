import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { pdfInstance, pngInstance, svgInstance } from "../../../src/core/apis/vumark/instances.ts";
import { codePoint } from "../../support/code-point.ts";
import { drawnText, pdfTitle, pngTexts, xmlTextOf } from "./read-back.ts";

/** Any text without lone surrogates. */
const ids = fc.oneof(
  fc.string({ unit: codePoint, minLength: 1 }),
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.string({
    unit: fc.constantFrom("(", ")", "\\", "<", "&", "]]>", "\r", "\n", "\0", "é", "日", "😀"),
    minLength: 1,
  }),
);
/** Without control characters: a NUL would end a text of a PNG. */
const asText = (id: string) =>
  id.replace(/\p{Cc}/gu, (control) => `\\u{${control.charCodeAt(0).toString(16)}}`);
/** A text without the other characters that XML does not allow. */
const inXml = (id: string) => asText(id).replace(/[\ufffe\uffff]/gu, "\ufffd");

describe("an instance id in a PNG", () => {
  it("is a text chunk, and also one in UTF-8 when it is not ASCII", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const [latin, unicode, ...others] = pngTexts(pngInstance(id));
        const text = asText(id);
        const latin1 = /[^\0-\xff]/.test(text) ? Buffer.from(text).toString("latin1") : text;
        expect(latin).toEqual({ type: "tEXt", keyword: "instance_id", text: latin1 });
        const beyondAscii = /[^\0-\x7f]/.test(text);
        expect(unicode).toEqual(beyondAscii ? { type: "iTXt", keyword: "instance_id", text } : undefined);
        expect(others).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["instance-42", 6],
    ["A", 10],
    ["123e4567-e89b-12d3-a456-426614174000", 2],
    ["!\"#$%&'()*+,-./0123456789:;<=>?", 2],
    ["@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_", 2],
    ["`abcdefghijklmnopqrstuvwxyz{|}~", 2],
  ])("%s is legible in the picture", async (id, scale) => {
    expect(await drawnText(pngInstance(id), scale)).toBe(id);
  });

  it("is drawn as code points when it is not ASCII", async () => {
    expect(await drawnText(pngInstance("日é"), 5)).toBe("\\u{65e5}\\u{e9}");
  });

  it("is cut off when it is too long, but only in the picture", async () => {
    const id = "x".repeat(100_000);
    const png = pngInstance(id);
    expect(pngTexts(png)[0]?.text).toBe(id);
    expect((await sharp(png).metadata()).height).toBeLessThan(1000);
  });
});

describe("an instance id in an SVG", () => {
  it("is its title and its text, as far as XML allows", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const svg = svgInstance(id).toString();
        expect(svg.startsWith("<svg")).toBe(true);
        expect(xmlTextOf(svg, "title")).toBe(inXml(id));
        expect(xmlTextOf(svg, "text")).toBe(inXml(id));
      }),
    );
  });

  it("is drawn as black text inside a frame", async () => {
    const picture = await sharp(svgInstance("a<b>&日\0")).metadata();
    expect([picture.width, picture.height]).toEqual([512, 256]);
    const middle = { left: 32, top: 32, width: 448, height: 192 };
    const { data } = await sharp(svgInstance("a<b>&"))
      .extract(middle)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data.some((byte) => byte < 64)).toBe(true);
  });
});

describe("an instance id in a PDF", () => {
  it("is its title", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(pdfTitle(pdfInstance(id))).toBe(asText(id));
      }),
    );
  });

  it("is drawn as text", () => {
    expect(pdfInstance("a(b)\\é").toString("latin1")).toContain("(a\\(b\\)\\\\\\\\u{e9}) Tj");
  });
});

it("a control character of an id is the same text in each format, and a lone surrogate too", () => {
  const [id, text] = ["a\0b\u001b\n\u009bc\ud800", "a\\u{0}b\\u{1b}\\u{a}\\u{9b}c\ufffd"];
  expect(pngTexts(pngInstance(id))).toMatchObject([{ type: "tEXt" }, { type: "iTXt", text }]);
  const ofLatin = pngTexts(pngInstance("a\0b"));
  expect(ofLatin).toEqual([{ type: "tEXt", keyword: "instance_id", text: "a\\u{0}b" }]);
  expect(xmlTextOf(svgInstance(id).toString(), "title")).toBe(text);
  expect(pdfTitle(pdfInstance(id))).toBe(text);
});

describe.each([
  ["PNG", pngInstance],
  ["SVG", svgInstance],
  ["PDF", pdfInstance],
])("a %s", (_, render) => {
  it("has the same bytes for the same id, and others for another", () => {
    expect(render("id").equals(render("id"))).toBe(true);
    expect(render("id").equals(render("Id"))).toBe(false);
  });
});
