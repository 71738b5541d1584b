// Prints the status that every client, which took its functions before the mock started, receives from it.
import http from "node:http";
import https from "node:https";
import axios from "axios";
import * as undici6 from "undici-6";

const { fetch } = globalThis;
const url = "https://vws.vuforia.com/summary";
const [major = 0] = process.versions.node.split(".").map(Number);
const loaded = async (name) => (major >= 22 ? await import(name) : undefined);

const node = (send) => () =>
  new Promise((resolve, reject) => {
    send(url, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
const withGot = (got) => async () =>
  (await got(url, { throwHttpErrors: false, retry: { limit: 0 } })).statusCode;
const withUndici =
  ({ request, fetch: undiciFetch, Agent }) =>
  async () => {
    const dispatcher = new Agent();
    const { statusCode, body } = await request(url, { dispatcher });
    await body.dump();
    const { status } = await undiciFetch(url);
    await dispatcher.close();
    return statusCode === status ? status : [statusCode, status];
  };

const modules = {
  "undici 6": undici6,
  "undici 7": await import("undici"),
  "undici 8": await loaded("undici-8"),
};
const gots = {
  "got 14": await import("got"),
  "got 15": await loaded("got-15"),
  "got 16": await loaded("got-16"),
};
const clients = {
  fetch: async () => (await fetch(url)).status,
  "https.request": node(https.request),
  "https.get": node(https.get),
  "a kept agent": node((asked, done) =>
    https.get(asked, { agent: new https.Agent({ keepAlive: true }) }, done),
  ),
  ClientRequest: node((asked, done) => {
    const { hostname, pathname: path } = new URL(asked);
    const agent = https.globalAgent;
    return new http.ClientRequest({ protocol: "https:", hostname, port: 443, path, agent }, done);
  }),
  "axios (http)": async () => (await axios.get(url, { adapter: "http", validateStatus: () => true })).status,
  "axios (fetch)": async () =>
    (await axios.get(url, { adapter: "fetch", validateStatus: () => true })).status,
};
for (const [name, module] of Object.entries(modules)) if (module) clients[name] = withUndici(module);
for (const [name, module] of Object.entries(gots)) if (module) clients[name] = withGot(module.default);

const { MockCloudReco } = await import("mock-cloud-reco");
const results = {};
const mock = new MockCloudReco({ intercept: process.argv[2], unhandledRequests: "error" });
for (const [name, send] of Object.entries(clients)) {
  results[name] = await send().catch(({ message, cause }) => `${message} ${cause?.message}`);
}
mock.stop();
console.log(JSON.stringify(results));
process.exit();
