import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MockCloudReco, perfectRater } from "mock-cloud-reco";
import { goodPlan, imagePart } from "../apis/query/plan.ts";
import { sendPlan } from "../apis/query/send.ts";
import { makePng } from "../support/png.ts";
import { type Bench, type Comparison, leastTime } from "./measure.ts";

const SIZES = [1, 10, 100, 1000, 10_000];
const MEGABYTE = 1_000_000;

const picture = (seed: number): Buffer =>
  makePng({ fill: (index) => (Math.imul(index + 1, 2654435761 + 2 * seed) >>> 13) & 255 });

/** Whole queries over growing databases, prepared images included in the memory but not in the time. */
export const bench: Bench = {
  async run() {
    await using mock = new MockCloudReco({
      processingTimeSeconds: 0,
      targetRater: perfectRater,
      queryContentEncoding: "identity",
      imageCacheBytes: 4_000 * MEGABYTE,
      journalCapacity: 10,
    });
    const comparisons: Comparison[] = [];
    let perTarget: number | undefined;
    for (const size of SIZES) {
      const before = usedMegabytes();
      const database = mock.addCloudDatabase({ targetQuota: size });
      for (let index = 0; index < size; index++) {
        await mock.addTarget(database, { name: String(index), image: picture(index) });
      }
      const query = () => {
        const plan = goodPlan(new Date(Date.now()));
        plan.parts = [imagePart(picture(size + 1))];
        return sendPlan(mock, database, plan);
      };
      const milliseconds = await leastTime(3, query);
      perTarget ??= milliseconds;
      comparisons.push({
        name: `a query over ${size} targets`,
        milliseconds,
        baseline: `${size} queries over 1 target`,
        baselineMilliseconds: perTarget * size,
      });
      if (size >= 1000) {
        comparisons.push({
          name: `memory of ${size} targets, prepared for matching`,
          milliseconds: usedMegabytes() - before,
          baseline: "250 kB a target",
          baselineMilliseconds: size * 0.25,
          unit: "MB",
          atLeast: 1,
        });
      }
      mock.deleteDatabase(database);
    }
    return comparisons;
  },
};

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MEGABYTE;
}
