import { monitorEventLoopDelay } from "node:perf_hooks";
import { featureRater } from "mock-cloud-reco";
import sharp from "sharp";
import { drawLeaves, type Grey, pngOf } from "../support/photographs.ts";
import { drawTargets, finds, GROUPS, mixTargets, photographFile, recallOf } from "../support/recognition.ts";
import { candidate } from "../support/scenes.ts";
import { type Bench, type Comparison, median } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

/** Photographs of each group, pictures that they show, and pictures beside those that are targets too. */
const [PHOTOGRAPHS, PICTURES, OTHERS] = [30, 60, 940];
/** As cameras are used for this. */
const FRAME = { width: 1280, height: 960 };
const VIEW = { tilt: 30, scale: 0.6, cover: 0.1 };
/** How many targets a query is timed among, and how long it may take, in milliseconds. */
const SIZES = new Map([
  [100, 60],
  [1000, 60],
  [10_000, 100],
  [100_000, 400],
]);
const TIMED = 12;
/** How many targets' memory is measured. */
const WEIGHED = 20_000;
const OF_A_HARD_KIND = 6;

/** Finding drawn pictures in photographs of them. */
export const bench: Bench = {
  run: async () => {
    const drawn = await drawTargets(PICTURES, OTHERS);
    return [
      ...(await recall(drawn)),
      ...(await hardKinds(drawn.targets)),
      ...(await bySize(drawn.drawn, drawn.targets)),
    ];
  },
};

async function recall(drawn: Awaited<ReturnType<typeof drawTargets>>): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const [name, group] of Object.entries(GROUPS)) {
    const { found, buckets } = await recallOf(group, PHOTOGRAPHS, drawn, FRAME);
    comparisons.push({
      ...missedRow(name, found, PHOTOGRAPHS, group.missed),
      atLeast: 1,
    });
    for (const { end, found, all } of buckets.filter(({ all }) => all > 0))
      comparisons.push(missedRow(`${name}: ${group.by} up to ${end}`, found, all, group.missed));
  }
  return comparisons;
}

function missedRow(name: string, found: number, all: number, mayBeMissed: number): Comparison {
  return {
    name: `photographs missed of ${all}: ${name}`,
    milliseconds: 100 - (100 * found) / all,
    unit: "%",
    baseline: "may be missed",
    baselineMilliseconds: mayBeMissed,
  };
}

/** Pictures that are hard to recognise, and the stars that `featureRater` gives them. */
async function hardKinds(others: readonly ReturnType<typeof candidate>[]): Promise<Comparison[]> {
  const [width, height] = [480, 360];
  const draw = (greyAt: (x: number, y: number) => number): Grey => ({
    data: Uint8Array.from({ length: width * height }, (_, at) => greyAt(at % width, Math.floor(at / width))),
    width,
    height,
  });
  const [leaves, motif] = [drawLeaves(40_001, width, height), drawLeaves(40_002, 60, 60)];
  const blurred = await sharp(leaves.data, { raw: { width, height, channels: 1 } })
    .blur(5)
    .toColourspace("b-w")
    .raw()
    .toBuffer();
  const isIn = (x: number, y: number, left: number, top: number, side: number) =>
    x >= left && x < left + side && y >= top && y < top + side;
  const kinds: Readonly<Record<string, Grey>> = {
    chessboard: draw((x, y) => ((Math.floor(x / 30) + Math.floor(y / 30)) % 2) * 255),
    "one motif in 48 tiles": draw((x, y) => motif.data[(y % 60) * 60 + (x % 60)] ?? 0),
    "strong blur": { data: blurred, width, height },
    "three flat shapes": draw((x, y) =>
      Math.hypot(x - 150, y - 150) < 90
        ? 40
        : isIn(x, y, 230, 60, 130) || isIn(x, y, 120, 250, 60)
          ? 150
          : 245,
    ),
  };
  const comparisons: Comparison[] = [];
  for (const [name, picture] of Object.entries(kinds)) {
    const file = await pngOf(picture);
    const targets = [candidate(file, name), ...others];
    let found = 0;
    for (let index = 0; index < OF_A_HARD_KIND; index++)
      if (await finds(await photographFile(picture, VIEW, index, FRAME), targets, name)) found += 1;
    const stars = await featureRater(file);
    const row = missedRow(`${name} (${stars} stars)`, found, OF_A_HARD_KIND, 100);
    comparisons.push(row);
  }
  return comparisons;
}

/** Times among more and more targets, how long they hold the event loop, and what they take. */
async function bySize(
  drawn: readonly Grey[],
  given: readonly ReturnType<typeof candidate>[],
): Promise<Comparison[]> {
  const photos: Buffer[] = [];
  for (const [index, picture] of drawn.slice(0, TIMED).entries())
    photos.push(await photographFile(picture, VIEW, index, FRAME));
  const before = await usedMegabytes();
  let mixed = mixTargets(given, WEIGHED);
  const megabytes = (await usedMegabytes()) - before;
  const comparisons: Comparison[] = [
    {
      name: `features of ${mixed.length} targets, without their index`,
      milliseconds: megabytes,
      unit: "MB",
      baseline: "26 kB a target",
      baselineMilliseconds: mixed.length * 0.026,
      atLeast: 1,
    },
  ];
  for (const [size, milliseconds] of SIZES) {
    // No more than are searched, because the garbage collector stops for longer the more there are.
    mixed = mixTargets(given, Math.max(0, size - given.length));
    const targets = [...given.slice(0, size), ...mixed];
    const [first] = photos;
    // Once for the index
    if (first) await finds(first, targets, "0");
    const times: number[] = [];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    for (const [index, photo] of photos.entries()) {
      delay.enable();
      const start = performance.now();
      const isFound = await finds(photo, targets, `${index}`, 1);
      times.push(performance.now() - start);
      delay.disable();
      if (!isFound) throw new Error(`the picture ${index} was not found among ${size}`);
    }
    comparisons.push(
      {
        name: `a query of ${FRAME.width}x${FRAME.height} pixels for one result among ${size} targets, decoding included`,
        milliseconds: median(times),
        baseline: `${milliseconds} ms`,
        baselineMilliseconds: milliseconds,
        atLeast: 1,
      },
      {
        name: `the event loop blocked by queries among ${size} targets, 99.9th percentile`,
        milliseconds: delay.percentile(99.9) / 1e6,
        baseline: "10 ms",
        baselineMilliseconds: 10,
        atLeast: 1,
      },
    );
  }
  return comparisons;
}
