import https from "node:https";
import nock from "nock";
import { authorizationHeader, rfc1123Date } from "../../src/index.ts";
import { intercept } from "../../src/transports/interception.ts";
import type { ReplyMode } from "../../src/transports/nock/nock-interceptor.ts";
import { scene } from "../support/scenes.ts";
import { builtPackage } from "./built-package.ts";
import type { Bench, Comparison } from "./measure.ts";

const ROUNDS = 5;
const REQUESTS = 200;
const TO_WARM_UP = 50;
const TARGETS = 3;
const BARE = "https://bare.example";

type Send = (url: string, headers: Record<string, string>) => Promise<unknown>;

const CLIENTS: Record<string, Send> = {
  fetch: async (url, headers) => (await fetch(url, { headers })).arrayBuffer(),
  "node:https": (url, headers) =>
    new Promise((resolve, reject) => {
      const request = https.get(url, { headers }, (response) => response.resume().on("end", resolve));
      request.on("error", reject);
    }),
};

/** The most that a request may take of the time of a bare nock reply. */
const AT_MOST: Readonly<Record<string, Readonly<Record<ReplyMode, number>>>> = {
  "/targets": { documented: 1.15, direct: 0.5 },
  "/summary": { documented: 1.2, direct: 0.6 },
};

/** What the mock adds to a request: signed, with every check, against a static reply of nock's with the same bytes. */
export const bench: Bench = {
  async run() {
    const comparisons: Comparison[] = [];
    for (const [path, atMost] of Object.entries(AT_MOST)) {
      for (const client of Object.keys(CLIENTS)) {
        for (const way of ["documented", "direct"] as const) {
          // One round in the middle, because a process as a whole runs now slower and now faster.
          const rounds: Comparison[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            rounds.push(await compare(path, client, way, atMost[way]));
          }
          rounds.sort((a, b) => timesFaster(a) - timesFaster(b));
          comparisons.push(...rounds.slice(ROUNDS / 2, ROUNDS / 2 + 1));
        }
      }
    }
    return comparisons;
  },
};

async function compare(path: string, client: string, way: ReplyMode, atMost: number): Promise<Comparison> {
  const send = CLIENTS[client];
  if (send === undefined) throw new Error(`there is no client ${client}`);
  const { MockCloudReco } = builtPackage();
  // The first of several mocks decides the way, for every copy of the package.
  const first = intercept({ hosts: [], intercept: "nock", replyMode: way });
  const mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  const image = await scene(1);
  for (let count = 0; count < TARGETS; count++) await mock.addTarget(database, { image, processed: true });

  const date = rfc1123Date(new Date());
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
  const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path, date });
  const headers = { Authorization: authorization, Date: date };
  const urls = { ours: mock.urls.target + path, bare: BARE + path };
  const answered = await fetch(urls.ours, { headers });
  nock(BARE)
    .persist()
    .get(path)
    .reply(answered.status, Buffer.from(await answered.arrayBuffer()), Object.fromEntries(answered.headers));

  const times = { ours: [] as number[], bare: [] as number[] };
  for (let request = 0; request < TO_WARM_UP + REQUESTS; request++) {
    for (const which of ["ours", "bare"] as const) {
      const start = performance.now();
      await send(urls[which], headers);
      if (request >= TO_WARM_UP) times[which].push(performance.now() - start);
    }
  }
  mock.stop();
  first.stop();
  nock.cleanAll();
  if (answered.status !== 200) throw new Error(`the mock answered ${answered.status}`);
  return {
    name: `GET ${path}, ${client}, ${way} reply`,
    milliseconds: median(times.ours),
    baseline: "a static nock reply",
    baselineMilliseconds: median(times.bare),
    atLeast: 1 / atMost,
  };
}

const timesFaster = ({ baselineMilliseconds, milliseconds }: Comparison): number =>
  baselineMilliseconds / milliseconds;

const median = (times: number[]): number =>
  times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
