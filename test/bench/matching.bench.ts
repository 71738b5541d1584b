import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  brisqueRater,
  createStructuralSimilarityMatcher,
  MockCloudReco,
  structuralSimilarityMatcher,
} from "mock-cloud-reco";
import sharp from "sharp";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { rankTargets, sketches } from "../../src/core/images/matching/ranking.ts";
import { encodeThumbnail, likes, manyTargets, strangers } from "../support/many-targets.ts";
import { scene } from "../support/scenes.ts";
import { type Bench, type Comparison, leastTime } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

/** Until the kernel is optimised, the first dozen of searches among a thousand take a third longer. */
const REPETITIONS = new Map([
  [1, 50],
  [100, 50],
  [1000, 50],
  [10_000, 7],
  [100_000, 3],
]);
const MOST = 10;
/** So many that the 99.9th percentile is not the one worst moment. */
const PHOTOGRAPHS = 12;

/** Comparing an image with many targets, with the default bound of memory; without requests around it. */
export const bench: Bench = {
  // Blocking first: the garbage of 100,000 targets would be part of it.
  run: async () => [...(await blocking()), ...(await comparingStrangers()), ...(await comparingLikes())],
};

const search = (image: Buffer, targets: ComparedTarget[], matcher = structuralSimilarityMatcher) =>
  rankTargets(matcher, image, targets, MOST);

async function comparingStrangers(): Promise<Comparison[]> {
  const query = await scene(7);
  const draw = strangers();
  manyTargets(1, "first", draw);
  const before = await usedMegabytes();
  const targets = manyTargets(Math.max(...REPETITIONS.keys()), "stranger", draw);
  sketches.clear();
  const megabytes = (await usedMegabytes()) - before;
  const comparisons: Comparison[] = [
    {
      name: `memory of ${targets.length} targets, beside their images`,
      milliseconds: megabytes,
      unit: "MB",
      baseline: "24 kB a target",
      baselineMilliseconds: targets.length * 0.024,
      atLeast: 1,
    },
  ];
  let perTargetOfThousand = 0;
  for (const [size, repetitions] of REPETITIONS) {
    const some = targets.slice(0, size);
    const milliseconds = (await leastTime(repetitions, () => search(query, some))) / size;
    if (size === 1000) perTargetOfThousand = milliseconds;
    const name = `one of ${size} strangers`;
    comparisons.push({
      name,
      milliseconds,
      baseline: "15 µs",
      baselineMilliseconds: 0.015,
      ...(size >= 1000 && { atLeast: 1 }),
    });
    if (size > 1000) {
      const baseline = { baseline: "one of 1000", baselineMilliseconds: perTargetOfThousand };
      comparisons.push({ name, milliseconds, ...baseline, atLeast: 1 / 1.2 });
    }
  }
  const thousand = targets.slice(0, 1000);
  for (const threshold of [0.3, 0.9]) {
    const matcher = createStructuralSimilarityMatcher({ threshold });
    comparisons.push({
      name: `one of 1000 strangers, threshold ${threshold}`,
      milliseconds: (await leastTime(5, () => search(query, thousand, matcher))) / thousand.length,
      baseline: "threshold 0.6",
      baselineMilliseconds: perTargetOfThousand,
    });
  }
  return comparisons;
}

/** The worst query: all targets match, so that no sketch rejects any. */
async function comparingLikes(): Promise<Comparison[]> {
  const draw = likes();
  const [alike, different] = [
    manyTargets(10_000, "like", draw),
    manyTargets(10_000, "stranger", strangers()),
  ];
  const query = await encodeThumbnail(draw(4711));
  const milliseconds = await leastTime(5, () => search(query, alike));
  const baselineMilliseconds = await leastTime(5, () => search(query, different));
  const baseline = { baseline: "strangers", baselineMilliseconds, atLeast: 1 / 3 };
  return [{ name: `the best ${MOST} of 10000 targets that all match`, milliseconds, ...baseline }];
}

/** How long the event loop is blocked while photographs of 12 megapixels are added and queries run. */
async function blocking(): Promise<Comparison[]> {
  const photographs = await Promise.all(
    Array.from({ length: PHOTOGRAPHS }, async (_, seed) =>
      sharp(await scene(seed, 500, 375))
        .resize(4000, 3000)
        .jpeg({ quality: 80 })
        .toBuffer(),
    ),
  );
  const targets = manyTargets(10_000, "stranger", strangers());
  const query = await scene(7);
  await search(query, targets);
  await using mock = new MockCloudReco({ targetRater: brisqueRater });
  const database = mock.addCloudDatabase();
  // What happens once in a process, such as loading the decoder, is not part of it.
  await mock.addTarget(database, { image: query });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let isAdding = true;
  const searching = async () => {
    while (isAdding) await search(query, targets);
  };
  delay.enable();
  await Promise.all([
    searching(),
    Promise.all(photographs.map((image) => mock.addTarget(database, { image }))).finally(() => {
      isAdding = false;
    }),
  ]);
  delay.disable();
  return [
    {
      name: "the event loop blocked, 99.9th percentile: photographs added, 10000 targets searched",
      milliseconds: delay.percentile(99.9) / 1e6,
      baseline: "10 ms",
      baselineMilliseconds: 10,
      atLeast: 1,
    },
  ];
}
