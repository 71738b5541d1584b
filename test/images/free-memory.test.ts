import sharp from "sharp";
import { expect, it } from "vitest";
import { freeMemory } from "../../src/core/general/free-memory.ts";

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
