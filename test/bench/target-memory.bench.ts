import { featureMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { preparedImages } from "../../src/core/images/cache.ts";
import { results } from "../protocol/query/send.ts";
import { drawLeaves, pngOf } from "../support/photographs.ts";
import type { Bench, Comparison } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

const TARGETS = 500;
const DRAWN = 100;
const FILE_BYTES = 65_000;

/** What targets hold, of the size of their files, besides pixels that `imageCacheBytes` allows; and what the first query costs. */
export const bench: Bench = {
  run: async () => [
    ...(await held("featureMatcher", 2, { queryMatcher: featureMatcher })),
    ...(await held("the default matcher", 1.5, {})),
  ],
};

async function held(name: string, atMost: number, options: object): Promise<Comparison[]> {
  await using mock = new MockCloudReco({ targetRater: perfectRater, ...options });
  const keys = mock.addCloudDatabase();
  const { urls } = mock;
  const clock = new ManualClock(mock.clock.now());
  const files = await drawFiles(name);
  const add = (index: number) => {
    // Another file each, of the same size
    const image = Buffer.concat(
      [files[index % DRAWN] ?? Buffer.alloc(0), Buffer.from(`${name} ${index}`)],
      FILE_BYTES,
    );
    return mock.addTarget(keys, { name: `${name} ${index}`, image, processed: true });
  };
  const query = async (number: number) => {
    const start = process.cpuUsage();
    await results(
      { urls, clock },
      keys,
      Buffer.concat([files[0] ?? Buffer.alloc(0), Buffer.from(`query ${number}`)]),
    );
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  await add(TARGETS);
  await query(0);
  mock.clearRequests();
  const before = usedMegabytes();
  for (let index = 0; index < TARGETS; index++) await add(index);
  const first = await query(1);
  const [second, third, fourth] = [await query(2), await query(3), await query(4)];
  mock.clearRequests();
  const megabytes = usedMegabytes() - before - preparedImages.use.bytes / 1e6;
  const bytes = (TARGETS * FILE_BYTES) / 1e6;
  return [
    {
      name: `memory of ${TARGETS} targets of ${FILE_BYTES / 1000} kB with ${name}, without pixels of the cache`,
      milliseconds: megabytes,
      unit: "MB",
      baseline: `${atMost} times their files`,
      baselineMilliseconds: atMost * bytes,
      atLeast: 1,
    },
    {
      name: `CPU time of the first query after ${TARGETS} additions with ${name}`,
      milliseconds: first,
      baseline: "1.5 times the next ones",
      baselineMilliseconds: (1.5 * (second + third + fourth)) / 3,
      atLeast: 1,
    },
  ];
}

/** Different pictures as JPEG files. */
const drawFiles = (name: string) =>
  Promise.all(
    Array.from({ length: DRAWN }, async (_, index) =>
      sharp(await pngOf(drawLeaves(90_000 + name.length * 100 + index, 480, 360)))
        .jpeg({ quality: 80 })
        .toBuffer(),
    ),
  );
