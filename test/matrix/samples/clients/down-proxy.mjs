// Prints the statuses of clients whose proxy is down, or a SOCKS proxy that is silent, when answers take time.
// The variables that name the proxy, and NODE_USE_ENV_PROXY=1, are set.
import { once } from "node:events";
import https from "node:https";
import net from "node:net";
import { HttpClient } from "@actions/http-client";
import hpagent from "hpagent";
import { MockCloudReco } from "mock-cloud-reco";
import request from "request";
import { SocksProxyAgent } from "socks-proxy-agent";
import tunnel from "tunnel";
import { HttpClient as TypedClient } from "typed-rest-client/HttpClient.js";
import * as undici6 from "undici-6";

const { fetch: taken } = globalThis;
const [major = 0] = process.versions.node.split(".").map(Number);
const undicis = {
  "undici 6": undici6,
  "undici 7": await import("undici"),
  ...(major >= 22 && { "undici 8": await import("undici-8") }),
};
const mock = new MockCloudReco({ intercept: process.argv[2], responseDelaySeconds: 0.1 });
const url = `${mock.urls.target}/summary`;
const proxy = process.env.HTTPS_PROXY;
const viaHttps = (agent) =>
  new Promise((resolve, reject) => {
    https.get(url, { agent }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });

let connections = 0;
const silent = net.createServer((socket) => socket.on("data", () => connections++)).listen(0, "127.0.0.1");
await once(silent, "listening");

const withUndici = async ({ EnvHttpProxyAgent, fetch, request }) => {
  const dispatcher = new EnvHttpProxyAgent();
  const { statusCode, body } = await request(url, { dispatcher });
  await body.dump();
  const { status } = await fetch(url, { dispatcher });
  return statusCode === status ? status : [statusCode, status];
};

const statuses = {
  fetch: (await fetch(url)).status,
  "fetch, taken before": (await taken(url)).status,
  "node:https": await viaHttps(),
  hpagent: await viaHttps(new hpagent.HttpsProxyAgent({ proxy })),
  tunnel: await viaHttps(tunnel.httpsOverHttp({ proxy: { host: "127.0.0.1", port: new URL(proxy).port } })),
  request: await new Promise((resolve, reject) => {
    request(url, (error, response) => (error ? reject(error) : resolve(response.statusCode)));
  }),
  "@actions/http-client": (await new HttpClient("test").get(url)).message.statusCode,
  "typed-rest-client": (await new TypedClient("test").get(url)).message.statusCode,
  "socks-proxy-agent": await viaHttps(new SocksProxyAgent(`socks5h://127.0.0.1:${silent.address().port}`)),
};
for (const [name, undici] of Object.entries(undicis)) statuses[name] = await withUndici(undici);
console.log(JSON.stringify({ statuses, connections }));
process.exit();
