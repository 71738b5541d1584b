// Prints the statuses of clients whose proxy is down, or a SOCKS proxy that is silent, when answers take time.
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

const statuses = {
  hpagent: await viaHttps(new hpagent.HttpsProxyAgent({ proxy })),
  tunnel: await viaHttps(tunnel.httpsOverHttp({ proxy: { host: "127.0.0.1", port: new URL(proxy).port } })),
  request: await new Promise((resolve, reject) => {
    request(url, (error, response) => (error ? reject(error) : resolve(response.statusCode)));
  }),
  "@actions/http-client": (await new HttpClient("test").get(url)).message.statusCode,
  "typed-rest-client": (await new TypedClient("test").get(url)).message.statusCode,
  "socks-proxy-agent": await viaHttps(new SocksProxyAgent(`socks5h://127.0.0.1:${silent.address().port}`)),
};
console.log(JSON.stringify({ statuses, connections }));
process.exit();
