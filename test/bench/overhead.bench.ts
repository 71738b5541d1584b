import https from "node:https";
import { createRequire } from "node:module";
import nock from "nock";
import { authorizationHeader, rfc1123Date } from "../../src/index.ts";
import type { ReplyMode } from "../../src/intercept/nock/nock-interceptor.ts";
import { scene } from "../support/scenes.ts";
import { builtPackage } from "./built-package.ts";
import { type Bench, type Comparison, median } from "./measure.ts";

const ROUNDS = 9;
const REQUESTS = 200;
const TO_WARM_UP = 50;
const TARGETS = 3;
const BARE = "https://bare.example";

interface Client {
  readonly send: (url: string, headers: Record<string, string>) => Promise<unknown>;
  /** The most that a request may take of the time of a bare nock reply. */
  readonly atMost: Readonly<Record<ReplyMode, number>>;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  fetch: {
    send: async (url, headers) => (await fetch(url, { headers })).arrayBuffer(),
    atMost: { documented: 1.1, direct: 0.3 },
  },
  "node:https": {
    send: (url, headers) =>
      new Promise((resolve, reject) => {
        const request = https.get(url, { headers }, (response) => response.resume().on("end", resolve));
        request.on("error", reject);
      }),
    atMost: { documented: 1.1, direct: 0.4 },
  },
};

/** Where the package reads nock's version. */
const nockPackage: { version: string } = createRequire(import.meta.url)("nock/package.json");
/** Responses reach clients by the documented way in versions whose internals are unknown. */
const VERSIONS: Readonly<Record<ReplyMode, string>> = { direct: nockPackage.version, documented: "14.9.0" };

/** What the mock adds to a request: signed, with every check, against a static reply of nock's with the same bytes. */
export const bench: Bench = {
  async run() {
    const rounds = new Map<string, Comparison[]>();
    // In turns, so that each row has its share of the moments in which the process, or the machine, is slow.
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of ["/targets", "/summary"]) {
        for (const [client, { send, atMost }] of Object.entries(CLIENTS)) {
          for (const way of ["documented", "direct"] as const) {
            const name = `GET ${path}, ${client}, ${way} reply`;
            const times = await compare(path, send, way);
            const comparison = { name, ...times, baseline: "a static nock reply", atLeast: 1 / atMost[way] };
            rounds.set(name, [...(rounds.get(name) ?? []), comparison]);
          }
        }
      }
    }
    return [...rounds.values()].flatMap((comparisons) => {
      comparisons.sort((a, b) => timesFaster(a) - timesFaster(b));
      return comparisons.slice(ROUNDS / 2, ROUNDS / 2 + 1);
    });
  },
};

async function compare(
  path: string,
  send: Client["send"],
  way: ReplyMode,
): Promise<Pick<Comparison, "milliseconds" | "baselineMilliseconds">> {
  const { MockCloudReco } = builtPackage();
  nockPackage.version = VERSIONS[way];
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
  nock.cleanAll();
  if (answered.status !== 200) throw new Error(`the mock answered ${answered.status}`);
  return { milliseconds: median(times.ours), baselineMilliseconds: median(times.bare) };
}

const timesFaster = ({ baselineMilliseconds, milliseconds }: Comparison): number =>
  baselineMilliseconds / milliseconds;
