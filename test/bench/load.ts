import { Agent, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { authorizationHeader, rfc1123Date } from "../../src/index.ts";
import { START } from "../protocol/query/send.ts";
import { goodPlan } from "../support/query-plan.ts";

const CONCURRENCY = 16;

/** A request that is sent many times. */
export interface Load {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends many requests, some at a time, over connections that are used again. */
export async function send({ url, method, headers, body }: Load, count: number): Promise<Buffer> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  let last: Buffer = Buffer.alloc(0);
  const one = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          last = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${response.statusCode} ${last}`));
        });
      })
        .on("error", reject)
        .end(body);
    });
  await repeat(one, count);
  agent.destroy();
  return last;
}

/** The same with `fetch`, which itself takes longer than node:http. */
export function fetchMany({ url, ...load }: Load, count: number): Promise<void> {
  return repeat(async () => {
    const response = await fetch(url, load);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  }, count);
}

async function repeat(act: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    for (; left > 0; ) {
      left -= 1;
      await act();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** The URL of a server that listens on any free port. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

/** A signed `GET`, or a query with that body. */
export function signed(
  now: Date,
  url: string,
  path: string,
  keys: readonly [accessKey: string, secretKey: string],
  body?: Buffer,
): Load {
  const [accessKey, secretKey] = keys;
  const date = rfc1123Date(now);
  const { contentType } = goodPlan(START);
  const method = body === undefined ? "GET" : "POST";
  const parts = { method, path, date, body, contentType: body && contentType };
  const headers = {
    Authorization: authorizationHeader({ accessKey, secretKey, ...parts }),
    Date: date,
    ...(body && contentType && { "Content-Type": contentType, "Content-Length": String(body.length) }),
  };
  return { url: url + path, method, headers, ...(body && { body }) };
}

/**
 * Sends a request as soon as the one before it was answered. Returns how many were. Not by node:http, which takes as long as the server.
 */
export function keepBusy(load: Load | undefined, end: number, accepted = /^HTTP\/1\.1 200/): Promise<number> {
  if (load === undefined) throw new Error("there is nothing to send");
  const { hostname, port, pathname } = new URL(load.url);
  const head = [`${load.method} ${pathname} HTTP/1.1`, `Host: ${hostname}`];
  const lines = [...head, ...Object.entries(load.headers).map((pair) => pair.join(": ")), "", ""];
  const bytes = Buffer.concat([Buffer.from(lines.join("\r\n")), Buffer.from(load.body ?? [])]);
  return new Promise((resolve, reject) => {
    let count = 0;
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes)).setEncoding("latin1");
    socket.on("error", reject).on("data", (text: string) => {
      received += text;
      const found = /^[\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(received);
      if (!accepted.test(received)) reject(new Error(received));
      if (found === null || received.length < found[0].length + Number(found[1])) return;
      received = "";
      count += 1;
      if (performance.now() < end) socket.write(bytes);
      else resolve(socket.end() && count);
    });
  });
}
