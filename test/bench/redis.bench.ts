import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { samplePicture } from "../../src/index.ts";
import { START } from "../protocol/query/send.ts";
import { bundledCommand } from "../support/bundle.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart, multipart } from "../support/query-plan.ts";
import { startRedis } from "../support/redis-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { fetchMany, type Load, send, signed } from "./load.ts";
import type { Bench, Comparison } from "./measure.ts";

const TURNS = 10;
const SUMMARIES = 1000;
const QUERIES = 20;
const TARGETS = 1000;

const BARE = `
const content = Buffer.from(process.argv[1]);
require("node:http").createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": content.length });
    response.end(content);
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

/** One way to run the servers, in processes of their own. */
interface Way {
  readonly name: string;
  readonly summary: Load;
  readonly query: Load;
  readonly firstQueryMilliseconds: number;
  close(): Promise<void>;
}

/** How a request is repeated. */
interface Run {
  /** Default: node:http. */
  readonly by?: (load: Load, count: number) => Promise<unknown>;
  readonly count: number;
  /** What `serve` has to reach of the speed of a bare server. */
  readonly atLeast?: number;
}

const SETTINGS = {
  PROCESSING_TIME_SECONDS: "0",
  TARGET_RATER: "perfect",
  QUERY_CONTENT_ENCODING: "identity",
};

async function ways(): Promise<readonly Way[]> {
  const command = await bundledCommand();
  const redis = await startRedis();
  const separate = async (environment: Readonly<Record<string, string>>) => {
    const manager = await ServerProcess.of(command.path, "target-manager", environment);
    const { STATE_URL: _ofManager, ...others } = environment;
    const rest = { TARGET_MANAGER_BASE_URL: manager.url, ...others };
    const target = await ServerProcess.of(command.path, "target-api", rest);
    return [manager, target, await ServerProcess.of(command.path, "query", rest)];
  };
  const together = await ServerProcess.of(command.path, "serve", SETTINGS);
  const [target = "", query = "", manager = ""] = together.urls;
  return [
    await filled("serve", { manager, target, query }, () => together.kill()),
    await ofSeparate("three processes", await separate(SETTINGS)),
    await ofSeparate(
      "three processes with Redis",
      await separate({ ...SETTINGS, STATE_URL: redis.url }),
      async () => {
        await redis.close();
        await command.remove();
      },
    ),
  ];
}

function ofSeparate(
  name: string,
  servers: readonly ServerProcess[],
  alsoClose = async () => {},
): Promise<Way> {
  const [manager = "", target = "", query = ""] = servers.map(({ url }) => url);
  return filled(name, { manager, target, query }, async () => {
    for (const server of servers) await server.kill();
    await alsoClose();
  });
}

async function filled(
  name: string,
  { manager, target, query }: Readonly<Record<"manager" | "target" | "query", string>>,
  close: () => Promise<void>,
): Promise<Way> {
  const post = async (path: string, content: object) => {
    const response = await fetch(manager + path, { method: "POST", body: JSON.stringify(content) });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  const keys = ["server_access_key", "server_secret_key", "client_access_key", "client_secret_key"];
  const named = Object.fromEntries(keys.map((key) => [key, `bench ${key}`.replaceAll(" ", "-")]));
  await post("/cloud_databases", { database_name: "bench", ...named });
  for (let count = 0; count < TARGETS; count += 1) {
    const image = makePng({ width: 64, height: 64, fill: (at) => (at * 31 + count * 7) & 255 });
    const image_base64 = image.toString("base64");
    await post("/cloud_databases/bench/targets", { name: `${count}`, width: 1, image_base64 });
  }
  const now = new Date();
  const body = multipart([imagePart(await samplePicture(1))], goodPlan(START).boundary);
  const { server_access_key: s = "", server_secret_key: ss = "" } = named;
  const { client_access_key: c = "", client_secret_key: cs = "" } = named;
  const queried = signed(now, query, "/v1/query", [c, cs], body);
  const begin = performance.now();
  await send(queried, 1);
  return {
    name,
    summary: signed(now, target, "/summary", [s, ss]),
    query: queried,
    firstQueryMilliseconds: performance.now() - begin,
    close,
  };
}

async function bareServer(content: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, ["-e", BARE, content], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${String(port).trim()}`, child };
}

export const bench: Bench = {
  async run() {
    const all = await ways();
    const [one] = all;
    if (one === undefined) return [];
    const bare = await bareServer((await send(one.summary, 1)).toString());
    const rows: Comparison[] = [];
    const measure = async (shown: string, what: "summary" | "query", { by = send, count, atLeast }: Run) => {
      const loads = [
        { name: "bare", load: { ...one[what], url: bare.url } },
        ...all.map((way) => ({ name: way.name, load: way[what] })),
      ];
      const least = new Map<string, number>();
      // In turns, so that all have the same share of the machine's quiet moments.
      for (let turn = 0; turn <= TURNS; turn += 1) {
        for (const { name, load } of loads) {
          const begin = performance.now();
          await by(load, count);
          const milliseconds = (performance.now() - begin) / count;
          if (turn > 0) least.set(name, Math.min(milliseconds, least.get(name) ?? milliseconds));
        }
      }
      const baselineMilliseconds = least.get("bare") ?? Number.NaN;
      for (const { name } of all) {
        rows.push({
          name: `${shown}, ${name}`,
          milliseconds: least.get(name) ?? Number.NaN,
          baseline: "a bare server",
          baselineMilliseconds,
          ...(name === one.name && atLeast !== undefined && { atLeast }),
        });
      }
    };
    try {
      await measure("GET /summary by fetch", "summary", { by: fetchMany, count: SUMMARIES, atLeast: 0.8 });
      await measure("GET /summary by node:http", "summary", { count: SUMMARIES, atLeast: 0.3 });
      await measure(`a query of ${TARGETS} targets by node:http`, "query", { count: QUERIES });
      for (const { name, firstQueryMilliseconds: milliseconds } of all)
        rows.push({
          name: `the first query of ${TARGETS} targets, ${name}`,
          milliseconds,
          baseline: "serve",
          baselineMilliseconds: one.firstQueryMilliseconds,
        });
    } finally {
      bare.child.kill();
      for (const { close } of all) await close();
    }
    return rows;
  },
};
