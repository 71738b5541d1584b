import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { flatPicture, InvalidOptionError, MockCloudReco, samplePicture } from "mock-cloud-reco";
import type { default as Decoder, Sharp } from "sharp";
import { afterEach, describe, expect, it, vi } from "vitest";
import { times } from "../support/combinations.ts";
import { MockSession } from "../support/mock-session.ts";
import { generator } from "../support/scenes.ts";
import { PICTURE_HASHES } from "./picture-hashes.ts";

const COUNT = times(8, 4);

/** The instance that the package uses. */
const sharp: typeof Decoder = createRequire(import.meta.url)("sharp");
const prototype: Sharp = Object.getPrototypeOf(sharp(Buffer.alloc(1)));

afterEach(() => vi.restoreAllMocks());

/** Of those sharp writes the file. */
const png = (n: number, size: { readonly width?: number } = {}): Promise<Buffer> =>
  samplePicture(n, { format: "PNG", ...size });

/** Every target that matches, not only the best one that the response has. */
async function namesFound(session: MockSession, picture: Buffer): Promise<string[]> {
  await session.query(picture);
  const considered = session.mock.requests.at(-1)?.considered ?? [];
  return considered.filter(({ matched }) => matched).map(({ name }) => name);
}

it("keeps the images that it was given, whatever is written to their buffers afterwards", async () => {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  const [first, second] = [await samplePicture(1), await samplePicture(2)];
  const base64 = [first, second].map((bytes) => bytes.toString("base64"));
  const adding = mock.addTarget(database, { image: first });
  first.fill(0);
  const { targetId } = await adding;
  first.fill(1);
  expect(Object.values(mock.snapshot().images)).toEqual([base64[0]]);
  const updating = mock.updateTarget(database, targetId, { image: second });
  second.fill(0);
  await updating;
  second.fill(1);
  expect(Object.values(mock.snapshot().images)).toEqual([base64[1]]);
});

