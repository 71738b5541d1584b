import sharp, { type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { freeMemory } from "../../src/core/general/free-memory.ts";
import { decodePixels, decodeThumbnail, thumbnailOfPixels } from "../../src/core/images/decode.ts";
import { decodeGrey } from "../../src/core/images/grey.ts";
import { regularHeader } from "../../src/core/images/header.ts";
import { makeQuery, prepareImage, scoreImage } from "../../src/core/images/matching/similarity.ts";
import { isScaledFaster, scaleToThumbnail } from "../../src/core/images/scale.ts";
import { firstOf, times } from "../support/combinations.ts";
import { makePng, palette, pngChunk } from "../support/png.ts";
import { generator, scene, scenePixels } from "../support/scenes.ts";

let picture: Sharp;
beforeAll(async () => {
  picture = sharp(await scene(3, 320, 240));
});

describe("a thumbnail of decoded pixels", () => {
  const fromPixels = async (bytes: Buffer) => {
    const made = await decodePixels(bytes, async (pixels) =>
      pixels.toScale
        ? thumbnailOfPixels(pixels.toScale, bytes, (thumbnail) => Buffer.from(thumbnail))
        : undefined,
    );
    if (made && "damage" in made) throw new Error(made.damage);
    return made;
  };
  const isThatOfTheFile = async (bytes: Buffer) => {
    const expected = await decodeThumbnail(bytes);
    return Buffer.isBuffer(expected) && (await fromPixels(bytes))?.equals(expected);
  };
  const sized = (width: number, height: number) => picture.clone().resize(width, height, { fit: "fill" });

  const SIZES: readonly (readonly [number, number])[] = [
    [1, 1],
    [255, 257],
    [512, 700],
    [7, 300],
    [320, 240],
    [511, 2000],
    [900, 512],
  ];
  it.each(firstOf(SIZES, 3))("is that of the file, for a JPEG and a PNG of %ix%i", async (width, height) => {
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

  it("is that of a large PNG, and of a large JPEG file that a kernel decodes", async () => {
    for (const bytes of [
      await sized(1600, 1100).png().toBuffer(),
      await sized(1600, 1100).jpeg({ quality: 80 }).toBuffer(),
    ])
      expect(await isThatOfTheFile(bytes)).toBe(true);
  });

  it("is undefined where it would differ: for large JPEG, 16-bit and other kinds of files", async () => {
    const transparent = pngChunk("tRNS", Buffer.alloc(6));
    for (const bytes of [
      await sized(1601, 1100).jpeg().toBuffer(),
      await sized(1600, 1100).jpeg({ progressive: true }).toBuffer(),
      await sized(1600, 1100).toColourspace("b-w").jpeg().toBuffer(),
      makePng({ depth: 16 }),
      makePng({ depth: 4, colourType: 0 }),
      makePng({ before: [transparent] }),
      makePng({ depth: 4, colourType: 3, before: [palette] }),
    ]) {
      expect(await fromPixels(bytes)).toBeUndefined();
    }
  });
});

describe("a PNG of very many rows", () => {
  it("is decoded up to 300000 of them", async () => {
    const tall = (height: number) => makePng({ width: 1, height, colourType: 0, fill: 7 });
    for (const decode of [
      (bytes: Buffer) => decodePixels(bytes, async ({ height }) => height === 300_000),
      decodeThumbnail,
      (bytes: Buffer) => decodeGrey(bytes, 200),
    ]) {
      expect(await decode(tall(300_000))).not.toHaveProperty("damage");
      expect(await decode(tall(300_001))).toEqual({
        damage: "scale the picture down: it has more than 300000 rows",
      });
    }
  });
});

describe("the header of a file", () => {
  let regular: readonly Buffer[];
  let others: readonly Buffer[];
  beforeAll(async () => {
    const small = () => picture.clone().resize(80, 60);
    regular = await Promise.all([
      small().jpeg().toBuffer(),
      small().jpeg({ progressive: true, chromaSubsampling: "4:4:4" }).toBuffer(),
      small().greyscale().jpeg().toBuffer(),
      small().withIccProfile("p3").jpeg().toBuffer(),
      makePng({}),
      makePng({ colourType: 0 }),
      small().png({ progressive: true }).toBuffer(),
      small().ensureAlpha(0.5).png().toBuffer(),
    ]);
    others = await Promise.all([
      small().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
      small().toColourspace("cmyk").jpeg().toBuffer(),
      small().png({ palette: true }).toBuffer(),
      makePng({ depth: 16 }),
    ]);
  });

  /** What the decoder says of a file; undefined if it does not open it. */
  async function toldByDecoder(bytes: Buffer) {
    const image = sharp(bytes, { failOn: "truncated", limitInputPixels: false });
    const told = await image.metadata().catch(() => undefined);
    if (told === undefined) return undefined;
    const { width, height, channels, isProgressive } = told;
    return { width, height, components: channels, progressive: isProgressive };
  }

  /** Changes, removes, repeats or cuts bytes of a file's header. */
  function damaged(bytes: Buffer, next: () => number): Buffer {
    const place = () => Math.floor(next() * Math.min(700, bytes.length));
    const [at, to] = [place(), place()];
    const change = [
      () => Buffer.concat([bytes.subarray(0, at), Buffer.of(next() * 256), bytes.subarray(at + 1)]),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + next() * 8)]),
      () => Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, at + next() * 60), bytes.subarray(to)]),
      () => bytes.subarray(0, at),
    ][Math.floor(next() * 4)];
    return change?.() ?? bytes;
  }

  it("is read without the decoder if it is regular, as the decoder reads it", async () => {
    for (const bytes of regular) expect(regularHeader(bytes)).toEqual(await toldByDecoder(bytes));
    for (const bytes of others) expect(regularHeader(bytes)).toBeUndefined();
  });

  it("is read of a damaged file only if the decoder reads the same", async () => {
    const next = generator(7);
    let read = 0;
    for (let round = 0; round < times(200, 40); round += 1)
      for (const bytes of regular) {
        const changed = damaged(bytes, next);
        const header = regularHeader(changed);
        if (header === undefined) continue;
        read += 1;
        expect(header).toEqual(await toldByDecoder(changed));
      }
    expect(read).toBeGreaterThan(50);
  });
});

