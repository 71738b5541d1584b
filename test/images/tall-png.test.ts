import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { decodePixels } from "../../src/images/decode.ts";
import { decodeTallPng, pngLayout } from "../../src/images/tall-png.ts";
import { makePng } from "../support/png.ts";
import { scene } from "../support/scenes.ts";

/** Decodes a file row by row, however tall it is. */
async function byRows(bytes: Buffer): Promise<Buffer> {
  const layout = pngLayout(bytes);
  if (layout === undefined) throw new Error("expected a PNG file without a palette");
  return decodeTallPng(bytes, layout);
}

async function bySharp(bytes: Buffer): Promise<Buffer> {
  return sharp(bytes).removeAlpha().toColourspace("srgb").raw().toBuffer();
}

const kinds: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  RGB: (image) => image,
  "RGB of 16 bits": (image) => image.toColourspace("rgb16"),
  "RGB with alpha": (image) => image.ensureAlpha(0.5),
  grey: (image) => image.greyscale(),
};

describe("a PNG file that is decoded row by row", () => {
  for (const [kind, make] of Object.entries(kinds)) {
    it.each([
      [1, 1],
      [1, 50],
      [2, 9],
      [3, 7],
      [5, 64],
      [33, 17],
    ])(
      `has the pixels that the decoder finds: ${kind}, %ix%i, filtered, interlaced or not`,
      async (width, height) => {
        const image = sharp(await scene(2)).resize(width, height, { fit: "fill" });
        for (const progressive of [false, true]) {
          for (const adaptiveFiltering of [false, true]) {
            const bytes = await make(image.clone()).png({ progressive, adaptiveFiltering }).toBuffer();
            expect(await byRows(bytes)).toEqual(await bySharp(bytes));
          }
        }
      },
    );
  }

  it.each([1, 2, 4, 8])("has the pixels that the decoder finds: grey of %i bits", async (depth) => {
    for (const width of [1, 7, 8, 9]) {
      const bytes = makePng({ width, height: 20, depth, colourType: 0 });
      expect(await byRows(bytes)).toEqual(await bySharp(bytes));
    }
  });

  it("is damaged when its data is, or ends early", async () => {
    const png = makePng({ width: 3, height: 400_000, colourType: 0 });
    const decoded = await decodePixels(png, async ({ data, width, height }) => [data.length, width, height]);
    expect(decoded).toEqual([3 * 3 * 400_000, 3, 400_000]);
    const data = png.indexOf("IDAT") + 4;
    const noZlib = Buffer.from(png);
    noZlib.writeUInt16BE(0xffff, data);
    const shorter = makePng({ width: 3, height: 399_999, colourType: 0 });
    shorter.writeUInt32BE(400_000, 20);
    for (const bytes of [noZlib, shorter, png.subarray(0, data + 100)])
      expect(await decodePixels(bytes, async () => "decoded")).toEqual({ damage: expect.any(String) });
  });
});
