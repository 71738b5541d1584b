import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  authorizationHeader,
  exactMatcher,
  ManualClock,
  perfectRater,
  rfc1123Date,
} from "../../src/index.ts";
import { resolveOptions } from "../../src/mock/options.ts";
import { startThreeServers, type ThreeServers } from "../../src/servers/launch.ts";
import { goodPlan, imagePart, multipart } from "../../src/verify/query-plan.ts";
import { START } from "../protocol/query/send.ts";
import { makePng } from "../support/png.ts";
import { type Bench, leastTime } from "./measure.ts";

const CONCURRENCY = 16;
const REQUESTS = 400;
const REPETITIONS = 8;
const clock = new ManualClock();

interface Load {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends many requests, some at a time, over connections that are used again. */
async function send({ url, method, headers, body }: Load, count: number): Promise<Buffer> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  let last: Buffer = Buffer.alloc(0);
  let left = count;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          last = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${response.statusCode} ${last}`));
        });
      })
        .on("error", reject)
        .end(body);
    });
  const worker = async () => {
    for (; left > 0; ) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  agent.destroy();
  return last;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

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
  return startThreeServers({ listen: { manager: at, target: at, query: at }, options });
}

/** Databases, and as many processed targets in each. */
async function fill({ manager }: ThreeServers, databases: number, targets: number): Promise<void> {
  const { store } = manager;
  const now = clock.now().getTime();
  for (let index = 0; index < databases; index += 1) {
    const name = `shop ${index}`;
    const keys = { server_access_key: `s${index}`, server_secret_key: `ss${index}` };
    const more = { client_access_key: `c${index}`, client_secret_key: `cs${index}` };
    const body = Buffer.from(JSON.stringify({ database_name: name, ...keys, ...more }));
    await manager.handleQuietly({ method: "POST", path: "/cloud_databases", query: "", headers: [], body });
    for (let count = 0; count < targets; count += 1) {
      const image = makePng({ width: 64, height: 64, fill: (at) => (at * 31 + count * 7 + index) & 255 });
      await store.createTarget(
        name,
        {
          targetId: `${index}-${count}`,
          name: `${count}`,
          width: 1,
          image,
          activeFlag: true,
          applicationMetadata: null,
          processingTimeSeconds: 0,
          processed: true,
        },
        now,
      );
    }
  }
}

function signed(url: string, path: string, keys: readonly [string, string], body?: Buffer): Load {
  const [accessKey, secretKey] = keys;
  const date = rfc1123Date(clock.now());
  const { contentType } = goodPlan(START);
  const method = body === undefined ? "GET" : "POST";
  const parts = { method, path, date, body, contentType: body && contentType };
  const headers = {
    Authorization: authorizationHeader({ accessKey, secretKey, ...parts }),
    Date: date,
    ...(body && contentType && { "Content-Type": contentType, "Content-Length": String(body.length) }),
  };
  return { url: url + path, method, headers, ...(body && { body }) };
}

const query = ({ query: { url } }: ThreeServers): Load =>
  signed(url, "/v1/query", ["c0", "cs0"], multipart([imagePart()], goodPlan(START).boundary));

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
    const database = store.findDatabaseByName("shop 0");
    if (database === undefined) throw new Error("shop 0 is missing");
    store.deleteDatabase("shop 0");
    await fill(servers, 11, 100);
    for (const { targetId: id } of store.listTargets("shop 0").slice(1)) {
      store.deleteTarget("shop 0", id, clock.now().getTime(), true);
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
    const load = signed(servers.target.url, "/summary", ["s0", "ss0"]);
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

    const alone = await timeOneTarget(false);
    const among = await timeOneTarget(true);
    const hundred = await timeQueries(1, 100);
    const thousand = await timeQueries(10, 100);
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
