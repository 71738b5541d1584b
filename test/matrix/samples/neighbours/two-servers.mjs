// Starts a mock after, between or before two servers of MSW 2; prints what hosts answer, and whether all is restored.
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const [intercept, order] = process.argv.slice(2);
const genuine = [globalThis.fetch, https.request, https.get];
const server = (host) => setupServer(http.get(`https://${host}/`, () => new HttpResponse(host)));
const servers = { 1: server("one.example"), 2: server("two.example") };
let mock;
for (const each of order) {
  if (each === "m") mock = new MockCloudReco({ intercept });
  else servers[each].listen({ onUnhandledRequest: "bypass" });
}
const viaHttps = (url) =>
  new Promise((resolve, reject) => {
    https.get(url, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
const viaFetch = async (url) => (await fetch(url)).status;
const results = [];
for (const url of ["https://vws.vuforia.com/summary", "https://two.example/"])
  for (const send of [viaFetch, viaHttps]) results.push(await send(url).catch(({ message }) => message));
for (const each of [...order].reverse()) {
  if (each === "m") mock.stop();
  else servers[each].close();
}
await new Promise(setImmediate);
const isRestored = [globalThis.fetch, https.request, https.get].every((value, at) => value === genuine[at]);
console.log(JSON.stringify({ results, isRestored }));
process.exit();
