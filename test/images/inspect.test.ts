import { createHash } from "node:crypto";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { inspectQueryImage, inspectTargetImage } from "../../src/core/images/inspect.ts";
import { sentenceOf } from "../../src/core/schema/causes/causes.ts";
import { breakChecksum, makePng, noiseByte, palette, pngChunk } from "../support/png.ts";

const raw = (width: number, height: number, channels: 1 | 3 | 4 = 3) => ({
  data: Buffer.from(Array.from({ length: width * height * channels }, (_, index) => noiseByte(index))),
  options: { raw: { width, height, channels } },
});
const picture = (width = 64, height = 48) => {
  const { data, options } = raw(width, height);
  return sharp(data, options);
};
const cut = (bytes: Buffer, part: number) => bytes.subarray(0, Math.floor(bytes.length * part));
const greyTrns = pngChunk("tRNS", Buffer.from([0, 7]));
const rgbTrns = pngChunk("tRNS", Buffer.from([0, 7, 0, 7, 0, 7]));
/** Zeros decompress to far more pixels than the file has bytes. */
const bomb = (width: number, height: number, depth = 2) =>
  makePng({ width, height, depth, colourType: 0, fill: 0 });
const dataAt = (png: Buffer) => png.indexOf("IDAT", 8, "latin1") - 4;
const withStrayByte = (png: Buffer) =>
  Buffer.concat([png.subarray(0, -12), Buffer.from([0]), png.subarray(-12)]);

type Row = [file: string, make: () => Buffer | Promise<Buffer>, target: string, query: string];

