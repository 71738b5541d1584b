import https from "node:https";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import nock from "nock";
import sharp from "sharp";
import { goodPlan, imagePart, queryOf } from "../support/query-plan.ts";
import { scene, scenePixels } from "../support/scenes.ts";
import { builtPackage } from "./built-package.ts";
import { type Bench, type Comparison, median } from "./measure.ts";

const ROUNDS = 11;
/** Requests of a round, by each of the two ways that are compared. */
const REQUESTS = 200;
/**
 * Requests in a row by the same way, of which the first few are not counted: they wait for a processor that slept through the
 * timers of nock's reply, and for its caches.
 */
const IN_A_ROW = 25;
const TO_WARM_UP = 5;
const TARGETS = 3;
const BARE = "https://bare.example";

type Send = (url: string, headers: Record<string, string>) => Promise<unknown>;

interface Client {
  readonly send: Send;
  /** The most that a request may take of the time of a bare nock reply. */
  readonly atMost: number;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  fetch: { send: async (url, headers) => (await fetch(url, { headers })).arrayBuffer(), atMost: 0.1 },
  "node:https": {
    send: (url, headers) =>
      new Promise((resolve, reject) => {
        const request = https.get(url, { headers }, (response) => response.resume().on("end", resolve));
        request.on("error", reject);
      }),
    atMost: 0.12,
  },
};

/** The most that a query with a large image may take of the time of the same by `mock.fetch`, which intercepts nothing. */
const QUERY_AT_MOST = 1.15;

/** What the mock, in its default mode, adds to a request: signed, with every check. */
export const bench: Bench = {
  async run() {
    const rounds = new Map<string, Comparison[]>();
    const add = (comparison: Comparison) =>
      rounds.set(comparison.name, [...(rounds.get(comparison.name) ?? []), comparison]);
    // In turns, so that each row has its share of the moments in which the process, or the machine, is slow.
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of ["/targets", "/summary"]) {
        for (const [client, { send, atMost }] of Object.entries(CLIENTS)) {
          const times = await againstBareNock(path, send);
          const name = `GET ${path}, ${client}`;
          add({ name, ...times, baseline: "a static nock reply", atLeast: 1 / atMost });
        }
      }
      const name = "POST /v1/query with 200 kB, fetch";
      add({ name, ...(await queries()), baseline: "the same by mock.fetch", atLeast: 1 / QUERY_AT_MOST });
    }
    return [...rounds.values()].flatMap((comparisons) => {
      comparisons.sort((a, b) => timesFaster(a) - timesFaster(b));
      return comparisons.slice(ROUNDS / 2, ROUNDS / 2 + 1);
    });
  },
};

type Times = Pick<Comparison, "milliseconds" | "baselineMilliseconds">;

/** Against a static reply of nock's with the same bytes. */
async function againstBareNock(path: string, send: Send): Promise<Times> {
  using mock = new (builtPackage().MockCloudReco)();
  const database = mock.addCloudDatabase();
  const image = await scene(1);
  for (let count = 0; count < TARGETS; count++) await mock.addTarget(database, { image, processed: true });

  const date = rfc1123Date(new Date());
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
  const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path, date });
  const headers = { Authorization: authorization, Date: date };
  const url = mock.urls.target + path;
  const answered = await fetch(url, { headers });
  if (answered.status !== 200) throw new Error(`the mock answered ${answered.status}`);
  nock(BARE)
    .persist()
    .get(path)
    .reply(answered.status, Buffer.from(await answered.arrayBuffer()), Object.fromEntries(answered.headers));
  const times = await inTurns(
    () => send(url, headers),
    () => send(BARE + path, headers),
  );
  nock.cleanAll();
  return times;
}

let picture: Promise<Buffer> | undefined;
const pictureOf200kB = (): Promise<Buffer> =>
  sharp(scenePixels(7, 640, 480), { raw: { width: 640, height: 480, channels: 3 } })
    .jpeg({ quality: 97 })
    .toBuffer();

async function queries(): Promise<Times> {
  using mock = new (builtPackage().MockCloudReco)();
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { image: await scene(1), processed: true });
  const plan = goodPlan(new Date());
  picture ??= pictureOf200kB();
  plan.parts = [imagePart(await picture)];
  const { method, headers, body } = queryOf(plan, database);
  const url = `${mock.urls.query}/v1/query`;
  const by = (send: typeof fetch) => async () => {
    const response = await send(url, { method, headers, body });
    if (response.status !== 200) throw new Error(`the mock answered ${response.status}`);
    await response.arrayBuffer();
  };
  return await inTurns(by(fetch), by(mock.fetch));
}

/** The median time of each, in milliseconds. */
async function inTurns(measured: () => Promise<unknown>, baseline: () => Promise<unknown>): Promise<Times> {
  const ways = [measured, baseline].map((send) => ({ send, times: [] as number[] }));
  for (let sent = 0; sent < REQUESTS; sent += IN_A_ROW) {
    for (const { send, times } of ways) {
      for (let request = 0; request < IN_A_ROW; request++) {
        const start = performance.now();
        await send();
        if (request >= TO_WARM_UP) times.push(performance.now() - start);
      }
    }
  }
  const [milliseconds = Number.NaN, baselineMilliseconds = Number.NaN] = ways.map(({ times }) =>
    median(times),
  );
  return { milliseconds, baselineMilliseconds };
}

const timesFaster = ({ baselineMilliseconds, milliseconds }: Comparison): number =>
  baselineMilliseconds / milliseconds;