describe("sample pictures", () => {
  it("are rated 4 or 5, and each is found as itself only, in another format and size too", async () => {
    await using mock = new MockCloudReco({ queryContentEncoding: "identity" });
    const database = mock.addCloudDatabase();
    const session = new MockSession(mock, database);
    for (let n = 0; n < COUNT; n++) {
      await mock.addTarget(database, { name: `${n}`, image: await samplePicture(n), processed: true });
    }
    expect(database.targets.map(({ status }) => status)).toEqual(Array(COUNT).fill("success"));
    expect(Math.min(...database.targets.map(({ trackingRating }) => trackingRating))).toBeGreaterThan(3);
    for (let n = 0; n < COUNT; n++)
      expect(await namesFound(session, await samplePicture(n))).toEqual([`${n}`]);
    const other = await samplePicture(3, { format: "PNG", width: 640, height: 480 });
    expect(await namesFound(session, other)).toEqual(["3"]);
    expect(await namesFound(session, await samplePicture(COUNT))).toEqual([]);
  });

  it.each([
    { format: "JPEG", width: 192, height: 192 },
    { format: "PNG", width: 192, height: 1280 },
    { format: "PNG", width: 1280, height: 192 },
  ] as const)("have the format and size that were asked for, and a good rating: %o", async (options) => {
    await using mock = new MockCloudReco();
    const picture = await samplePicture(123_456_789, options);
    const { format, width, height } = await sharp(picture).metadata();
    expect({ format: format.toUpperCase(), width, height }).toEqual(options);
    const target = await mock.addTarget(mock.addCloudDatabase(), { image: picture, processed: true });
    expect(target).toMatchObject({ status: "success" });
    expect(target.trackingRating).toBeGreaterThan(3);
  });

  it("are the same bytes each time, small, and different for every number", async () => {
    const pictures = await Promise.all([1, 1, 2].map((n) => samplePicture(n)));
    expect(pictures[0]).toEqual(pictures[1]);
    expect(pictures[0]).not.toEqual(pictures[2]);
    expect(pictures[0]?.length).toBeLessThan(30_000);
  });

  it.each(PICTURE_HASHES)(
    "keep the pixels of picture %i of %s for ever, so that tests may rely on them",
    async (n, size, expected) => {
      const [width = 0, height = 0] = size.split("x").map(Number);
      const { data } = await sharp(await samplePicture(n, { format: "PNG", width, height }))
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(createHash("sha256").update(data).digest("hex")).toBe(expected);
    },
  );

  it("are JPEG files with the bytes that sharp writes, of every size", async () => {
    const next = generator(61);
    const side = (): number => Math.floor(192 + next() * 80);
    const sizes = [
      { width: 320, height: 240 },
      { width: 1280, height: 193 },
      ...Array.from({ length: times(60, 6) }, () => ({ width: side(), height: side() })),
    ];
    for (const [n, size] of sizes.entries())
      for (const picture of [
        (format: "JPEG" | "PNG") => samplePicture(n, { format, ...size }),
        (format: "JPEG" | "PNG") => flatPicture({ format, ...size }),
      ]) {
        const expected = await sharp(await picture("PNG"))
          .jpeg({ quality: 90 })
          .toBuffer();
        expect((await picture("JPEG")).equals(expected), `${n}: ${size.width}x${size.height}`).toBe(true);
      }
  });

  it("are drawn once, and returned as copies that a test may write into", async () => {
    const drawn = vi.spyOn(prototype, "toBuffer");
    const first = await png(880_001);
    const bytes = Buffer.from(first);
    first.fill(0);
    const again = await Promise.all([png(880_001), samplePicture(880_001, { format: "PNG" })]);
    expect(again).toEqual([bytes, bytes]);
    again[0]?.fill(0);
    expect(await png(880_001, { width: 320 })).toEqual(bytes);
    expect(drawn).toHaveBeenCalledTimes(1);
    const others = [png(880_002), samplePicture(880_001), flatPicture({ format: "PNG", width: 999 })];
    for (const other of await Promise.all(others)) expect(other).not.toEqual(bytes);
    expect(drawn).toHaveBeenCalledTimes(3);
  });

  it("are drawn once for those that wait", async () => {
    const drawn = vi.spyOn(prototype, "toBuffer");
    const [first, second] = await Promise.all([png(880_003), png(880_003)]);
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
    expect(drawn).toHaveBeenCalledTimes(1);
  });

  it("are drawn again when others took the memory for kept ones, the last used last", async () => {
    const large = (n: number) => samplePicture(n, { format: "PNG", width: 1280, height: 1280 });
    const small = [880_004, 880_005] as const;
    for (const n of small) await png(n);
    const drawn = vi.spyOn(prototype, "toBuffer");
    // Three of them take more than 8 MiB.
    const sizes = [];
    for (const n of [1, 2, 3]) {
      sizes.push((await large(n)).length);
      await png(small[1]);
    }
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(8 * 2 ** 20);
    expect(drawn).toHaveBeenCalledTimes(3);
    await png(small[0]);
    expect(drawn).toHaveBeenCalledTimes(4);
  });

  it("are not kept when the encoder failed", async () => {
    const failing = vi
      .spyOn(prototype, "toBuffer")
      .mockRejectedValue(new Error("vips_malloc: out of memory"));
    await expect(png(880_006)).rejects.toThrow("out of memory");
    failing.mockRestore();
    expect((await sharp(await png(880_006)).metadata()).width).toBe(320);
  });

  it("have their number in them, light with a dark edge", async () => {
    const { data, info } = await sharp(await samplePicture(1, { format: "PNG" }))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const meanOf = (fromX: number, toX: number) => {
      let [sum, count] = [0, 0];
      for (let y = 100; y < 140; y++)
        for (let x = fromX; x < toX; x++, count++) sum += data[y * info.width + x] ?? 0;
      return sum / count;
    };
    // The stem of the digit, its left edge, and the scene beside it.
    expect(meanOf(154, 166)).toBeGreaterThan(170);
    expect(meanOf(139, 143)).toBeLessThan(meanOf(20, 100) - 30);
  });

  it.each([
    [() => samplePicture(-1), "Invalid n: expected a whole number, 0 or more; got -1."],
    [() => samplePicture(1.5), "Invalid n: "],
    [
      () => samplePicture(1, { width: 191 }),
      "Invalid picture.width: expected a whole number from 192 to 1280",
    ],
    [
      () => flatPicture({ format: "GIF" as "PNG" }),
      'Invalid picture.format: expected "PNG" or "JPEG"; got "GIF"',
    ],
    [() => flatPicture({ hight: 200 } as never), "Invalid picture.hight: expected height"],
  ])("refuse bad input", async (draw, message) => {
    await expect(draw()).rejects.toThrow(InvalidOptionError);
    await expect(draw()).rejects.toThrow(message);
  });
});

it("a flat picture is accepted, and its target fails", async () => {
  await using mock = new MockCloudReco({ processingTimeSeconds: 0 });
  const database = mock.addCloudDatabase();
  const session = new MockSession(mock, database);
  for (const format of ["PNG", "JPEG"] as const) {
    const image = (await flatPicture({ format })).toString("base64");
    expect((await session.add({ name: format, image })).status).toBe(201);
  }
  expect(database.targets).toMatchObject([{ status: "failed" }, { status: "failed" }]);
});
