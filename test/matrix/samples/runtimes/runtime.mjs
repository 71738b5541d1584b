// Prints how clients of this runtime, Bun or Deno, reach a mock. Each of them sends a signed request.
import http from "node:http";
import https from "node:https";
import axios from "axios";
import got from "got";
import { authorizationHeader, MockCloudReco, rfc1123Date, samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";

const { fetch: captured } = globalThis;
const { get: capturedGet } = https;

const messageOf = ({ message, cause }) => cause?.message ?? message;

function signed({ serverAccessKey: accessKey, serverSecretKey: secretKey }) {
  const date = rfc1123Date();
  return {
    date,
    authorization: authorizationHeader({ accessKey, secretKey, method: "GET", path: "/summary", date }),
  };
}

const statusOf = (get, url, headers) =>
  new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => resolve(response.resume().statusCode)).on(
      "error",
      reject,
    );
  });

const CLIENTS = {
  fetch: async (url, headers) => (await fetch(url, { headers })).status,
  "fetch of a Request": async (url, headers) => (await fetch(new Request(url, { headers }))).status,
  "node:https": (url, headers) => statusOf(https.get, url, headers),
  "a captured https.get": (url, headers) => statusOf(capturedGet, url, headers),
  axios: async (url, headers) => (await axios.get(url, { headers })).status,
  got: async (url, headers) => (await got(url, { headers, retry: { limit: 0 } })).statusCode,
};
// Leads to the mock only if "mock-cloud-reco/register" was loaded first.
if (process.env.REGISTERED)
  CLIENTS["a captured fetch"] = async (url, headers) => (await captured(url, { headers })).status;

/** The whole way of a picture, without any interception. */
async function withFetch() {
  const mock = new MockCloudReco({ intercept: false });
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { name: "poster", image: await samplePicture(1), processed: true });
  const response = await mock.fetch(`${mock.urls.target}/summary`, { headers: signed(database) });
  return [response.status, (await response.json()).active_images];
}

async function withServers() {
  await using servers = await startServers({ processingTimeSeconds: 0, logLevel: "silent" });
  const { target, query } = servers.urls;
  const client = new VuforiaClient(servers.addCloudDatabase(), target, query);
  const picture = await samplePicture(1);
  await client.addTarget("poster", picture);
  return (await client.find(picture)).length;
}

async function intercepted(intercept, other) {
  const mock = new MockCloudReco({ intercept });
  const database = mock.addCloudDatabase();
  const url = `${mock.urls.target}/summary`;
  const statuses = {};
  for (const [name, send] of Object.entries(CLIENTS))
    statuses[name] = await send(url, signed(database)).catch(messageOf);
  const passed = [(await fetch(other)).status, await statusOf(http.get, other)];
  mock.stop();
  const blocking = new MockCloudReco({ intercept, unhandledRequests: "error" });
  const blocked = [await fetch(other).catch(messageOf), await statusOf(http.get, other).catch(messageOf)];
  blocking.stop();
  await new Promise((resolve) => setImmediate(resolve));
  const isRestored = globalThis.fetch === captured && https.get === capturedGet;
  const lost = mock.requests.filter(({ reason = "" }) =>
    /no headers of its own.* this runtime lost/.test(reason),
  );
  return {
    statuses,
    passed,
    blocked,
    isRestored,
    reached: mock.requests.length,
    withoutHeaders: lost.length,
  };
}

const server = http.createServer((_request, response) => response.setHeader("Connection", "close").end());
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const other = `http://127.0.0.1:${server.address().port}/`;
const unmocked = process.env.REGISTERED ? await fetch("https://vws.vuforia.com/").catch(messageOf) : "";
const results = {
  unmocked,
  fetch: await withFetch(),
  servers: await withServers(),
  nock: await intercepted("nock", other),
  sockets: await intercepted("sockets", other),
};
console.log(JSON.stringify(results));
process.exit();
