// Prints what clients receive from a host that a mock serves, and how many requests arrived there: `node leaving.mjs INTERCEPT`.
import { once } from "node:events";
import http from "node:http";
import { MockCloudReco } from "mock-cloud-reco";

let arrived = 0;
const host = http.createServer((_request, response) => {
  arrived += 1;
  response.end("real");
});
await once(host.listen(0, "127.0.0.1"), "listening");
const mock = new MockCloudReco({
  intercept: process.argv[2],
  targetUrl: `http://127.0.0.1:${host.address().port}`,
});
const { Impit } = await import("impit");
const wreq = await import("wreq-js");
const clients = {
  fetch,
  impit: (url) => new Impit().fetch(url),
  "wreq-js": (url) => wreq.fetch(url),
};
const results = {};
for (const [name, send] of Object.entries(clients)) {
  const before = arrived;
  const { status } = await send(`${mock.urls.target}/summary`);
  results[name] = { status, arrived: arrived - before };
}
console.log(JSON.stringify(results));
process.exit();
