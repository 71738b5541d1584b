import { setImmediate as nextTurn } from "node:timers/promises";
import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { decodePixels, decodeThumbnail, thumbnailOfPixels } from "../../src/images/decode.ts";
import { claiming } from "../support/claimed-size.ts";
import { makePng, palette, pngChunk } from "../support/png.ts";
import { scene } from "../support/scenes.ts";

describe("a thumbnail of decoded pixels", () => {
  let picture: Sharp;
  beforeAll(async () => {
    picture = sharp(await scene(3, 320, 240));
  });

  const fromPixels = async (bytes: Buffer) => {
    const made = await decodePixels(bytes, (pixels) => thumbnailOfPixels(bytes, pixels));
    if (made && "damage" in made) throw new Error(made.damage);
    return made;
  };
  const isThatOfTheFile = async (bytes: Buffer) => {
    const expected = await decodeThumbnail(bytes);
    return Buffer.isBuffer(expected) && (await fromPixels(bytes))?.equals(expected);
  };
  const sized = (width: number, height: number) => picture.clone().resize(width, height, { fit: "fill" });

  it.each([
    [1, 1],
    [7, 300],
    [255, 257],
    [320, 240],
    [512, 700],
    [511, 2000],
    [900, 512],
  ])("is that of the file, for a JPEG and a PNG of %ix%i", async (width, height) => {
    for (const grey of [false, true]) {
      for (const encode of [
        (image: Sharp) => image.jpeg({ quality: 80 }),
        (image: Sharp) => image.jpeg({ progressive: true, chromaSubsampling: "4:4:4" }),
        (image: Sharp) => image.png(),
        (image: Sharp) => image.png({ progressive: true }),
      ]) {
        const image = grey ? sized(width, height).greyscale() : sized(width, height);
        const bytes = await encode(image).toBuffer();
        expect(await isThatOfTheFile(bytes)).toBe(true);
      }
    }
  });

  it("is that of a large PNG", async () => {
    const bytes = await sized(1600, 1100).png().toBuffer();
    expect(await isThatOfTheFile(bytes)).toBe(true);
  });

  it("is undefined where it would differ: for large JPEG, 16-bit and other kinds of files", async () => {
    const transparent = pngChunk("tRNS", Buffer.alloc(6));
    for (const bytes of [
      await sized(1600, 1100).jpeg().toBuffer(),
      makePng({ depth: 16 }),
      makePng({ depth: 4, colourType: 0 }),
      makePng({ before: [transparent] }),
      makePng({ depth: 4, colourType: 3, before: [palette] }),
    ]) {
      expect(await fromPixels(bytes)).toBeUndefined();
    }
  });
});

describe("progressive images of more than 37,748,736 pixels", () => {
  it("are decoded one at a time, and leave decoders to other images", async () => {
    const large = await claiming(7000, 6000);
    const small = makePng({ width: 99 });
    const ended: string[] = [];
    const decoding = (name: string, image: Buffer) =>
      decodeThumbnail(image).then((decoded) => {
        expect(Buffer.isBuffer(decoded)).toBe(true);
        ended.push(name);
      });
    // As many large images as there are decoders, and more.
    const all = ["1", "2", "3", "4", "5"].map((name) => decoding(name, large));
    const others = Array.from({ length: 10 }, () => decoding("small", small));
    await Promise.all(others);
    expect(ended.filter((name) => name !== "small").length).toBeLessThan(2);
    let isOver = false;
    const over = Promise.all(all).finally(() => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      const { queue, process } = sharp.counters();
      most = Math.max(most, queue + process);
      await nextTurn();
    }
    await over;
    expect(most).toBe(1);
  });
});
