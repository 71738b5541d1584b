/**
 * Creates, uses and stops a thousand mocks, or as many of nock's own interceptors; prints what that has left behind. Needs
 * --expose-gc. Parameters: `ours` or `nock`, `fetch` or `https`.
 */
import https from "node:https";
import { createRequire } from "node:module";
import { MockCloudReco } from "../../../src/index.ts";

const [what, client] = process.argv.slice(2);
const WARM_UP = 1000;
const CYCLES = 1000;
const ORIGIN = "https://vws.vuforia.com";
const PATH = "/targets";

const send: () => Promise<unknown> =
  client === "fetch"
    ? async () => (await fetch(ORIGIN + PATH)).arrayBuffer()
    : () =>
        new Promise((resolve, reject) => {
          const request = https.get(ORIGIN + PATH, (response) => response.resume().on("end", resolve));
          request.on("error", reject);
        });

function start(): () => void {
  if (what === "ours") {
    const mock = new MockCloudReco();
    mock.addCloudDatabase();
    return () => mock.stop();
  }
  const nock: typeof import("nock") = createRequire(import.meta.url)("nock");
  if (!nock.isActive()) nock.activate();
  nock(ORIGIN).get(PATH).reply(200, "nock's own");
  return () => {
    nock.cleanAll();
    nock.restore();
  };
}

async function cycle(): Promise<void> {
  const stop = start();
  await send();
  stop();
}

function heap(): number {
  for (let round = 0; round < 5; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

for (let count = 0; count < WARM_UP; count++) await cycle();
const before = heap();
const handles = process.getActiveResourcesInfo().length;
for (let count = 0; count < CYCLES; count++) await cycle();
console.log(
  JSON.stringify({
    grownBytes: heap() - before,
    newHandles: process.getActiveResourcesInfo().length - handles,
  }),
);
