/* Keeps a server's connections busy while it adds targets, and sends how long that took to the process that started this one. */
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { signedRequest } from "../support/signed-request.ts";
import { keepBusy, signed } from "./load.ts";
import { nextMessage } from "./measure.ts";

export interface OverloadTask {
  readonly url: string;
  readonly keys: readonly [accessKey: string, secretKey: string];
  /** Each always has one request that reads. */
  readonly connections: number;
  /** Additions at a time. */
  readonly adders: number;
  readonly seconds: number;
  readonly picture: Buffer;
}

export interface OverloadTimes {
  /** Milliseconds of each addition. */
  readonly additions: readonly number[];
  readonly timeouts: number;
  /** How often one was refused because the server answered too many requests; it was repeated. */
  readonly refused: number;
  readonly reads: number;
}

/** When clients give up. */
const TIMEOUT_MILLISECONDS = 30_000;

const { url, keys, connections, adders, seconds, picture } = await nextMessage<OverloadTask>(process);
const end = performance.now() + seconds * 1000;
const agent = new Agent({ keepAlive: true });
const additions: number[] = [];
let [sent, timeouts, refused] = [0, 0, 0];

async function add(): Promise<void> {
  sent += 1;
  const image = Buffer.concat([picture, Buffer.from(String(sent))]).toString("base64");
  const [accessKey, secretKey] = keys;
  const parts = { accessKey, secretKey, baseUrl: url, now: new Date() };
  const body = { name: String(sent), width: 1, image };
  const { headers, body: bytes } = signedRequest({ method: "POST", path: "/targets", body, ...parts });
  const send = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${url}/targets`, { agent, method: "POST", headers }, (response) =>
        response.resume().once("end", () => resolve(response.statusCode)),
      );
      asked.setTimeout(TIMEOUT_MILLISECONDS, () => {
        timeouts += 1;
        resolve(201);
        asked.destroy();
      });
      asked.once("error", reject).end(bytes);
    });
  const start = performance.now();
  let status = await send();
  for (; status === 503; status = await send()) {
    refused += 1;
    await setTimeout(1000);
  }
  if (status !== 201) throw new Error(`an addition got ${status}`);
  additions.push(performance.now() - start);
}

async function addAll(): Promise<void> {
  while (performance.now() < end) await add();
}

const read = signed(new Date(), url, "/summary", keys);
const reading = Array.from({ length: connections }, () => keepBusy(read, end, /^HTTP\/1\.1 (200|503)/));
await Promise.all(Array.from({ length: adders }, addAll));
const counts = await Promise.all(reading);
const times: OverloadTimes = {
  additions,
  timeouts,
  refused,
  reads: counts.reduce((total, count) => total + count, 0),
};
process.send?.(times);
