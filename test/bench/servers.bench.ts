import { Agent, createServer, request } from "node:http";
import { createRandom } from "../../src/core/emulator/random.ts";
import { newCloudDatabase } from "../../src/core/schema/cloud-database.ts";
import * as changes from "../../src/core/store/changes.ts";
import * as reads from "../../src/core/store/reads.ts";
import { exactMatcher, ManualClock, perfectRater } from "../../src/index.ts";
import { resolveOptions } from "../../src/options/options.ts";
import type { ThreeServers } from "../../src/servers/launch.ts";
import { START } from "../protocol/query/send.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart, multipart } from "../support/query-plan.ts";
import { startJoinedServers } from "../support/separate-servers.ts";
import { type Load, listen, send, signed } from "./load.ts";
import { type Bench, leastTime } from "./measure.ts";

const REQUESTS = 400;
const REPETITIONS = 8;
const clock = new ManualClock();

/** The same bytes from a bare server, through one bare proxy. */
async function bareChain(content: Buffer): Promise<{ url: string; close(): void }> {
  const backend = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": content.length });
    response.end(content);
  });
  const backendUrl = await listen(backend);
  const agent = new Agent({ keepAlive: true });
  const proxy = createServer((incoming, outgoing) => {
    const onward = request(
      backendUrl + (incoming.url ?? ""),
      { agent, method: incoming.method ?? "", headers: incoming.headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  return {
    url: await listen(proxy),
    close: () => {
      agent.destroy();
      for (const server of [proxy, backend]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function open(): Promise<ThreeServers> {
  const at = { host: "127.0.0.1", port: 0 };
  const options = (targetUrl: string) =>
    resolveOptions({ targetUrl, clock, queryMatcher: exactMatcher, targetRater: perfectRater });
  return startJoinedServers({ listen: { manager: at, target: at, query: at }, options });
}

/** Databases, and as many processed targets in each. */
async function fill({ manager }: ThreeServers, databases: number, targets: number): Promise<void> {
  const { store } = manager;
  const now = clock.now().getTime();
  for (let index = 0; index < databases; index += 1) {
    const name = `shop ${index}`;
    const keys = { serverAccessKey: `s${index}`, serverSecretKey: `ss${index}` };
    const more = { clientAccessKey: `c${index}`, clientSecretKey: `cs${index}` };
    await store.run(
      changes.createDatabase(newCloudDatabase({ databaseName: name, ...keys, ...more }, createRandom())),
    );
    for (let count = 0; count < targets; count += 1) {
      const image = makePng({ width: 64, height: 64, fill: (at) => (at * 31 + count * 7 + index) & 255 });
      await store.run(
        changes.createTarget(
          { random: createRandom(), answerOptions: { processingTimeSeconds: 0 } },
          name,
          {
            targetId: `${index}-${count}`,
            name: `${count}`,
            width: 1,
            image: { bytes: image },
            activeFlag: true,
            applicationMetadata: null,
            processed: true,
          },
          now,
        ),
      );
    }
  }
}

const query = ({ query: { url } }: ThreeServers): Load =>
  signed(clock.now(), url, "/v1/query", ["c0", "cs0"], multipart([imagePart()], goodPlan(START).boundary));

async function timeQueries(databases: number, targets: number): Promise<number> {
  const servers = await open();
  await fill(servers, databases, targets);
  const load = query(servers);
  const milliseconds = await leastTime(REPETITIONS, () => send(load, REQUESTS / 4));
  await servers.close(0);
  return milliseconds;
}

/** Database `shop 0` has one target in both; what else the manager holds must not matter. */
async function timeOneTarget(others: boolean): Promise<number> {
  const servers = await open();
  await fill(servers, 1, 1);
  if (others) {
    const { store } = servers.manager;
    const database = await store.read(reads.database("shop 0"));
    if (database === undefined) throw new Error("shop 0 is missing");
    await store.run(changes.deleteDatabase("shop 0"));
    await fill(servers, 11, 100);
    for (const { targetId: id } of (await store.read(reads.targets("shop 0"))).slice(1)) {
      await store.run(changes.deleteTarget("shop 0", id, clock.now().getTime(), true));
    }
  }
  const load = query(servers);
  const milliseconds = await leastTime(REPETITIONS, () => send(load, REQUESTS / 4));
  await servers.close(0);
  return milliseconds;
}

export const bench: Bench = {
  async run() {
    const servers = await open();
    await fill(servers, 1, 1);
    const load = signed(clock.now(), servers.target.url, "/summary", ["s0", "ss0"]);
    const bare = await bareChain(await send(load, 1));
    let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // In turns, so that both have the same share of the machine's quiet moments.
    for (let turn = 0; turn < REPETITIONS; turn += 1) {
      ours = Math.min(ours, await leastTime(1, () => send(load, REQUESTS)));
      theirs = Math.min(
        theirs,
        await leastTime(1, () => send({ ...load, url: `${bare.url}/summary` }, REQUESTS)),
      );
    }
    bare.close();
    await servers.close(0);

    const never = Number.POSITIVE_INFINITY;
    let [alone, among, hundred, thousand] = [never, never, never, never];
    // In turns: the first of them would run code that is not optimised yet.
    for (let turn = 0; turn < 3; turn += 1) {
      alone = Math.min(alone, await timeOneTarget(false));
      among = Math.min(among, await timeOneTarget(true));
      hundred = Math.min(hundred, await timeQueries(1, 100));
      thousand = Math.min(thousand, await timeQueries(10, 100));
    }
    return [
      {
        name: `${REQUESTS} times GET /summary through target API and manager`,
        milliseconds: ours,
        baseline: "the same bytes through a bare proxy and server",
        baselineMilliseconds: theirs,
        atLeast: 0.4,
      },
      {
        name: "queries of 1 target beside 10 databases of 100 targets",
        milliseconds: among,
        baseline: "queries of 1 target alone",
        baselineMilliseconds: alone,
        atLeast: 0.8,
      },
      {
        name: "queries of 100 targets beside 9 databases of 100",
        milliseconds: thousand,
        baseline: "queries of 100 targets alone",
        baselineMilliseconds: hundred,
        atLeast: 0.8,
      },
    ];
  },
};
