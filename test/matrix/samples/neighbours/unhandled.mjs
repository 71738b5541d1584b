// Prints what MSW, which refuses requests that no handler of its own answers, lets through to a mock and to servers.
import "mock-cloud-reco/register";
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { handlers } from "mock-cloud-reco/msw";
import { startServers } from "mock-cloud-reco/server";
import { http, passthrough } from "msw";
import { setupServer } from "msw/node";
import { request } from "undici";

const messageOf = (error) => [error.message, error.cause?.message].join(" ");
const viaFetch = (url) => fetch(url).then(({ status }) => status, messageOf);
const viaHttps = (url) =>
  new Promise((resolve) => {
    const answered = (response) => resolve(response.resume().statusCode);
    https.get(url, { agent: false }, answered).on("error", (error) => resolve(messageOf(error)));
  });

async function beside(own, send) {
  const server = setupServer(...own);
  // The first is the name of MSW 2, the other one of MSW 3.
  server.listen({ onUnhandledRequest: "error", onUnhandledFrame: "error" });
  const result = await send();
  server.close();
  return result;
}

// It prints what it refuses.
console.error = () => {};
const mock = new MockCloudReco({ intercept: "sockets" });
const summary = `${mock.urls.target}/summary`;
const toMock = async () => [await viaFetch(summary), await viaHttps(summary)];
const passed = (url) => [http.all(`${url}/*`, () => passthrough())];
const results = {
  mock: await beside([], toMock),
  mockPassed: await beside(passed(mock.urls.target), toMock),
};
mock.stop();

const servers = await startServers({ logLevel: "silent" });
const toServers = () => viaFetch(`${servers.urls.target}/summary`);
results.servers = await beside([], toServers);
results.serversPassed = await beside(passed(servers.urls.target), toServers);
await servers.stop();

const handled = new MockCloudReco({ intercept: false });
const viaUndici = () => request(summary).then(({ statusCode }) => statusCode, messageOf);
results.handled = await beside(handlers(handled), () => viaFetch(summary));
results.undici = await beside(handlers(handled), viaUndici);
console.log(JSON.stringify(results));
process.exit();
