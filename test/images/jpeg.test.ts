import sharp, { type Sharp } from "sharp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { decodeThumbnail } from "../../src/core/images/decode.ts";
import { decodeGrey } from "../../src/core/images/grey.ts";
import { decodeJpeg, useRows } from "../../src/core/images/jpeg.ts";
import { firstOf, times } from "../support/combinations.ts";
import { generator, scene } from "../support/scenes.ts";

/** What the decoder makes of a file; undefined if it is damaged. */
const byDecoder = (file: Buffer): Promise<Buffer | undefined> =>
  sharp(file, { ignoreIcc: true, failOn: "truncated" })
    .removeAlpha()
    .raw()
    .toBuffer()
    .catch(() => undefined);

/** A copy of the pixels that the kernel decodes; undefined if it leaves the file to the decoder. */
async function byKernel(file: Buffer): Promise<Buffer | undefined> {
  const decoded = await decodeJpeg(file, { whole: true, half: false });
  const pixels = decoded?.whole && Buffer.from(decoded.whole.data);
  decoded?.free();
  return pixels;
}

/** A copy of the pixels that the kernel decodes row by row, at most so many at a time; undefined if it leaves the file to the decoder. */
const byRows = (file: Buffer, most: number): Promise<Buffer | undefined> =>
  useRows(
    file,
    () => most,
    async ({ width, height, read }) => {
      const pixels = Buffer.alloc(3 * width * height);
      for (let row = 0; row < height; row += most)
        pixels.set(read(row, Math.min(most, height - row)), 3 * width * row);
      return pixels;
    },
  );

const noise = (next: () => number, width: number, height: number): Sharp =>
  sharp(Buffer.from(Uint8Array.from({ length: 3 * width * height }, () => next() * 256)), {
    raw: { width, height, channels: 3 },
  });

const SUBSAMPLINGS = ["4:2:0", "4:4:4"];

