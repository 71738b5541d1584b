/**
 * Creates, uses and stops hundreds of mocks; prints what that has left behind. Needs --expose-gc. Parameter: `fetch` or
 * `https`.
 */
import https from "node:https";
import { MockCloudReco } from "../../../src/index.ts";

const [client] = process.argv.slice(2);
const WARM_UP = 700;
const CYCLES = 400;
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

async function cycle(): Promise<void> {
  const mock = new MockCloudReco();
  mock.addCloudDatabase();
  await send();
  mock.stop();
}

/** Measured in a later turn of the event loop, at whose end a stopped mock lets go of what was still on its way. */
async function heap(): Promise<number> {
  await new Promise(setImmediate);
  for (let round = 0; round < 5; round++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

for (let count = 0; count < WARM_UP; count++) await cycle();
const before = await heap();
const handles = process.getActiveResourcesInfo().length;
for (let count = 0; count < CYCLES; count++) await cycle();
console.log(
  JSON.stringify({
    grownBytes: (await heap()) - before,
    newHandles: process.getActiveResourcesInfo().length - handles,
  }),
);