const table: Row[] = [
  // Colour modes of PNG: every colour type and depth that the format has.
  ["PNG grey 1 bit", () => makePng({ colourType: 0, depth: 1 }), "1-bit greyscale", "ok"],
  ["PNG grey 2 bits", () => makePng({ colourType: 0, depth: 2 }), "ok", "ok"],
  ["PNG grey 4 bits", () => makePng({ colourType: 0, depth: 4 }), "ok", "ok"],
  ["PNG grey 8 bits", () => makePng({ colourType: 0, depth: 8 }), "ok", "ok"],
  ["PNG grey 16 bits", () => makePng({ colourType: 0, depth: 16 }), "16-bit greyscale", "ok"],
  ["PNG RGB 8 bits", () => makePng({ colourType: 2, depth: 8 }), "ok", "ok"],
  ["PNG RGB 16 bits", () => makePng({ colourType: 2, depth: 16 }), "ok", "ok"],
  ["PNG palette 1 bit", () => makePng({ colourType: 3, depth: 1, before: [palette] }), "1-bit palette", "ok"],
  [
    "PNG palette 2 bits",
    () => makePng({ colourType: 3, depth: 2, before: [palette] }),
    "2-bit palette",
    "ok",
  ],
  [
    "PNG palette 4 bits",
    () => makePng({ colourType: 3, depth: 4, before: [palette] }),
    "4-bit palette",
    "ok",
  ],
  [
    "PNG palette 8 bits",
    () => makePng({ colourType: 3, depth: 8, before: [palette] }),
    "8-bit palette",
    "ok",
  ],
  ["PNG grey+alpha 8 bits", () => makePng({ colourType: 4, depth: 8 }), "8-bit greyscale with alpha", "ok"],
  [
    "PNG grey+alpha 16 bits",
    () => makePng({ colourType: 4, depth: 16 }),
    "16-bit greyscale with alpha",
    "ok",
  ],
  ["PNG RGBA 8 bits", () => makePng({ colourType: 6, depth: 8 }), "8-bit RGB with alpha", "ok"],
  ["PNG RGBA 16 bits", () => makePng({ colourType: 6, depth: 16 }), "16-bit RGB with alpha", "ok"],
  ["PNG RGBA, opaque", () => makePng({ colourType: 6, fill: 255 }), "8-bit RGB with alpha", "ok"],
  ["PNG grey with tRNS", () => makePng({ colourType: 0, before: [greyTrns] }), "ok", "ok"],
  ["PNG RGB with tRNS", () => makePng({ before: [rgbTrns] }), "ok", "ok"],
  ["PNG interlaced", () => picture().png({ progressive: true }).toBuffer(), "ok", "ok"],
  ["PNG of 1x1", () => makePng({ width: 1, height: 1 }), "ok", "ok"],
  ["PNG with a text chunk", () => makePng({ before: [pngChunk("tEXt", Buffer.from("a\0b"))] }), "ok", "ok"],
  ["PNG with bytes after IEND", () => Buffer.concat([makePng(), Buffer.from("more")]), "ok", "ok"],
  // JPEG.
  ["JPEG of 3 components", () => picture().jpeg().toBuffer(), "ok", "ok"],
  ["JPEG of 1 component", () => picture().greyscale().jpeg().toBuffer(), "ok", "ok"],
  ["JPEG progressive", () => picture().jpeg({ progressive: true }).toBuffer(), "ok", "ok"],
  ["JPEG CMYK", () => picture().toColourspace("cmyk").jpeg().toBuffer(), "4 colour components", "ok"],
  ["JPEG with EXIF rotation", () => picture().withMetadata({ orientation: 6 }).jpeg().toBuffer(), "ok", "ok"],
  ["JPEG with an ICC profile", () => picture().withIccProfile("p3").jpeg().toBuffer(), "ok", "ok"],
  // Cut off.
  ["PNG cut at 99%", () => cut(makePng(), 0.99), "inside its IEND chunk|before its IEND chunk", "ok"],
  ["PNG cut at 90%", () => cut(makePng(), 0.9), "inside its IDAT chunk", "ok"],
  ["PNG cut at 50%", () => cut(makePng(), 0.5), "inside its IDAT chunk", "ok"],
  ["PNG cut at 10%", () => cut(makePng(), 0.1), "inside its IDAT chunk", "ok"],
  [
    "PNG without IHDR",
    () => Buffer.concat([makePng().subarray(0, 8), makePng().subarray(33)]),
    "does not begin with an IHDR chunk",
    "does not begin with an IHDR chunk",
  ],
  ["PNG header only", () => makePng().subarray(0, 33), "PNG cannot be opened", "PNG cannot be opened"],
  ["PNG signature only", () => makePng().subarray(0, 8), "ends at byte 8", "ends at byte 8"],
  [
    "JPEG cut at 99%",
    async () => cut(await picture(256, 256).jpeg().toBuffer(), 0.99),
    "premature end",
    "ok",
  ],
  ["JPEG cut at 90%", async () => cut(await picture(256, 256).jpeg().toBuffer(), 0.9), "premature end", "ok"],
  ["JPEG cut at 50%", async () => cut(await picture(256, 256).jpeg().toBuffer(), 0.5), "premature end", "ok"],
  ["JPEG cut at 10%", async () => cut(await picture(256, 256).jpeg().toBuffer(), 0.1), "premature end", "ok"],
  [
    "JPEG header only",
    async () => (await picture().jpeg().toBuffer()).subarray(0, 20),
    "cannot be opened",
    "cannot be opened",
  ],
  // Damaged.
  [
    "PNG bad IHDR checksum",
    () => breakChecksum(makePng(), "IHDR"),
    "checksum of the PNG's IHDR",
    "checksum of the PNG's IHDR",
  ],
  ["PNG bad IDAT checksum", () => breakChecksum(makePng(), "IDAT"), "checksum of the PNG's IDAT", "ok"],
  ["PNG bad IEND checksum", () => breakChecksum(makePng(), "IEND"), "checksum of the PNG's IEND", "ok"],
  ["PNG without IEND", () => makePng().subarray(0, -12), "before its IEND chunk", "ok"],
  ["PNG with a stray byte before IEND", () => withStrayByte(makePng()), "no valid chunk|inside its", "ok"],
  [
    "PNG whose data is not a zlib stream",
    () => {
      const png = makePng();
      return Buffer.concat([
        png.subarray(0, dataAt(png)),
        pngChunk("IDAT", Buffer.alloc(99, 1)),
        pngChunk("IEND"),
      ]);
    },
    "incomplete or damaged",
    "ok",
  ],
  [
    "PNG with too little data, all checksums right",
    () => {
      const [png, small] = [makePng(), makePng({ height: 2 })];
      return Buffer.concat([png.subarray(0, dataAt(png)), small.subarray(dataAt(small))]);
    },
    "incomplete or damaged",
    "ok",
  ],
  // Too large.
  ["PNG of 37748736 pixels", () => bomb(6144, 6144), "ok", "ok"],
  ["PNG of more pixels", () => bomb(6144, 6145), "ImageTooLarge: .*6144x6145 = 37754880 pixels", "ok"],
  ["PNG bomb of 30000x30000", () => bomb(30_000, 30_000, 2), "ImageTooLarge: .*900000000 pixels", "ok"],
  ["PNG 30001 wide", () => bomb(30_001, 1), "ok", "30001x1 pixels"],
  ["PNG 30001 high", () => bomb(1, 30_001), "ok", "1x30001 pixels"],
  ["PNG of 2359293 bytes", () => padded(2_359_293), "ok", "ok"],
  ["PNG of 2359294 bytes", () => padded(2_359_294), "ImageTooLarge: .*2359294 bytes", "ok"],
  ["palette PNG of too many bytes", () => padded(2_400_000, 3), "8-bit palette", "ok"],
  ["damaged PNG of too many bytes", () => breakChecksum(padded(2_400_000), "IEND"), "ImageTooLarge", "ok"],
  // Other formats, and none.
  ["no bytes", () => Buffer.alloc(0), "the image is empty", "the image is empty"],
  ["text", () => Buffer.from("hello"), 'the image is the text "hello"', 'the image is the text "hello"'],
  [
    "other bytes",
    () => Buffer.from("hello\0"),
    'the bytes 68656c6c6f00 \\("hello',
    "send a PNG or JPEG file",
  ],
  [
    "SVG",
    () => Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    "begins with",
    "begins with",
  ],
  ["GIF", () => picture().gif().toBuffer(), "begins with", "begins with"],
  ["WebP", () => picture().webp().toBuffer(), "begins with", "begins with"],
  ["TIFF", () => picture().tiff().toBuffer(), "begins with", "begins with"],
  ["AVIF", () => picture().avif({ effort: 0 }).toBuffer(), "begins with", "begins with"],
  ["BMP", () => Buffer.concat([Buffer.from("BM"), Buffer.alloc(60)]), "begins with", "begins with"],
  [
    "JPEG signature, then SVG",
    () => Buffer.concat([Buffer.from([255, 216, 255]), Buffer.from("<svg/>")]),
    "JPEG cannot be opened",
    "JPEG cannot be opened",
  ],
];

