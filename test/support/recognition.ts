import { createHash } from "node:crypto";
import { featureMatcher } from "mock-cloud-reco";
import sharp from "sharp";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import type { TargetFeatures } from "../../src/recognition/extract.ts";
import { targetFeatures } from "../../src/recognition/pictures.ts";
import type { View } from "./camera.ts";
import { drawLeaves, type Grey, photograph, pngOf } from "./photographs.ts";
import { UNCOMPRESSED } from "./png.ts";
import { candidate, generator } from "./scenes.ts";

/*
 * Photographs of drawn pictures in groups, by what is difficult about them, and targets to find them among.
 */

type Between = (least: number, most: number) => number;

interface Group {
  readonly view: (between: Between) => View;
  /** What its photographs are told apart by. */
  readonly by: keyof View;
  /** Where the ranges of that end. */
  readonly buckets: readonly number[];
  /** The part that may be missed, in percent. */
  readonly missed: number;
}

const anyScale = (between: Between) => 0.2 * 7.5 ** between(0, 1);

export const GROUPS: Readonly<Record<string, Group>> = {
  "tilt to 60°": {
    view: (between) => ({ tilt: between(0, 60), scale: between(0.5, 0.9), cover: 0 }),
    by: "tilt",
    buckets: [15, 30, 45, 60],
    missed: 10,
  },
  "cover to 50 %": {
    view: (between) => ({ tilt: between(0, 30), scale: between(0.5, 0.9), cover: between(0, 0.5) }),
    by: "cover",
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5],
    missed: 10,
  },
  "scale 0.2 to 1.5": {
    view: (between) => ({ tilt: between(0, 30), scale: anyScale(between), cover: 0 }),
    by: "scale",
    buckets: [0.3, 0.5, 0.8, 1.5],
    missed: 12,
  },
  "all at once": {
    view: (between) => ({ tilt: between(0, 60), scale: anyScale(between), cover: between(0, 0.5) }),
    by: "scale",
    buckets: [0.3, 0.5, 0.8, 1.5],
    missed: 28,
  },
};

/** A photograph of a picture as a JPEG file, as cameras send it. */
export async function photographFile(
  picture: Grey,
  view: View,
  seed: number,
  frame: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  const file = await pngOf(await photograph(picture, view, seed, frame));
  return sharp(file).jpeg({ quality: 90 }).toBuffer();
}

/** Puts pictures onto a background, each over those before it. */
export async function layOut(
  pictures: readonly {
    readonly file: Buffer;
    readonly left: number;
    readonly top: number;
    readonly turn: number;
  }[],
): Promise<Buffer> {
  const laid = pictures.map(async ({ file, left, top, turn }) => ({
    input: await sharp(file)
      .ensureAlpha()
      .rotate(turn, { background: "transparent" })
      .png(UNCOMPRESSED)
      .toBuffer(),
    left,
    top,
  }));
  const background = await pngOf(drawLeaves(81_000, 800, 600));
  return sharp(background)
    .composite(await Promise.all(laid))
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** Pictures to photograph, and targets: those pictures first, then others. */
export async function drawTargets(pictures: number, others: number) {
  const drawn = Array.from({ length: pictures }, (_, index) => drawLeaves(20_000 + index));
  const targets: ComparedTarget[] = [];
  for (const [index, picture] of drawn.entries()) targets.push(candidate(await pngOf(picture), `${index}`));
  for (let index = 0; index < others; index++)
    targets.push(candidate(await pngOf(drawLeaves(30_000 + index, 320, 240)), `other ${index}`));
  for (const { image } of targets) await targetFeatures.of(image);
  targetFeatures.clear();
  return { drawn, targets };
}

/** Whether a photograph of a target's picture is found, of `most` results. @throws Error when another target matches. */
export async function finds(
  photo: Buffer,
  targets: readonly ComparedTarget[],
  targetId: string,
  most = 10,
): Promise<boolean> {
  const { matches } = await rankTargets(featureMatcher, photo, targets, most);
  const wrong = matches.filter(({ target }) => target.targetId !== targetId);
  if (wrong.length > 0) {
    const what = wrong
      .map(({ target, recognition }) => `${target.targetId} (${recognition?.why})`)
      .join(", ");
    throw new Error(`a photograph of ${targetId} matched ${what}`);
  }
  return matches.length > 0;
}

/** How many photographs of a group were found, in all and by bucket. */
export async function recallOf(
  group: Group,
  photographs: number,
  { drawn, targets }: Awaited<ReturnType<typeof drawTargets>>,
  frame: { readonly width: number; readonly height: number },
) {
  const random = generator(30);
  const between = (least: number, most: number) => least + random() * (most - least);
  const buckets = group.buckets.map((end) => ({ end, found: 0, all: 0 }));
  let found = 0;
  for (let index = 0; index < photographs; index++) {
    const shown = Math.floor(random() * drawn.length);
    const picture = drawn[shown];
    if (!picture) continue;
    const view = group.view(between);
    const photo = await photographFile(picture, view, shown * 100 + index, frame);
    const bucket = buckets.find(({ end }) => view[group.by] <= end);
    const isFound = await finds(photo, targets, `${shown}`);
    if (isFound) found += 1;
    if (bucket) {
      bucket.all += 1;
      if (isFound) bucket.found += 1;
    }
  }
  return { found, buckets };
}

/** Bits of each feature's code that are changed at random. */
const CHANGED_BITS = 20;

/** Targets whose features are those of others, mixed and changed a little: drawing so many would take hours. */
export function mixTargets(given: readonly ComparedTarget[], count: number): ComparedTarget[] {
  const random = generator(31);
  const below = (limit: number) => Math.floor(random() * limit);
  const known = given.map(({ image }) => targetFeatures.of(image) as TargetFeatures);
  return Array.from({ length: count }, (_, number) => {
    const like = known[number % known.length] as TargetFeatures;
    const frames = new Uint16Array(like.count * 4);
    const codes = new Uint8Array(like.count * 32);
    for (let index = 0; index < like.count; index++) {
      const from = known[below(known.length)] as TargetFeatures;
      const isDark = index < like.dark;
      const [start, size] = isDark ? [0, from.dark] : [from.dark, from.count - from.dark];
      if (size === 0) continue;
      const taken = start + below(size);
      frames.set(from.frames.subarray(taken * 4, taken * 4 + 4), index * 4);
      codes.set(from.codes.subarray(taken * 32, taken * 32 + 32), index * 32);
      for (let bit = 0; bit < CHANGED_BITS; bit++) {
        const at = index * 32 + below(32);
        codes[at] = (codes[at] ?? 0) ^ (1 << below(8));
      }
    }
    // Moved on by some pixels, so that it is no copy of another one.
    const moved = below(like.small.length);
    const small = new Uint8Array([...like.small.subarray(moved), ...like.small.subarray(0, moved)]);
    const sha256 = createHash("sha256").update(`mixed ${number}`).digest("hex");
    const target = candidate(Buffer.from(sha256), `mixed ${number}`);
    targetFeatures.begin(target.image.sha256, async () => ({ ...like, frames, codes, small }));
    targetFeatures.of(target.image);
    return target;
  });
}
