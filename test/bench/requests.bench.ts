import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import { fetchClient, nodeClient } from "../support/clients.ts";
import { signedRequest } from "../support/signed-request.ts";
import type { Bench, Comparison } from "./measure.ts";

const REQUESTS = 300;
const TO_WARM_UP = 50;
/** A whole request may cost 0.6 times what nock's own static reply costs. */
const TIMES_FASTER = 1 / 0.6;

/** A whole request in process, with every check, against a static reply of nock's, in turns. */
export const bench: Bench = {
  async run() {
    const comparisons: Comparison[] = [];
    for (const [name, client] of Object.entries({ fetch: fetchClient, "node:https": nodeClient })) {
      await using mock = new MockCloudReco();
      const { serverAccessKey: accessKey, serverSecretKey: secretKey } = mock.addCloudDatabase();
      const [baseUrl, now] = [mock.urls.target, new Date(Date.now())];
      const request = signedRequest({ method: "GET", path: "/summary", baseUrl, accessKey, secretKey, now });
      const { body } = await client(request);
      nock("https://bare.example")
        .persist()
        .get("/summary")
        .reply(200, body, { "Content-Type": "application/json" });
      const bare = { ...request, url: "https://bare.example/summary" };
      const times = { ours: [] as number[], bare: [] as number[] };
      for (let sent = 0; sent < TO_WARM_UP + REQUESTS; sent++) {
        for (const [which, one] of [
          ["ours", request],
          ["bare", bare],
        ] as const) {
          const start = performance.now();
          await client(one);
          if (sent >= TO_WARM_UP) times[which].push(performance.now() - start);
        }
      }
      nock.cleanAll();
      comparisons.push({
        name: `GET /summary through ${name}`,
        milliseconds: median(times.ours),
        baseline: "a static reply of nock's",
        baselineMilliseconds: median(times.bare),
        atLeast: TIMES_FASTER,
      });
    }
    return comparisons;
  },
};

const median = (times: number[]): number =>
  times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
