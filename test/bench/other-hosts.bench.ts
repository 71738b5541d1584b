import { once } from "node:events";
import { createServer, get } from "node:http";
import nock from "nock";
import { builtPackage } from "./built-package.ts";
import { type Bench, type Comparison, leastTime } from "./measure.ts";

/** Many and short, so that some of them run undisturbed; the best one counts. */
const ROUNDS = 60;
const REQUESTS = 40;

const CLIENTS: Record<string, (url: string) => Promise<unknown>> = {
  "fetch, connections kept": async (url) => (await fetch(url)).arrayBuffer(),
  "node:http, a connection each": (url) =>
    new Promise((resolve, reject) => {
      get(url, { agent: false }, (response) => response.resume().on("end", resolve)).on("error", reject);
    }),
};

/** What a mock costs requests to hosts that it does not serve. nock's own cost, which is larger, is in the baseline of `nock`. */
export const bench: Bench = {
  async run() {
    const { MockCloudReco } = builtPackage();
    const server = createServer((_request, response) => response.end("other")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    const url = `http://127.0.0.1:${address.port}/`;
    const comparisons: Comparison[] = [];
    for (const intercept of ["sockets", "nock"] as const) {
      if (intercept === "sockets") nock.restore();
      else nock.activate();
      for (const [client, send] of Object.entries(CLIENTS)) {
        const round = async () => {
          for (let request = 0; request < REQUESTS; request++) await send(url);
        };
        const times = { with: Number.POSITIVE_INFINITY, without: Number.POSITIVE_INFINITY };
        // In turns, because a process as a whole runs now slower and now faster.
        for (let count = 0; count < ROUNDS; count++) {
          times.without = Math.min(times.without, await leastTime(1, round));
          const mock = new MockCloudReco({ intercept });
          times.with = Math.min(times.with, await leastTime(1, round));
          mock.stop();
        }
        comparisons.push({
          name: `${REQUESTS} requests to another host, ${client}, beside intercept: "${intercept}"`,
          milliseconds: times.with,
          baseline: intercept === "sockets" ? "without a mock" : "with nock alone",
          baselineMilliseconds: times.without,
          atLeast: 0.7,
        });
      }
    }
    nock.restore();
    server.closeAllConnections();
    server.close();
    return comparisons;
  },
};
