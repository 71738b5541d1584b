// Prints what a client receives from a host that a mock blocks, to which it has connections from before, and how many requests
// arrived there meanwhile, by mode and scheme: `node kept.mjs CLIENT`. CERT and KEY are those of the host.
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import { MockCloudReco } from "mock-cloud-reco";
import { CLIENTS } from "./clients.mjs";

const { CERT: cert, KEY: key } = process.env;
const [, , name] = process.argv;

let arrived = 0;
const connections = new Set();
async function originOf(scheme, server) {
  server.on("request", (request, response) => {
    arrived += 1;
    request.resume();
    response.end("real");
  });
  server.on("connection", (socket) => connections.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `${scheme}://localhost:${server.address().port}`;
}
const origins = {
  http: await originOf("http", http.createServer()),
  https: await originOf("https", http2.createSecureServer({ cert, key, allowHTTP1: true })),
};
// Its proxy never answers.
if (name === "https-proxy-agent") delete origins.https;

function* messagesOf(error) {
  for (let cause = error; cause; cause = cause.cause ?? cause.error) yield String(cause.message ?? cause);
}

const results = {};
for (const mode of ["default", "nock", "sockets"]) {
  const send = await CLIENTS[name]();
  for (const [scheme, origin] of Object.entries(origins)) {
    const ask = (path) => send({ url: origin + path, method: "GET", headers: {} });
    for (const path of ["/1", "/2"]) {
      const { status, body } = await ask(path);
      if (status !== 200 || String(body) !== "real") throw new Error(`${status} ${body}`);
    }
    const [requests, opened] = [arrived, connections.size];
    const options = mode === "default" ? {} : { intercept: mode };
    const mock = new MockCloudReco({ ...options, unhandledRequests: "error" });
    const told = await ask("/after").then(
      ({ status }) => `answered with ${status}`,
      (error) => [...messagesOf(error)].join("; "),
    );
    mock.stop();
    await new Promise(setImmediate);
    results[`${mode}, ${scheme}`] = { told, arrived: arrived - requests, opened };
  }
}
console.log(JSON.stringify(results));
process.exit(0);
