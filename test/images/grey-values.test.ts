import fc from "fast-check";
import sharp from "sharp";
import { expect, it } from "vitest";
import { decodePixels } from "../../src/core/images/decode.ts";
import { deviatesMoreThan, reduce } from "../../src/core/images/measures.ts";

/** The definition: Y of ITU-R 601 in 1/32768, as OpenCV rounds it, and the mean of the channels' population deviations. */
function reduced(pixels: Buffer): { grey: number[]; deviation: number } {
  const channels = [0, 1, 2].map((channel) => [...pixels].filter((_, index) => index % 3 === channel));
  const [reds = [], greens = [], blues = []] = channels;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviations = channels.map((values) => {
    return Math.sqrt(Math.max(0, mean(values.map((value) => value ** 2)) - mean(values) ** 2));
  });
  const grey = reds.map((red, at) => {
    return (red * 9798 + (greens[at] ?? 0) * 19235 + (blues[at] ?? 0) * 3735 + 16384) >> 15;
  });
  return { grey, deviation: (deviations[0] ?? 0) / 3 + (deviations[1] ?? 0) / 3 + (deviations[2] ?? 0) / 3 };
}

async function decode(pixels: Buffer, width: number, height: number) {
  const png = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  const reduced = await decodePixels(png, reduce);
  if ("damage" in reduced) throw new Error(reduced.damage);
  return reduced;
}

it("reduces pixels of any image to the defined grey values and deviation", async () => {
  const image = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 8 }))
    .chain(([width, height]) => {
      const byte = fc.oneof(fc.constantFrom(0, 255), fc.nat({ max: 255 }));
      const length = 3 * width * height;
      return fc.record({
        width: fc.constant(width),
        height: fc.constant(height),
        bytes: fc.array(byte, { minLength: length, maxLength: length }),
      });
    });
  await fc.assert(
    fc.asyncProperty(image, async ({ width, height, bytes }) => {
      const pixels = Buffer.from(bytes);
      const expected = reduced(pixels);
      const { grey, deviation } = await decode(pixels, width, height);
      expect([...grey.data]).toEqual(expected.grey);
      expect(deviation).toBeCloseTo(expected.deviation, 9);
    }),
  );
});

it("reduces images of several slices, up to the largest sums that a slice can have", async () => {
  const [width, height] = [1000, 250];
  const pixels = Buffer.alloc(3 * width * height, 255);
  pixels.fill(0, 0, 3 * width * 50);
  const { grey, deviation } = await decode(pixels, width, height);
  expect(Buffer.from(grey.data).equals(Buffer.alloc(width * height, 255).fill(0, 0, width * 50))).toBe(true);
  // A fifth of the values is 0, the rest 255.
  expect(deviation).toBeCloseTo(255 * Math.sqrt(0.2 * 0.8), 9);
});

it("compares the deviation with a limit, wherever in the image the pixels deviate", async () => {
  const [width, height] = [400, 300];
  const image = fc.record({
    from: fc.nat({ max: width * height - 1 }),
    length: fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: width * height })),
    colours: fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 255 })),
  });
  await fc.assert(
    fc.asyncProperty(image, async ({ from, length, colours: [ground, other] }) => {
      const data = Buffer.alloc(3 * width * height, ground).fill(
        other,
        3 * from,
        3 * Math.min(from + length, width * height),
      );
      const { deviation } = await reduce({ data, width, height });
      for (const limit of [deviation, deviation - 1e-9, deviation + 1e-9, 5])
        expect(await deviatesMoreThan(limit, { data, width, height })).toBe(deviation > limit);
    }),
    { numRuns: 40 },
  );
});
