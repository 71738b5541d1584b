import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createRandom } from "../../src/core/emulator/random.ts";
import { newCloudDatabase } from "../../src/core/schema/cloud-database.ts";
import * as changes from "../../src/core/store/changes.ts";
import { exactMatcher, ManualClock, perfectRater } from "../../src/index.ts";
import { resolveOptions } from "../../src/options/options.ts";
import type { ThreeServers } from "../../src/servers/launch.ts";
import { watchTurns } from "../support/longest-turn.ts";
import { makePng } from "../support/png.ts";
import { startJoinedServers } from "../support/separate-servers.ts";
import { signed } from "./load.ts";
import { type Bench, nextMessage } from "./measure.ts";
import type { PagesTask, SummaryTimes } from "./pages-client.ts";

const DATABASES = 3000;
const TARGETS = 10_000;
const PAGES = 20;
const ROUNDS = 5;
const CHANGE_EVERY_MILLISECONDS = 100;
const clock = new ManualClock();

async function opened(): Promise<ThreeServers> {
  const at = { host: "127.0.0.1", port: 0 };
  const options = (targetUrl: string) =>
    resolveOptions({ targetUrl, clock, queryMatcher: exactMatcher, targetRater: perfectRater });
  const servers = await startJoinedServers({
    listen: { manager: at, target: at, query: at },
    options,
    page: true,
  });
  const { store } = servers.manager;
  const image = makePng();
  for (let index = 0; index < DATABASES; index += 1) {
    const keys = { serverAccessKey: `s${index}`, serverSecretKey: `ss${index}` };
    await store.run(
      changes.createDatabase(newCloudDatabase({ databaseName: `shop ${index}`, ...keys }, createRandom())),
    );
  }
  for (let index = 0; index < TARGETS; index += 1) {
    const fields = { width: 1, activeFlag: true, applicationMetadata: null };
    await store.run(
      changes.createTarget(
        { random: createRandom(), answerOptions: { processingTimeSeconds: 0 } },
        `shop ${index % 2 === 0 ? 0 : index % DATABASES}`,
        {
          targetId: String(index),
          name: String(index),
          image: { bytes: image },
          processed: true,
          ...fields,
        },
        clock.now().getTime(),
      ),
    );
  }
  return servers;
}

/** Times of requests, while as many pages are open, and the longest turn of the servers' event loop meanwhile. */
async function measured(client: ChildProcess, servers: ThreeServers, pages: number) {
  const task: PagesTask = {
    pages,
    events: `${servers.manager.url}/page/events`,
    load: signed(clock.now(), servers.target.url, "/summary", ["s0", "ss0"]),
  };
  client.send(task);
  await nextMessage(client);
  using turns = watchTurns();
  let count = 0;
  const changing = setInterval(() => {
    count += 1;
    void servers.manager.store.run(
      changes.updateDatabase(`shop ${count % DATABASES}`, { targetQuota: count }),
    );
  }, CHANGE_EVERY_MILLISECONDS);
  client.send("start");
  const times = await nextMessage<SummaryTimes>(client);
  clearInterval(changing);
  return { p99: times.p99, longestTurn: turns.take() };
}

export const bench: Bench = {
  async run() {
    const servers = await opened();
    const client = fork(fileURLToPath(new URL("pages-client.ts", import.meta.url)));
    const least = async (pages: number, before = { p99: Infinity, longestTurn: Infinity }) => {
      const now = await measured(client, servers, pages);
      return {
        p99: Math.min(before.p99, now.p99),
        longestTurn: Math.min(before.longestTurn, now.longestTurn),
      };
    };
    let [alone, beside] = [await least(0), await least(PAGES)];
    // In turns, so that both have the same share of the machine's quiet moments.
    for (let round = 1; round < ROUNDS; round += 1)
      [alone, beside] = [await least(0, alone), await least(PAGES, beside)];
    client.kill();
    await servers.close(0);
    return [
      {
        name: `GET /summary, 99th percentile, with ${PAGES} pages, ${DATABASES} databases, ${TARGETS} targets`,
        milliseconds: beside.p99,
        baseline: "the same without pages",
        baselineMilliseconds: alone.p99,
        atLeast: 0.5,
      },
      {
        name: "longest turn of the servers' event loop meanwhile",
        milliseconds: beside.longestTurn,
        baseline: "the limit",
        baselineMilliseconds: 10,
        atLeast: 1,
      },
    ];
  },
};