describe("the kernel scales", () => {
  /** Widths and heights, and how far values are from the decoder's: nearly always they are the same. */
  const SIZES: readonly (readonly [number, number, number])[] = [
    [320, 240, 0],
    [1, 1, 0],
    [256, 192, 0],
    [7, 1000, 0],
    [255, 255, 0],
    [200, 150, 0],
    [1023, 2, 0],
    [100, 37, 0],
    [640, 480, 0],
    [1023, 512, 6],
    [639, 255, 1],
    [208, 234, 6],
    [236, 75, 6],
    [255, 31, 6],
  ];

  const byDecoder = (data: Buffer, width: number, height: number) =>
    sharp(data, { raw: { width, height, channels: 3 } })
      .resize(256, 256, { fit: "fill", kernel: "cubic" })
      .raw()
      .toBuffer();

  it.each(firstOf(SIZES, 6))("%ix%i pixels as the decoder does", async (width, height, most) => {
    const noise = Buffer.from(
      Buffer.alloc(width * height * 3).map((_, index) => index * 7919 * (index % 251)),
    );
    for (const data of [scenePixels(5, width, height), noise]) {
      const expected = await byDecoder(data, width, height);
      const scaled = scaleToThumbnail(data, width, height);
      let largest = 0;
      for (const [index, value] of scaled.entries())
        largest = Math.max(largest, Math.abs(value - (expected[index] ?? 0)));
      expect(largest).toBeLessThanOrEqual(most);
      const score = scoreImage(makeQuery(prepareImage(scaled)), prepareImage(expected), -1);
      expect(score).toBeGreaterThan(0.998);
    }
  });

  it("what the decoder has decoded, if a side has to be enlarged and none is reduced in two steps", () => {
    const isScaled = ([width, height]: readonly [number, number]) => isScaledFaster({ width, height });
    expect([[255, 1023] as const, [1, 1] as const].every(isScaled)).toBe(true);
    expect([[256, 256] as const, [640, 480] as const, [1024, 255] as const].some(isScaled)).toBe(false);
  });
});

const pixelsOf = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 400, channels: 3, background: "red" } })
    .raw()
    .toBuffer();

it("frees the megabytes of a decoded picture", async () => {
  const pixels = await pixelsOf(1000);
  expect(pixels).toHaveLength(1_200_000);
  const { external } = process.memoryUsage();
  freeMemory(pixels);
  expect(pixels).toHaveLength(0);
  await expect.poll(() => external - process.memoryUsage().external).toBeGreaterThan(1_000_000);
});

it("keeps a small picture, and bytes that are a part of others", async () => {
  const small = await pixelsOf(100);
  const part = Buffer.alloc(3_000_000).subarray(0, 2_000_000);
  for (const bytes of [small, part]) freeMemory(bytes);
  expect([small.length, part.length]).toStrictEqual([120_000, 2_000_000]);
});
