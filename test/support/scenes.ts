import { createHash } from "node:crypto";
import type { ImageMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import { UNCOMPRESSED } from "./png.ts";

/** A picture of overlapping shapes and texture, drawn from a seed, which replaces photographs in tests. */
export async function scene(seed: number, width = 320, height = 240): Promise<Buffer> {
  return sharp(scenePixels(seed, width, height), { raw: { width, height, channels: 3 } })
    .png(UNCOMPRESSED)
    .toBuffer();
}

/** The RGB bytes of {@link scene}. */
export function scenePixels(seed: number, width: number, height: number): Buffer {
  const random = generator(seed);
  const pixels = new Uint8ClampedArray(width * height * 3);
  const waves = [0, 1, 2].map(() => [random() * 0.1, random() * 0.1, random() * 6]);
  const blobs = Array.from({ length: 40 }, () => ({
    x: random() * width,
    y: random() * height,
    radius: (0.03 + random() * 0.15) * width,
    square: random() > 0.5,
    colour: [random() * 255, random() * 255, random() * 255],
    texture: random() * 40,
  }));
  // What lies behind first: drawing takes a fraction of the time of asking every blob about every pixel.
  const seen: ((typeof blobs)[number] | undefined)[] = Array.from({ length: width * height });
  for (const blob of blobs.reverse()) {
    const [left, right] = [Math.max(0, Math.floor(blob.x - blob.radius)), blob.x + blob.radius];
    const [top, bottom] = [Math.max(0, Math.floor(blob.y - blob.radius)), blob.y + blob.radius];
    for (let y = top; y < height && y <= bottom; y++)
      for (let x = left; x < width && x <= right; x++) if (covers(blob, x, y)) seen[y * width + x] = blob;
  }
  const waveAt = (channel: number, x: number, y: number): number => {
    const [fx = 0, fy = 0, phase = 0] = waves[channel] ?? [];
    return 128 + 60 * Math.sin((x * fx * 320) / width + (y * fy * 320) / width + phase);
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const blob = seen[y * width + x];
      const grain = (random() - 0.5) * (4 + (blob?.texture ?? 0) * 0.4);
      for (let channel = 0; channel < 3; channel++) {
        const colour = blob === undefined ? waveAt(channel, x, y) : (blob.colour[channel] ?? 0);
        pixels[(y * width + x) * 3 + channel] = Math.floor(colour + grain + 0.5);
      }
    }
  }
  return Buffer.from(pixels.buffer);
}

interface Blob {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly square: boolean;
}

function covers(blob: Blob, x: number, y: number): boolean {
  const dx = Math.abs(x - blob.x);
  const dy = Math.abs(y - blob.y);
  return blob.square ? Math.max(dx, dy) < blob.radius : dx * dx + dy * dy < blob.radius * blob.radius;
}

/** The same picture with red and blue swapped. */
export async function recolour(image: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let index = 0; index < data.length; index += 3) {
    const red = data[index] ?? 0;
    data[index] = data[index + 2] ?? 0;
    data[index + 2] = red;
  }
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
    .png(UNCOMPRESSED)
    .toBuffer();
}

/** An image as a target to compare with. */
export function candidate(bytes: Buffer, targetId = "0".repeat(32)): ComparedTarget {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    targetId,
    name: `name-${targetId}`,
    applicationMetadata: null,
    image: { sha256, bytes: () => bytes },
  };
}

/** The score of each target in order, or null for no match. */
export async function scoresOf(
  matcher: ImageMatcher,
  query: Buffer,
  targets: readonly ComparedTarget[],
): Promise<(number | null)[]> {
  const { matches } = await rankTargets(matcher, query, targets);
  const scores = new Map(matches.map(({ target, score }) => [target, score]));
  return targets.map((target) => scores.get(target) ?? null);
}

/** Pseudo-random numbers from 0 to 1 for a seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
