// Captures functions before anything else, as a client may, and prints what happens without and with a mock.
import https from "node:https";
import tls from "node:tls";

const { fetch } = globalThis;
const { get } = https;
const { connect } = tls;
const url = "https://vws.vuforia.com/summary";

const viaHttps = () =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
const viaTls = () =>
  new Promise((resolve, reject) => {
    connect(443, "vws.vuforia.com")
      .once("secureConnect", () => resolve("connected"))
      .once("error", reject);
  });
const viaFetch = async () => (await fetch(url)).status;
const results = async () => {
  const all = [];
  for (const send of [viaFetch, viaHttps, viaTls]) {
    all.push(await send().catch((error) => (error.cause ?? error).message));
  }
  return all;
};

const before = await results();
const { MockCloudReco } = await import("mock-cloud-reco");
const mock = new MockCloudReco({ intercept: "sockets" });
const during = await results();
mock.stop();
await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify([before, during, await results()]));
