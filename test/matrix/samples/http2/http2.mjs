// Prints by which version of HTTP each client reaches a server that supports 1.1 and 2, and the statuses that it receives from two
// mocks, and meanwhile from that server: `node http2.mjs directly|proxied before|after INTERCEPT`. The first mock starts before the clients
// are loaded, or after they have connections. CERT and KEY are the server's. A proxy leads to it alone.
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { text } from "node:stream/consumers";
import { MockCloudReco } from "mock-cloud-reco";

const { CERT: cert, KEY: key } = process.env;
const [, , how, order, intercept] = process.argv;
const [major = 0] = process.versions.node.split(".").map(Number);

const server = http2.createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
  request.resume();
  response.end(request.httpVersion);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const own = `https://localhost:${server.address().port}/`;

const tunnels = [];
const proxy = http.createServer().on("connect", ({ url }, socket) => {
  tunnels.push(url);
  if (!own.includes(url)) return socket.destroy();
  const onward = net.connect(server.address().port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    socket.pipe(onward).pipe(socket);
  });
  for (const one of [socket, onward]) one.on("error", () => {});
});
await once(proxy.listen(0, "127.0.0.1"), "listening");
const proxyUrl = `http://127.0.0.1:${proxy.address().port}`;

const start = () => new MockCloudReco({ intercept });
const first = order === "before" ? start() : undefined;

const load = async (name) => {
  const module = await import(name);
  return module.default ?? module;
};
const withFetch = (fetch, more) => async (url) => {
  const response = await fetch(url, more);
  return [response.status, await response.text()];
};
const withUndici =
  ({ request }, dispatcher) =>
  async (url) => {
    const { statusCode, body } = await request(url, dispatcher && { dispatcher });
    return [statusCode, await body.text()];
  };

async function direct() {
  const { Agent } = await load("undici");
  const { default: got } = await import("got");
  const wrapper = await load("http2-wrapper");
  const adobe = await import("@adobe/fetch");
  const undici8 = major >= 22 ? await load("undici-8") : undefined;
  return {
    ...(undici8 && {
      "undici 8 request": withUndici(undici8),
      "undici 8 Agent": withUndici(undici8, new undici8.Agent()),
      "undici 8 fetch": withFetch(undici8.fetch),
    }),
    fetch: withFetch(fetch),
    "undici 7 with allowH2": withUndici(await load("undici"), new Agent({ allowH2: true })),
    "got with http2": async (url) => {
      const { statusCode, body } = await got(url, {
        http2: true,
        throwHttpErrors: false,
        retry: { limit: 0 },
      });
      return [statusCode, body];
    },
    "http2-wrapper": async (url) => {
      const request = await wrapper.auto(url);
      const answered = once(request, "response");
      request.end();
      const [response] = await answered;
      return [response.statusCode, await text(response)];
    },
    "@adobe/fetch": withFetch(adobe.fetch),
  };
}

async function byProxy() {
  const undici7 = await load("undici");
  const undici8 = major >= 22 ? await load("undici-8") : undefined;
  const options = { httpsProxy: proxyUrl, noProxy: "" };
  return {
    ...(undici8 && {
      "undici 8 ProxyAgent": withUndici(undici8, new undici8.ProxyAgent(proxyUrl)),
      "undici 8 EnvHttpProxyAgent": withUndici(undici8, new undici8.EnvHttpProxyAgent(options)),
      "undici 8 fetch": withFetch(undici8.fetch, { dispatcher: new undici8.ProxyAgent(proxyUrl) }),
    }),
    "undici 7 with allowH2": withUndici(
      undici7,
      new undici7.ProxyAgent({ uri: proxyUrl, allowH2: true, requestTls: { allowH2: true } }),
    ),
  };
}

const sends = await (how === "proxied" ? byProxy() : direct());
const results = {};
const ask = (send, url) => send(url).catch((error) => [`${error.message} ${error.cause?.message ?? ""}`]);
for (const [name, send] of Object.entries(sends)) {
  const [, version] = await ask(send, own);
  results[name] = { version, statuses: [] };
}
const mocks = [() => first ?? start(), start];
for (const next of mocks) {
  const mock = next();
  for (const [name, send] of Object.entries(sends))
    for (const url of [`${mock.urls.target}/summary`, own])
      results[name].statuses.push((await ask(send, url))[0]);
  mock.stop();
}
console.log(JSON.stringify({ results, tunnels }));
process.exit();
