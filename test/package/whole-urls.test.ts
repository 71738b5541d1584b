import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { hasMatrix } from "../support/matrix.ts";
import { copySamples, runNode } from "./run.ts";

const received: string[] = [];
const proxy = createServer((asked, response) => {
  received.push(`${asked.method} ${asked.url}`);
  response.end("from the proxy");
});
let proxyUrl = "";

beforeAll(async () => {
  await copySamples("whole-urls");
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address: AddressInfo | string | null = proxy.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  proxyUrl = `http://127.0.0.1:${address.port}`;
});
afterAll(() => proxy.close());

/** Clients that send whole URLs to a proxy. */
const CLIENTS = hasMatrix ? ["axios", "http.get", "needle", "request"] : ["axios", "http.get"];

/** What blocks the service in a process, and the flags and arguments for it. */
const BLOCKED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["register alone", ["--import", "mock-cloud-reco/register"], []],
  ["a mock", [], ["nock"]],
  ["a mock at the sockets", [], ["sockets"]],
  ["register and a mock", ["--import", "mock-cloud-reco/register"], ["nock"]],
];

/** Runs a client in a process of its own, whose first connection leads to the proxy. */
async function told(client: string, url: string, flags: readonly string[], mock: readonly string[]) {
  const environment = { HTTP_PROXY: proxyUrl, http_proxy: proxyUrl, NO_PROXY: "", no_proxy: "" };
  const args = [...flags, "ask.mjs", client, url, proxyUrl, ...mock];
  const { code, printed } = await runNode("whole-urls", args, environment);
  expect(code, printed).toBe(0);
  return JSON.parse(printed.split("\n").at(-1) ?? "");
}

describe.each(firstOf(BLOCKED, 2))(
  "a whole URL of the service that is sent to a proxy, with %s,",
  (_, flags, mock) => {
    it.each(CLIENTS)("is refused by http, and https and NO_PROXY are named: %s", async (client) => {
      const refusal = await told(client, "http://vws.vuforia.com/summary", flags, mock);
      expect(refusal).toMatch(/^connect to vws\.vuforia\.com:80 .*https:.*NO_PROXY=\.vuforia\.com/);
      expect(received).toEqual([]);
    });

    it.each(CLIENTS.filter((client) => client !== "axios"))(
      "is refused by https, and NO_PROXY is named: %s",
      async (client) => {
        const refusal = await told(client, "https://vws.vuforia.com/summary", flags, mock);
        expect(refusal).toMatch(/^connect to vws\.vuforia\.com:443 .*NO_PROXY=\.vuforia\.com/);
        expect(received).toEqual([]);
      },
    );
  },
);

it.each(CLIENTS)("other hosts are reached through the proxy: %s", async (client) => {
  for (const [, flags, mock] of firstOf(BLOCKED, 2))
    expect(await told(client, "http://shop.example/prices", flags, mock)).toBe(200);
  expect(received.splice(0)).toEqual(
    Array(firstOf(BLOCKED, 2).length).fill("GET http://shop.example/prices"),
  );
});
