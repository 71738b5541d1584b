// Starts a mock and another interceptor in one process, in a given order, and prints what their hosts answer.
import http from "node:http";
import https from "node:https";

const [name, intercept, first, ...stops] = process.argv.slice(2);
const SIGNED = { authorization: "VWS key:signature" };

/** Everything that interceptors replace. */
const patchable = () => [
  globalThis.fetch,
  globalThis.Request,
  http.request,
  http.get,
  https.request,
  https.get,
];
const before = patchable();

const viaFetch = async (url) => {
  const response = await fetch(url, { headers: SIGNED });
  return `${response.status} ${await response.text()}`;
};

const viaHttps = (url) =>
  new Promise((resolve, reject) => {
    https
      .get(url, { headers: SIGNED, agent: false }, (response) => {
        let text = "";
        response.on("data", (data) => {
          text += data;
        });
        response.on("end", () => resolve(`${response.statusCode} ${text}`));
      })
      .on("error", reject);
  });

const fromBoth = async (url) =>
  Promise.all([viaFetch, viaHttps].map((send) => send(url).catch(({ message }) => message)));

/** Loads and starts an interceptor. Returns a function that stops it. */
const starters = {
  ours: async () => {
    const { MockCloudReco } = await import("mock-cloud-reco");
    const mock = new MockCloudReco({ intercept });
    ours.mock = mock;
    return () => mock.stop();
  },
  theirs: name.startsWith("nock")
    ? async () => {
        const { default: nock } = await import(name);
        if (!nock.isActive()) nock.activate();
        nock("https://theirs.example").persist().get("/x").reply(200, "theirs");
        return () => {
          nock.cleanAll();
          nock.restore();
        };
      }
    : async () => {
        const { http: msw, HttpResponse } = await import(name);
        const { setupServer } = await import(`${name}/node`);
        const server = setupServer(msw.get("https://theirs.example/x", () => new HttpResponse("theirs")));
        server.listen({ onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" });
        return () => server.close();
      },
};
const ours = {};
const other = (which) => (which === "ours" ? "theirs" : "ours");
const answers = {
  ours: () => fromBoth("https://vws.vuforia.com/summary"),
  theirs: () => fromBoth("https://theirs.example/x"),
};

const rounds = [];
for (const stop of stops) {
  const stopFirst = await starters[first]();
  const stopSecond = await starters[other(first)]();
  const stoppers = { [first]: stopFirst, [other(first)]: stopSecond };
  const both = { ours: await answers.ours(), theirs: await answers.theirs() };
  stoppers[stop]();
  await new Promise((resolve) => setImmediate(resolve));
  const left = await answers[other(stop)]();
  stoppers[other(stop)]();
  await new Promise((resolve) => setImmediate(resolve));
  rounds.push({
    ...both,
    left,
    reasons: ours.mock.requests.map(({ reason }) => reason),
    isRestored: patchable().every((value, index) => value === before[index]),
  });
}
console.log(JSON.stringify(rounds));
// Nothing else may keep the process alive, or be waited for.
process.exit();