describe("regular JPEG files", () => {
  it("have the pixels that the decoder finds, bit by bit, in every size, quality and subsampling", async () => {
    const next = generator(62);
    const upTo = (most: number) => Math.floor(next() * most);
    const drawn = sharp(await scene(7, 320, 240));
    for (let file = 0; file < times(300, 40); file++) {
      const [width, height] = [8 + upTo(150), 8 + upTo(150)];
      const kinds = [
        () => noise(next, width, height),
        () => noise(next, width, height).blur(1 + upTo(4)),
        () => drawn.clone().resize(width, height, { fit: "fill" }),
      ];
      const picture = kinds[upTo(kinds.length)]?.() ?? drawn;
      const bytes = await picture
        .linear(1 + upTo(4), -upTo(200))
        .jpeg({
          quality: 1 + upTo(100),
          chromaSubsampling: SUBSAMPLINGS[upTo(2)],
          optimiseCoding: next() < 0.5,
        })
        .toBuffer();
      const decoded = await byKernel(bytes);
      expect(decoded).toBeDefined();
      expect(decoded?.equals((await byDecoder(bytes)) ?? Buffer.alloc(0))).toBe(true);
      expect((await byRows(bytes, 1 + upTo(70)))?.equals(decoded ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it("are decoded in little memory when their rows are read one after the other", async () => {
    const file = await sharp(await scene(14, 400, 300))
      .resize(2400, 1800)
      .jpeg()
      .toBuffer();
    const memory = () =>
      useRows(
        file,
        () => 40,
        async ({ height, read }) => {
          let last = read(0, 40);
          for (let row = 40; row < height; row += 40) last = read(row, 40);
          return last.buffer.byteLength;
        },
      );
    // At the same time, because up to four may get a memory that other tests have enlarged.
    const bytes = Math.min(...(await Promise.all(Array.from({ length: 5 }, memory))).map(Number));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(2 ** 21);
    expect((await byRows(file, 40))?.equals((await byDecoder(file)) ?? Buffer.alloc(0))).toBe(true);
  });

  it("throw what the code throws that uses their rows", async () => {
    const file = await sharp(await scene(15, 64, 48))
      .jpeg()
      .toBuffer();
    const using = useRows(
      file,
      () => 8,
      () => Promise.reject(new Error("of the user")),
    );
    await expect(using).rejects.toThrow("of the user");
  });

  it("may be followed by other bytes, and have several slices", async () => {
    const bytes = await sharp(await scene(8, 720, 500))
      .jpeg({ quality: 95 })
      .toBuffer();
    const file = Buffer.concat([bytes, Buffer.from("more")]);
    expect((await byKernel(file))?.equals((await byDecoder(file)) ?? Buffer.alloc(0))).toBe(true);
  });

  /** 770: three times the thumbnail's side, from where on the decoder decodes at half the length. 1001: odd lengths are left to it. */
  const SCALED: readonly (readonly [number, number])[] = [
    [1280, 960],
    [320, 240],
    [2046, 770],
    [767, 767],
    [1001, 777],
    [640, 480],
    [1278, 1400],
    [200, 1000],
  ];
  it.each(firstOf(SCALED, 4))(
    "have the thumbnail that the decoder makes of them, of %ix%i",
    async (width, height) => {
      for (const chromaSubsampling of SUBSAMPLINGS) {
        const file = await sharp(await scene(width, width, height))
          .jpeg({ chromaSubsampling })
          .toBuffer();
        const expected = await sharp(file)
          .resize(256, 256, { fit: "fill", kernel: "cubic" })
          .removeAlpha()
          .raw()
          .toBuffer();
        const thumbnail = await decodeThumbnail(file);
        expect(Buffer.isBuffer(thumbnail) && thumbnail.equals(expected)).toBe(true);
      }
    },
  );

  it("are as grey as a PNG of their pixels, at their own size and at others", async () => {
    const picture = sharp(await scene(11, 301, 203));
    for (const encode of [
      (image: Sharp) => image.jpeg({ quality: 90 }),
      (image: Sharp) => image.jpeg({ quality: 90, chromaSubsampling: "4:4:4" }),
      (image: Sharp) => image.jpeg({ quality: 90, progressive: true }),
    ]) {
      const file = await encode(picture.clone()).toBuffer();
      const png = await sharp(file).png().toBuffer();
      for (const side of [301, 150, 500]) {
        const [grey, expected] = [await decodeGrey(file, side), await decodeGrey(png, side)];
        if ("damage" in grey || "damage" in expected) throw new Error("not decoded");
        expect([grey.width, grey.height]).toEqual([expected.width, expected.height]);
        const differences = expected.data.map((value, at) => Math.abs(value - (grey.data[at] ?? 0)));
        expect(differences.reduce((sum, each) => sum + each, 0) / differences.length).toBeLessThan(1);
        grey.free();
      }
    }
  });

  it("use the memory of others again, when they are small", async () => {
    const file = await sharp(await scene(12, 320, 240))
      .jpeg()
      .toBuffer();
    // Kernels of larger pictures may be idle in this one.
    vi.resetModules();
    const { decodeJpeg } = await import("../../src/core/images/jpeg.ts");
    const decodeMany = () =>
      Promise.all(Array.from({ length: 6 }, () => decodeJpeg(file, { whole: true, half: false })));
    const memoryOf = (decoded: Awaited<ReturnType<typeof decodeJpeg>>) => decoded?.whole?.data.buffer;
    const first = await decodeMany();
    const known = new Set(first.map(memoryOf));
    for (const decoded of first) decoded?.free();
    const isKnown = (await decodeMany()).map((decoded) => known.has(memoryOf(decoded)));
    expect(isKnown).toEqual(first.map(() => true));
  });

  it("are made grey by a few kernels at a time", async () => {
    const file = await sharp(await scene(13, 1300, 1000))
      .jpeg()
      .toBuffer();
    const kernels: unknown = Reflect.get(globalThis, "WebAssembly");
    if (typeof kernels !== "object" || kernels === null) throw new Error("expected WebAssembly");
    const Instance = Reflect.get(kernels, "Instance");
    let made = 0;
    const construct = (...args: Parameters<typeof Reflect.construct>) => {
      made += 1;
      return Reflect.construct(...args);
    };
    onTestFinished(() => void Reflect.set(kernels, "Instance", Instance));
    Reflect.set(kernels, "Instance", new Proxy(Instance, { construct }));
    vi.resetModules();
    const { decodeGrey } = await import("../../src/core/images/grey.ts");
    const greys = await Promise.all(Array.from({ length: 12 }, () => decodeGrey(file, 640)));
    expect(greys.filter((grey) => "damage" in grey)).toEqual([]);
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThanOrEqual(4);
  });

  it("are decoded beside each other", async () => {
    const files = await Promise.all(
      [640, 320, 600].map(async (width, index) =>
        sharp(await scene(20 + index, width, 400))
          .jpeg()
          .toBuffer(),
      ),
    );
    const decoded = await Promise.all(files.map((file) => byKernel(file)));
    for (const [index, file] of files.entries())
      expect(decoded[index]?.equals((await byDecoder(file)) ?? Buffer.alloc(0))).toBe(true);
  });
});

describe("left to the decoder", () => {
  it.each([
    ["progressive", (image: Sharp) => image.jpeg({ progressive: true })],
    ["grey", (image: Sharp) => image.toColourspace("b-w").jpeg()],
    ["CMYK", (image: Sharp) => image.toColourspace("cmyk").jpeg()],
    ["PNG", (image: Sharp) => image.png()],
    ["large", (image: Sharp) => image.resize(2000, 1500).jpeg()],
    ["tiny", (image: Sharp) => image.resize(7, 20).jpeg()],
  ])("are %s files", async (_name, encode) => {
    expect(await byKernel(await encode(sharp(await scene(9, 320, 240))).toBuffer())).toBeUndefined();
  });

  it("are damaged files: what is decoded has the decoder's pixels", async () => {
    const next = generator(63);
    const picture = sharp(await scene(10, 64, 48));
    const files = await Promise.all([
      picture.clone().jpeg({ quality: 70 }).toBuffer(),
      picture.clone().jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer(),
    ]);
    let [decoded, left] = [0, 0];
    for (let round = 0; round < times(2000, 200); round++)
      for (const file of files) {
        const damaged = Buffer.from(file);
        const isCut = next() < 0.2;
        for (let byte = 0; byte <= next() * 3; byte++)
          damaged[Math.floor(next() * file.length)] = Math.floor(next() * 256);
        const bytes = isCut ? damaged.subarray(0, next() * file.length) : damaged;
        const pixels = await byKernel(bytes);
        expect(await byRows(bytes, 16)).toEqual(pixels);
        if (pixels === undefined) left += 1;
        else {
          decoded += 1;
          expect((await byDecoder(bytes))?.equals(pixels)).toBe(true);
        }
      }
    expect([decoded > 20, left > 20]).toEqual([true, true]);
  });
});
