import https from "node:https";
import nock from "nock";
import type { Outcome } from "../../src/http/outcome.ts";
import { interceptWithNock } from "../../src/interception/nock-interceptor.ts";
import type { ReplyWay } from "../../src/interception/nock-session.ts";
import type { Bench, Comparison } from "./measure.ts";

const REQUESTS = 300;
const TO_WARM_UP = 50;
/** The answer to GET /targets of a database with three targets. */
const BODY = Buffer.from(
  JSON.stringify({
    result_code: "Success",
    transaction_id: "0123456789abcdef0123456789abcdef",
    results: ["a", "b", "c"].map((digit) => digit.repeat(32)),
  }),
);
const HEADERS = [
  ["Connection", "keep-alive"],
  ["Content-Length", String(BODY.length)],
  ["Content-Type", "application/json"],
  ["Date", "Sat, 21 Nov 2026 12:00:00 GMT"],
  ["server", "envoy"],
  ["x-envoy-upstream-service-time", "5"],
  ["strict-transport-security", "max-age=31536000"],
  ["x-aws-region", "us-east-2, us-west-2"],
  ["x-content-type-options", "nosniff"],
] as const;
const SENT = { Authorization: "VWS key:signature", Date: "Sat, 21 Nov 2026 12:00:00 GMT" };

const CLIENTS: Record<string, (url: string) => Promise<unknown>> = {
  fetch: async (url) => (await fetch(url, { headers: SENT })).arrayBuffer(),
  "node:https": (url) =>
    new Promise((resolve, reject) => {
      const request = https.get(url, { headers: SENT }, (response) => response.resume().on("end", resolve));
      request.on("error", reject);
    }),
};

/** What interception adds to a request: one of ours against a static reply of nock's, both ways, in turns. */
export const bench: Bench = {
  async run() {
    const comparisons: Comparison[] = [];
    for (const [client, send] of Object.entries(CLIENTS)) {
      for (const [way, atMost] of Object.entries({ documented: 1.15, direct: 0.5 } satisfies Record<
        ReplyWay,
        number
      >)) {
        comparisons.push(await compare(client, send, way === "direct" ? "direct" : "documented", atMost));
      }
    }
    return comparisons;
  },
};

async function compare(
  client: string,
  send: (url: string) => Promise<unknown>,
  way: ReplyWay,
  atMost: number,
): Promise<Comparison> {
  nock("https://bare.example").persist().get("/targets").reply(200, BODY, HEADERS.flat());
  const outcome: Outcome = { response: { status: 200, headers: HEADERS, body: BODY } };
  const { stop } = interceptWithNock(
    {
      hosts: [{ baseUrl: new URL("https://ours.example"), handle: async () => outcome }],
      unhandledRequests: "bypass",
    },
    way,
  );
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let request = 0; request < TO_WARM_UP + REQUESTS; request++) {
    for (const which of ["ours", "bare"] as const) {
      const start = performance.now();
      await send(`https://${which}.example/targets`);
      if (request >= TO_WARM_UP) times[which].push(performance.now() - start);
    }
  }
  stop();
  nock.cleanAll();
  return {
    name: `${client}, ${way} reply`,
    milliseconds: median(times.ours),
    baseline: "a static nock reply",
    baselineMilliseconds: median(times.bare),
    atLeast: 1 / atMost,
  };
}

const median = (times: number[]): number =>
  times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