/** A sound PNG of exactly so many bytes. */
function padded(size: number, colourType = 2): Buffer {
  const before = colourType === 3 ? [palette] : [];
  const filler = size - makePng({ colourType, before }).length - 12;
  return makePng({ colourType, before: [...before, pngChunk("prVt", Buffer.alloc(filler))] });
}

describe("the table of image files", () => {
  // The largest picture takes seconds to make and to decode, and more where coverage is counted.
  it.each(table)("%s", { timeout: 180_000 }, async (_file, make, target, query) => {
    const bytes = await make();
    for (const [verdict, expected] of [
      [await inspectTargetImage(bytes), target],
      [await inspectQueryImage(bytes), query],
    ] as const) {
      if (expected === "ok") {
        expect(verdict).toMatchObject({ ok: true });
      } else {
        const text = verdict.ok ? "accepted" : `${verdict.resultCode}: ${sentenceOf(verdict.cause)}`;
        expect(text).toMatch(new RegExp(expected));
        expect(text).toMatch(expected.startsWith("ImageTooLarge") ? /^ImageTooLarge: / : /^BadImage: /);
      }
    }
  });
});

describe("an accepted image", () => {
  let png: Buffer;
  beforeAll(async () => {
    png = await picture(50, 40).png().toBuffer();
  });

  it("is handed on with its hash and what was measured, if it is a target's", async () => {
    const sha256 = createHash("sha256").update(png).digest("hex");
    const image = { bytes: png, sha256, measures: { isFlat: expect.any(Boolean) } };
    expect(await inspectTargetImage(png)).toMatchObject({ ok: true, image });
    expect(await inspectQueryImage(png)).toEqual({ ok: true });
  });
});

