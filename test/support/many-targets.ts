import { createHash } from "node:crypto";
import sharp from "sharp";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { sketches as preparedSketches } from "../../src/core/images/matching/ranking.ts";
import { prepareWithSketch, type Sketch } from "../../src/core/images/matching/similarity.ts";
import { sceneThumbnail } from "./thumbnails.ts";

const SIDE = 256;
const SCENES = 40;

/** Draws the thumbnail of the target with a given number. */
export type DrawThumbnail = (number: number) => Buffer;

/** Images that do not match each other: shifted scenes, every other sixteen of them inverted. */
export function strangers(): DrawThumbnail {
  const scenes = Array.from({ length: SCENES }, (_, seed) => sceneThumbnail(seed + 100));
  return (number) => {
    const scene = scenes[number % SCENES] ?? Buffer.alloc(0);
    const start = 3 * (SIDE * ((number * 37) % SIDE) + ((number * 101) % SIDE));
    const moved = Buffer.concat([scene.subarray(start), scene.subarray(0, start)]);
    if ((number >> 4) & 1) {
      for (const [index, value] of moved.entries()) moved[index] = 255 - value;
    }
    return moved;
  };
}

/** Images that all match each other: one scene, with a square in a different place in each. */
export function likes(): DrawThumbnail {
  const scene = sceneThumbnail(1);
  return (number) => {
    const drawn = Buffer.from(scene);
    const [left, top] = [(number * 7) % (SIDE - 40), (number * 13) % (SIDE - 40)];
    for (let row = top; row < top + 40; row++) {
      drawn.fill((number * 31) % 256, 3 * (row * SIDE + left), 3 * (row * SIDE + left + 40));
    }
    return drawn;
  };
}

/** So many different images are drawn; more targets repeat them, each with memory of its own. */
const DRAWN = 10_000;

/**
 * Targets that are ready to be compared. They are drawn instead of decoded, which would take most of the time.
 * @param kind - distinguishes images of different kinds.
 */
export function manyTargets(count: number, kind: string, draw: DrawThumbnail): ComparedTarget[] {
  const sketches: Sketch[] = [];
  return Array.from({ length: count }, (_, number) => {
    const drawn = number % DRAWN;
    const sha256 = createHash("sha256").update(`${kind} ${number}`).digest("hex");
    const image = { sha256, bytes: () => encodeThumbnail(draw(drawn)) };
    const known = sketches[drawn];
    const sketch = known === undefined ? prepareWithSketch(draw(drawn)).sketch : structuredClone(known);
    if (known === undefined) sketches.push(sketch);
    preparedSketches.begin(sha256, async () => sketch);
    preparedSketches.prepare(image, () => true);
    return { targetId: String(number), name: String(number), applicationMetadata: null, image };
  });
}

/** A PNG of a thumbnail. */
export function encodeThumbnail(pixels: Buffer): Promise<Buffer> {
  const raw = { width: SIDE, height: SIDE, channels: 3 as const };
  return sharp(pixels, { raw }).png({ compressionLevel: 1 }).toBuffer();
}
