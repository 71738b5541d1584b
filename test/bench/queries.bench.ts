import { exactMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { preparedImages } from "../../src/images/cache.ts";
import { goodPlan, imagePart } from "../../src/verify/query-plan.ts";
import { sendPlan } from "../protocol/query/send.ts";
import { makePng } from "../support/png.ts";
import { scenePixels } from "../support/scenes.ts";
import { type Bench, type Comparison, leastTime } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

const SIZES = [1, 10, 100, 1000, 10_000];

const picture = (seed: number): Promise<Buffer> =>
  sharp(scenePixels(seed, 64, 48), { raw: { width: 64, height: 48, channels: 3 } })
    .jpeg()
    .toBuffer();

/** Whole queries over growing databases, with default settings for memory. */
export const bench: Bench = {
  run: async () => [...(await growingDatabases()), ...(await fullJournal())],
};

async function growingDatabases(): Promise<Comparison[]> {
  await using mock = new MockCloudReco({
    processingTimeSeconds: 0,
    targetRater: perfectRater,
    queryContentEncoding: "identity",
    journalCapacity: 10,
  });
  const comparisons: Comparison[] = [];
  let perTarget: number | undefined;
  for (const size of SIZES) {
    const before = usedMegabytes() - preparedImages.use.bytes / 1e6;
    const database = mock.addCloudDatabase({ targetQuota: size });
    let imageBytes = 0;
    for (let index = 0; index < size; index++) {
      const image = await picture(index);
      imageBytes += image.length;
      await mock.addTarget(database, { name: String(index), image });
    }
    const image = await picture(size + 1);
    const query = () => {
      const plan = goodPlan(new Date(Date.now()));
      plan.parts = [imagePart(image)];
      return sendPlan(mock, database, plan);
    };
    if (size === 1000) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const start = performance.now();
      await query();
      const first = performance.now() - start;
      await query();
      comparisons.push({
        name: "the first query over 1000 targets, a second after they were added",
        milliseconds: first,
        baseline: "the second",
        baselineMilliseconds: performance.now() - start - first,
        atLeast: 0.5,
      });
    }
    const milliseconds = await leastTime(3, query);
    perTarget ??= milliseconds;
    comparisons.push({
      name: `a query over ${size} targets`,
      milliseconds,
      baseline: `${size} queries over 1 target`,
      baselineMilliseconds: perTarget * size,
    });
    if (size >= 1000) {
      const megabytes = usedMegabytes() - (preparedImages.use.bytes + imageBytes) / 1e6 - before;
      comparisons.push({
        name: `memory of ${size} targets, beside images and pixels`,
        milliseconds: megabytes,
        baseline: "24 kB a target",
        baselineMilliseconds: size * 0.024,
        unit: "MB",
        atLeast: 1,
      });
    }
    mock.deleteDatabase(database);
  }
  return comparisons;
}

/** What 20,000 requests over 10,000 targets leave behind in a full journal, every tenth of them a query. */
async function fullJournal(): Promise<Comparison[]> {
  await using mock = new MockCloudReco({
    processingTimeSeconds: 0,
    targetRater: perfectRater,
    queryMatcher: exactMatcher,
  });
  const database = mock.addCloudDatabase({ targetQuota: 10_000 });
  const image = makePng();
  for (let index = 0; index < 10_000; index++) await mock.addTarget(database, { image });
  const send = async (times: number) => {
    for (let number = 0; number < times; number++) {
      if (number % 10 > 0) await fetch(`${mock.urls.target}/summary`);
      else await sendPlan(mock, database, goodPlan(new Date()));
    }
  };
  await send(100);
  const before = usedMegabytes();
  await send(20_000);
  return [
    {
      name: "memory of a full journal after 20000 requests over 10000 targets",
      milliseconds: usedMegabytes() - before,
      baseline: "64 MB",
      baselineMilliseconds: 64,
      unit: "MB",
      atLeast: 1,
    },
  ];
}
