import { exactMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { createRandom } from "../../src/core/emulator/random.ts";
import { preparedImages } from "../../src/core/images/cache.ts";
import { newCloudDatabase } from "../../src/core/schema/cloud-database.ts";
import * as changes from "../../src/core/store/changes.ts";
import { resolveOptions } from "../../src/options/options.ts";
import { startTargetManager } from "../../src/servers/target-manager.ts";
import { sendPlan } from "../protocol/query/send.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart, type Plan } from "../support/query-plan.ts";
import { scenePixels } from "../support/scenes.ts";
import { openApiServer, resolvedBy } from "../support/separate-servers.ts";
import { type Bench, type Comparison, leastTime, median } from "./measure.ts";
import { usedMegabytes } from "./memory.ts";

const SIZES = [1, 10, 100, 1000, 10_000];

const picture = (seed: number): Promise<Buffer> =>
  sharp(scenePixels(seed, 64, 48), { raw: { width: 64, height: 48, channels: 3 } })
    .jpeg()
    .toBuffer();

function planWith(image: Buffer): Plan {
  const plan = goodPlan(new Date());
  plan.parts = [imagePart(image)];
  return plan;
}

/** Whole queries over growing databases, with default settings for memory. */
export const bench: Bench = {
  run: async () => [...(await growingDatabases()), await throughServers(1000, 40), ...(await fullJournal())],
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
    const before = (await usedMegabytes()) - preparedImages.use.bytes / 1e6;
    const database = mock.addCloudDatabase({ targetQuota: size });
    let imageBytes = 0;
    for (let index = 0; index < size; index++) {
      const image = await picture(index);
      imageBytes += image.length;
      await mock.addTarget(database, { name: String(index), image });
    }
    const image = await picture(size + 1);
    const query = () => sendPlan(mock, database, planWith(image));
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
      const megabytes = (await usedMegabytes()) - (preparedImages.use.bytes + imageBytes) / 1e6 - before;
      comparisons.push({
        name: `memory of ${size} targets, beside images and pixels`,
        milliseconds: megabytes,
        baseline: "25 kB a target",
        baselineMilliseconds: size * 0.025,
        unit: "MB",
        atLeast: 1,
      });
    }
    mock.deleteDatabase(database);
  }
  return comparisons;
}

/** The same queries sent to a query server that reaches its target manager over HTTP, and to a mock. */
async function throughServers(size: number, repetitions: number): Promise<Comparison> {
  const resolved = resolveOptions({ targetUrl: "http://localhost", targetRater: perfectRater });
  const [listen, options] = [{ host: "127.0.0.1", port: 0 }, () => resolved];
  const manager = await startTargetManager({
    listen,
    options: resolved,
    resolveApiServer: resolvedBy(options),
  });
  const server = await openApiServer("query", manager.url, listen, options);
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  const database = mock.addCloudDatabase();
  const { databaseName, serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey } = database;
  const keys = { serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey };
  await manager.store.run(
    changes.createDatabase(newCloudDatabase({ databaseName, ...keys }, createRandom())),
  );
  for (let index = 0; index < size; index++) {
    const image = await picture(index);
    const { targetId } = await mock.addTarget(database, { name: `${index}`, image, processed: true });
    const fields = {
      targetId,
      name: `${index}`,
      width: 1,
      image: { bytes: image },
      activeFlag: true,
      applicationMetadata: null,
    };
    await manager.store.run(
      changes.createTarget(
        { random: createRandom(), answerOptions: { processingTimeSeconds: 0 } },
        database.databaseName,
        { ...fields, processed: true },
        Date.now(),
      ),
    );
  }
  const plan = planWith(await picture(size));
  const timed = async (urls: { readonly query: string }) => {
    const start = performance.now();
    const { status } = await sendPlan({ urls: { ...mock.urls, ...urls } }, database, plan);
    if (status !== 200) throw new Error(`expected 200; got ${status}`);
    return performance.now() - start;
  };
  const ours: number[] = [];
  const inProcess: number[] = [];
  for (let repetition = -3; repetition < repetitions; repetition++) {
    const times = [await timed({ query: server.url }), await timed(mock.urls)] as const;
    if (repetition < 0) continue;
    ours.push(times[0]);
    inProcess.push(times[1]);
  }
  for (const { close } of [server, manager]) await close(0);
  return {
    name: `a query over ${size} targets through a query server and its target manager`,
    milliseconds: median(ours),
    baseline: "the same in process",
    baselineMilliseconds: median(inProcess),
    atLeast: 0.77,
  };
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
  const before = await usedMegabytes();
  await send(20_000);
  return [
    {
      name: "memory of a full journal after 20000 requests over 10000 targets",
      milliseconds: (await usedMegabytes()) - before,
      baseline: "64 MB",
      baselineMilliseconds: 64,
      unit: "MB",
      atLeast: 1,
    },
  ];
}
