import { monitorEventLoopDelay } from "node:perf_hooks";
import { featureMatcher } from "mock-cloud-reco";
import { latestFeatures } from "../../src/images/cache.ts";
import type { ComparedTarget } from "../../src/images/matching/comparison.ts";
import { targetFeatures } from "../../src/images/matching/features/rank.ts";
import { rankTargets } from "../../src/images/matching/ranking.ts";
import { drawLeaves, photograph, pngOf, type View } from "../support/photographs.ts";
import { candidate, generator } from "../support/scenes.ts";
import type { Bench, Comparison } from "./measure.ts";

/** Photographs of each group, pictures that they show, and pictures beside those that are targets too. */
const [PHOTOGRAPHS, PICTURES, OTHERS] = [30, 60, 940];

const random = generator(30);
const between = (least: number, most: number) => least + random() * (most - least);
const anyScale = () => 0.2 * 7.5 ** random();

/** What is difficult about the photographs of a group, and the part of them that may be missed, in percent. */
const GROUPS: Readonly<Record<string, { readonly view: () => View; readonly missed: number }>> = {
  "tilt to 60°": { view: () => ({ tilt: between(0, 60), scale: between(0.5, 0.9), cover: 0 }), missed: 10 },
  "cover to 50 %": {
    view: () => ({ tilt: between(0, 30), scale: between(0.5, 0.9), cover: between(0, 0.5) }),
    missed: 10,
  },
  "scale 0.2 to 1.5": { view: () => ({ tilt: between(0, 30), scale: anyScale(), cover: 0 }), missed: 12 },
  "all at once": {
    view: () => ({ tilt: between(0, 60), scale: anyScale(), cover: between(0, 0.5) }),
    missed: 28,
  },
};

/** Finding drawn pictures in photographs of them, among 1000 targets. */
export const bench: Bench = {
  run: async () => {
    const drawn = Array.from({ length: PICTURES }, (_, index) => drawLeaves(20_000 + index));
    const targets: ComparedTarget[] = [];
    for (const [index, picture] of drawn.entries()) targets.push(candidate(await pngOf(picture), `${index}`));
    for (let index = 0; index < OTHERS; index++) {
      targets.push(candidate(await pngOf(drawLeaves(30_000 + index, 320, 240)), `other ${index}`));
    }
    for (const { image } of targets) await targetFeatures.of(image);
    latestFeatures.clear();
    const times: number[] = [];
    const comparisons: Comparison[] = [];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    for (const [name, { view, missed }] of Object.entries(GROUPS)) {
      let found = 0;
      for (let index = 0; index < PHOTOGRAPHS; index++) {
        const shown = Math.floor(random() * PICTURES);
        const picture = drawn[shown];
        if (!picture) continue;
        const query = await pngOf(
          await photograph(picture, view(), shown * 100 + index, { width: 1280, height: 960 }),
        );
        delay.enable();
        const start = performance.now();
        const { matches } = await rankTargets(featureMatcher, query, targets, 10);
        times.push(performance.now() - start);
        delay.disable();
        const wrong = matches.filter(({ target }) => target.targetId !== `${shown}`);
        if (wrong.length > 0) {
          const what = wrong
            .map(({ target, recognition }) => `${target.targetId} (${recognition?.why})`)
            .join(", ");
          throw new Error(`${name}: the photograph ${index} of picture ${shown} matched ${what}`);
        }
        found += matches.length;
      }
      comparisons.push({
        name: `photographs missed of ${PHOTOGRAPHS}: ${name}`,
        milliseconds: 100 - (100 * found) / PHOTOGRAPHS,
        unit: "%",
        baseline: `${missed} %`,
        baselineMilliseconds: missed,
        atLeast: 1,
      });
    }
    times.sort((a, b) => a - b);
    return [
      ...comparisons,
      {
        name: `a query of 1280x960 pixels among ${targets.length} targets, decoding included (median)`,
        milliseconds: times[times.length >> 1] ?? 0,
        baseline: "60 ms",
        baselineMilliseconds: 60,
        atLeast: 1,
      },
      {
        name: "the event loop blocked by such queries, 99th percentile",
        milliseconds: delay.percentile(99) / 1e6,
        baseline: "10 ms",
        baselineMilliseconds: 10,
        atLeast: 1,
      },
    ];
  },
};
