// Beside the project's nock 15, which starts later and stops later: prints what a mock without the option `intercept` does.
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import net from "node:net";
import { MockCloudReco } from "mock-cloud-reco";

Error.stackTraceLimit = 1000;
const warnings = [];
process.on("warning", ({ message }) => warnings.push(message));

const viaFetch = async (url) => {
  const response = await fetch(url);
  return `${response.status} ${(await response.text()).slice(0, 6)}`;
};
const viaNode = (url) =>
  new Promise((resolve, reject) => {
    const { get } = url.startsWith("https:") ? https : http;
    get(url, { agent: false }, (response) => {
      let text = "";
      response.on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text.slice(0, 6)}`));
    }).on("error", reject);
  });
const messageOf = ({ message, cause }) => `${message} ${cause?.message ?? ""}`;
const fromBoth = (url) => Promise.all([viaFetch, viaNode].map((send) => send(url).catch(messageOf)));

/** How many functions Node calls to open a connection. */
const depth = () =>
  new Promise((resolve) => {
    const lookup = (_host, _options, done) => {
      resolve(new Error("depth").stack.split("\n").length);
      done(new Error("no such host"));
    };
    net.connect({ host: "nowhere.invalid", port: 1, lookup }).on("error", () => {});
  });

const server = http.createServer((_request, response) => response.end("real"));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const real = `http://127.0.0.1:${server.address().port}/x`;

const first = new MockCloudReco({ unhandledRequests: ["127.0.0.1"] });
const { default: nock } = await import("nock");
nock("https://theirs.example").persist().get("/x").reply(200, "theirs");
const answers = {
  ours: await fromBoth(`${first.urls.target}/summary`),
  theirs: await fromBoth("https://theirs.example/x"),
  blocked: await fromBoth("https://blocked.example/x"),
};
nock(first.urls.target).persist().get("/summary").reply(500, "theirs");
const shadowed = [
  ...(await fromBoth(`${first.urls.target}/summary`)),
  ...(await fromBoth(`${first.urls.target}/summary`)),
];
nock.cleanAll();
nock.recorder.rec({ dont_print: true, output_objects: true });
await fromBoth(real);
const recorded = nock.recorder.play().length;
nock.recorder.clear();
first.stop();
nock.restore();

const depths = [];
for (let cycle = 0; cycle < 50; cycle += 1) {
  const mock = new MockCloudReco();
  nock.activate();
  await fromBoth(`${mock.urls.target}/summary`);
  mock.stop();
  // The patches of mocks end in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  nock.restore();
  await new Promise((resolve) => setImmediate(resolve));
  depths.push(await depth());
}
const { cache } = createRequire(import.meta.url);
const secondNock = Object.keys(cache).some((file) => /nock[\\/]lib[\\/]intercept\.js$/.test(file));
console.log(
  JSON.stringify({ ...answers, shadowed, warnings, recorded, secondNock, depths: [depths[4], depths[49]] }),
);
process.exit();
