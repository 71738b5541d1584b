import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { consumerOf, processorTime } from "./consumer.ts";
import { PROGRAMS, RUNNERS } from "./file-programs.ts";
import { type Bench, type Comparison, median } from "./measure.ts";

const ROUNDS = 7;
const STARTS_PER_ROUND = 4;
const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const NAMES = Object.keys(RUNNERS) as (keyof typeof RUNNERS)[];

/** The most that a figure may be, as a part of the commit's. */
const GOALS: Readonly<Record<string, number>> = {
  "README's first test in Vitest": 0.65,
  "README's first test in node:test": 0.69,
  "README's first test in Jest": 0.36,
  "from import to query": 0.75,
  "serve: first summary": 0.5,
  "serve: next nine": 0.5,
  "serve: start to URLs": 1.02,
  "first picture": 0.45,
  "the same picture again": 0.01,
  "first add and query": 0.85,
  "peak memory": 0.97,
};
const MOST_OF_NOCK = 1.75;

type Figures = Record<string, number>;

/** What a test file pays: processor time of all processes, above an empty file; of servers, time on the clock. */
export const bench: Bench = {
  async run(against) {
    const ours = await consumerOf(undefined, PROGRAMS);
    const theirs = against === undefined ? undefined : await consumerOf(against, PROGRAMS);
    const [rounds, baselines]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const empty = await runnersOf(ours, "empty");
      rounds.push(await figuresOf(ours, empty));
      if (theirs === undefined) {
        baselines.push(await figuresOfNock(ours, empty));
        continue;
      }
      baselines.push(await figuresOf(theirs, empty));
      // In turns: a machine that is slow for a second would be slow for one side alone.
      for (let start = 0; start < STARTS_PER_ROUND; start++) {
        baselines.push(await startServe(theirs));
        rounds.push(await startServe(ours));
      }
    }
    for (const folder of [ours, theirs]) if (folder) await rm(join(folder, ".."), { recursive: true });
    return comparisons(rounds, baselines, against ?? "bare nock");
  },
};

function comparisons(
  rounds: readonly Figures[],
  baselines: readonly Figures[],
  baseline: string,
): Comparison[] {
  const medianOf = (figures: readonly Figures[], name: string) =>
    median(figures.flatMap((figure) => figure[name] ?? []));
  const names = new Set(baselines.flatMap((figures) => Object.keys(figures)));
  return [...names].map((name) => {
    const goal = baseline === "bare nock" ? { [MOCK]: MOST_OF_NOCK }[name] : GOALS[name];
    return {
      name,
      milliseconds: medianOf(rounds, name),
      baseline,
      baselineMilliseconds: medianOf(baselines, name),
      unit: name === "peak memory" ? "MB" : "ms",
      ...(goal !== undefined && { atLeast: 1 / goal }),
    };
  });
}

const MOCK = "import and first mock";
const inRunner = (name: string) => `README's first test in ${name}`;

async function runnersOf(folder: string, file: string): Promise<Figures> {
  const figures: Figures = {};
  for (const name of NAMES)
    figures[inRunner(name)] = (await processorTime(folder, RUNNERS[name](modules, file))).milliseconds;
  return figures;
}

async function runnersAbove(folder: string, file: string, empty: Figures): Promise<Figures> {
  const figures = Object.entries(await runnersOf(folder, file));
  return Object.fromEntries(figures.map(([name, time]) => [name, time - (empty[name] ?? Number.NaN)]));
}

/** All figures of a round but those of servers. */
async function figuresOf(folder: string, empty: Figures): Promise<Figures> {
  const flow = await processorTime(folder, ["flow.mjs"]);
  const laps: Figures = JSON.parse(flow.printed);
  const { import: imported = 0, mock = 0, picture = 0, again = 0, add = 0, query = 0, megabytes = 0 } = laps;
  return {
    ...(await runnersAbove(folder, "readme", empty)),
    "from import to query": imported + mock + picture + add + query,
    [MOCK]: (await processorTime(folder, ["mock.mjs"])).milliseconds,
    "first picture": picture,
    "the same picture again": again,
    "first add and query": add + query,
    "peak memory": megabytes,
  };
}

const figuresOfNock = async (folder: string, empty: Figures): Promise<Figures> => ({
  ...(await runnersAbove(folder, "nock", empty)),
  [MOCK]: (await processorTime(folder, ["nock.mjs"])).milliseconds,
});

/** Through a socket, since `fetch` itself takes longer than a server for a summary. */
async function startServe(folder: string): Promise<Figures> {
  const installed = createRequire(`${folder}/`);
  const { authorizationHeader, rfc1123Date } = installed("mock-cloud-reco");
  const start = performance.now();
  const command = join(folder, "node_modules/mock-cloud-reco/dist/cli.cjs");
  const server = spawn(process.execPath, [command, "serve", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [said]: unknown[] = await once(server.stdout, "data");
  const started = performance.now();
  const { urls, database } = JSON.parse(`${said}`);
  const keys = { accessKey: database.server_access_key, secretKey: database.server_secret_key };
  const [method, path, date] = ["GET", "/summary", rfc1123Date()];
  const authorization = authorizationHeader({ ...keys, method, path, date });
  const head = [`${method} ${path} HTTP/1.1`, "Host: localhost", `Date: ${date}`];
  const request = [...head, `Authorization: ${authorization}`, "", ""].join("\r\n");
  const { hostname, port } = new URL(urls.target);
  const sent = performance.now();
  const connection = connect(Number(port), hostname);
  const summary = async () => {
    connection.write(request);
    const [response]: unknown[] = await once(connection, "data");
    if (!`${response}`.startsWith("HTTP/1.1 200 ")) throw new Error(`serve answered: ${response}`);
  };
  await summary();
  const answered = performance.now();
  for (let count = 0; count < 9; count++) await summary();
  const last = performance.now();
  connection.destroy();
  server.kill();
  await once(server, "exit");
  return {
    "serve: start to URLs": started - start,
    "serve: first summary": answered - sent,
    "serve: next nine": (last - answered) / 9,
  };
}