describe("the reason for a refusal", () => {
  it("says what was found, what was expected and what to do", async () => {
    const verdict = await inspectTargetImage(makePng({ colourType: 3, before: [palette] }));
    expect(verdict).toMatchObject({ ok: false, resultCode: "BadImage" });
    expect(!verdict.ok && sentenceOf(verdict.cause)).toBe(
      "convert the image to RGB: it is a PNG of colour type 3 (8-bit palette); expected greyscale of 2, 4 or 8 bits, or RGB of 8 or 16 bits",
    );
  });

  const hex = (digits: string) => Buffer.from(digits, "hex");
  it.each<[string, Buffer, string | undefined]>([
    ["a PNG read as text", hex("efbfbd504e470d0a1a0a"), "went through a text encoding"],
    ["a PNG encoded as text", hex("c289504e470d0a1a0a"), "went through a text encoding"],
    ["a JPEG encoded as text", hex("c3bfc398c3bfc3a0"), "went through a text encoding"],
    ["base64 of a PNG", Buffer.from("iVBORw0KGgoAAAANSUhEUg"), "is base64 text of an image"],
    ["base64 of a JPEG", Buffer.from("/9j/4AAQSkZJRg"), "is base64 text of an image"],
    ["hexadecimal, decoded as base64", Buffer.from("89504e470d0a1a0a", "base64"), "was sent in hexadecimal"],
    ["hexadecimal text", Buffer.from("FFD8FFE000104A46"), "is hexadecimal text"],
    ["a data URI", Buffer.from("data:image/png;base64,iVBORw0KGgo="), "is a data URI"],
    ["a GIF", Buffer.from("GIF89a"), "convert it to PNG or JPEG: the image is a GIF"],
    ["a WebP", Buffer.from("RIFF\n\0\0\0WEBPVP8 "), "convert it to PNG or JPEG: the image is a WebP"],
    ["another RIFF file", Buffer.from("RIFF\n\0\0\0WAVEfmt "), undefined],
    ["an AVIF", Buffer.from("\0\0\n\x1cftypavif"), "convert it to PNG or JPEG: the image is an AVIF or HEIC"],
    ["a BMP", Buffer.from("BM6\0\0\0"), "convert it to PNG or JPEG: the image is a BMP"],
    ["a little-endian TIFF", Buffer.from("II*\0"), "convert it to PNG or JPEG: the image is a TIFF"],
    ["a big-endian TIFF", Buffer.from("MM\0*"), "convert it to PNG or JPEG: the image is a TIFF"],
    ["a PDF", Buffer.from("%PDF-1.7"), "convert a page of it to PNG or JPEG: the image is a PDF"],
    ["an HTML page", Buffer.from("\n<!DOCTYPE html>"), "is an SVG or an HTML page"],
    ["an SVG", Buffer.from('<svg xmlns="x">'), "is an SVG or an HTML page"],
    [
      "JSON",
      Buffer.from(' {"error": 1}'),
      "check the download: the image is JSON, often the error page of a failed download",
    ],
    ["an object as text", Buffer.from("[object Promise]"), "is the text of a value that is not an image"],
    ["undefined as text", Buffer.from("undefined"), "is the text of a value that is not an image"],
    ["text that begins so", Buffer.from("undefined behaviour"), undefined],
    [
      "the name of a file",
      Buffer.from("../images/label.JPG"),
      "read the file: the image is the name of a file",
    ],
    [
      "a Windows file's name",
      Buffer.from(`C:\\${"a".repeat(200)}.png`),
      "read the file: the image is the name of a file",
    ],
    ["other bytes", Buffer.from("hello, world"), undefined],
  ])("suggests what to do with %s", async (_, bytes, advice) => {
    const verdict = await inspectQueryImage(bytes);
    const reason = verdict.ok ? "accepted" : sentenceOf(verdict.cause);
    expect(reason).toContain("a PNG or JPEG file");
    if (advice === undefined) expect(reason).toMatch(/^send (?:the bytes of )?a PNG or JPEG file: /);
    else expect(reason).toContain(advice);
  });
});
