import { readFileSync } from "node:fs";
import { brisqueRater } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { decodePixels } from "../../src/core/images/decode.ts";
import { reduce } from "../../src/core/images/measures.ts";
import { brisqueFeatures, greyRows } from "../../src/core/images/ratings/brisque/features.ts";
import { brisqueScore } from "../../src/core/images/ratings/brisque/score.ts";
import { drawPicture } from "../../src/mock/pictures/draw-picture.ts";
import { makePng, noiseByte } from "../support/png.ts";

interface Reference {
  readonly file: string;
  readonly opencvScore: number;
  readonly opencvRating: number;
}

const folder = new URL("./reference/", import.meta.url);
const { images }: { images: Reference[] } = JSON.parse(
  readFileSync(new URL("reference.json", folder), "utf8"),
);
const grey = (width: number, height: number, value: (index: number) => number) =>
  greyRows({ data: Uint8Array.from({ length: width * height }, (_, index) => value(index)), width, height });

describe("the 29 reference images, scored by OpenCV", () => {
  it.each(images)("$file", async ({ file, opencvScore, opencvRating }) => {
    const bytes = readFileSync(new URL(file, folder));
    const reduced = await decodePixels(bytes, reduce);
    if ("damage" in reduced) throw new Error(reduced.damage);
    expect(await brisqueRater(bytes)).toBe(opencvRating);
    // Large flat areas, as in ascent and shapes, leave the sign of a variance to rounding errors, on which it depends
    // whether a pixel counts; everywhere else the scores are the same within 0.2.
    const within = /^(ascent|shapes|face_q5)/.test(file) ? 2.2 : 0.2;
    expect(Math.abs((await brisqueScore(greyRows(reduced.grey))) - opencvScore)).toBeLessThan(within);
  });

  it("are 29", () => {
    expect(images).toHaveLength(29);
  });
});

describe("the BRISQUE rating", () => {
  it.each([
    [1, 320, 240, 5.739435792358222],
    [3, 192, 700, 0.14825925863704015],
    [4, 1280, 200, 2.6750373843161697],
  ])("of sample picture %i of %ix%i stays the same", async (n, width, height, score) => {
    const { grey } = await reduce(await drawPicture(n, width, height));
    expect(await brisqueScore(greyRows(grey))).toBeCloseTo(score, 12);
  });

  it("is 0 for one colour, whichever it is", async () => {
    for (const level of [0, 1, 77, 128, 254, 255]) {
      expect(await brisqueScore(grey(64, 48, () => level))).toBe(100);
    }
    expect(
      await brisqueRater(makePng({ width: 64, height: 64, fill: (index) => [9, 200, 40][index % 3] ?? 0 })),
    ).toBe(0);
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 9],
    [3, 3],
    [5, 5],
    [200, 1],
    [70_000, 2],
  ])("is 0 for %ix%i, too small to measure", async (width, height) => {
    expect(await brisqueRater(makePng({ width, height, colourType: 0 }))).toBe(0);
  });

  it("is 0 for an image that cannot be decoded", async () => {
    expect(await brisqueRater(Buffer.from("hello"))).toBe(0);
  });

  it("does not depend on how many images are measured at once", async () => {
    const many = [31, 64, 97, 130, 163, 196].map((side) =>
      grey(side, side + 7, (index) => noiseByte(index * side)),
    );
    const alone = [];
    for (const image of many) alone.push(await brisqueScore(image));
    expect(await Promise.all(many.map(brisqueScore))).toEqual(alone);
  });

  it("is the same on both sides of the kernel's longest row", async () => {
    const columns = (width: number) =>
      grey(width, 12, (index) => {
        const [x, y] = [index % width, Math.floor(index / width)];
        return 128 + 60 * Math.sin(x / 9) + (noiseByte(x + y * 70_001) & 31);
      });
    const direct = await brisqueFeatures(columns(65_536));
    const transposed = await brisqueFeatures(columns(65_537));
    expect(direct[2]).not.toBeCloseTo(direct[6] ?? 0, 1); // shifts to the right and down differ here
    // Those of the half size differ more: an odd width is not halved exactly.
    transposed.slice(0, 18).forEach((feature, index) => {
      expect(feature).toBeCloseTo(direct[index] ?? Number.NaN, 2);
    });
  });
});
