import { featureMatcher, type ImageMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { preparedImages } from "../../src/core/images/cache.ts";
import { results } from "../protocol/query/send.ts";
import { drawLeaves } from "../support/photographs.ts";
import type { Bench, Comparison } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

const TARGETS = 500;
const DRAWN = 100;
const FILE_BYTES = 65_000;

/** What targets hold, of the size of their files, besides pixels that `imageCacheBytes` allows; and what the first query costs. */
export const bench: Bench = {
  run: async () => [
    ...(await held("featureMatcher", 2, { queryMatcher: featureMatcher })),
    // A sketch of a picture in colour takes 22 kB, a third of its file.
    ...(await held("the default matcher", 1.5, {})),
  ],
};

async function held(
  name: string,
  atMost: number,
  options: { readonly queryMatcher?: ImageMatcher },
): Promise<Comparison[]> {
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
  // Without kernels, which nobody uses.
  const before = await usedMegabytes();
  for (let index = 0; index < TARGETS; index++) await add(index);
  const first = await query(1);
  const [second, third, fourth] = [await query(2), await query(3), await query(4)];
  mock.clearRequests();
  const megabytes = (await usedMegabytes()) - before - preparedImages.use.bytes / 1e6;
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
      // The default matcher's first one takes 20 ms longer, once in a process.
      ...(options.queryMatcher && { atLeast: 1 }),
    },
  ];
}

/** Different pictures in colour as JPEG files. */
const drawFiles = (name: string) =>
  Promise.all(
    Array.from({ length: DRAWN }, async (_, index) => {
      const [width, height] = [400, 300];
      const [red, green, blue] = [0, 1, 2].map((channel) =>
        drawLeaves(90_000 + name.length * 1000 + index * 3 + channel, width, height),
      );
      const data = Uint8Array.from(
        { length: width * height * 3 },
        (_, at) => [red, green, blue][at % 3]?.data[Math.floor(at / 3)] ?? 0,
      );
      const file = await sharp(data, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 70 })
        .toBuffer();
      if (file.length + 40 > FILE_BYTES) throw new Error(`a file has ${file.length} bytes`);
      return file;
    }),
  );
