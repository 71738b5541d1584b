// Prints where requests to the service end, of the clients of this runtime: `leaving.mjs [nock] [sockets] [register] [none]`.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Worker as NodeWorker } from "node:worker_threads";

const runtime = process.versions.bun ? "Bun" : typeof Deno !== "undefined" ? "Deno" : "Node";
const URL_OF_SERVICE = "http://vws.vuforia.com/summary";
const run = async (program, args, options = {}) =>
  (await promisify(execFile)(program, args, options)).stdout.trim();

/** What begins each mode, and returns what ends it. */
async function begin(mode) {
  if (mode === "register") await import("mock-cloud-reco/register");
  if (mode !== "nock" && mode !== "sockets") return () => {};
  const { MockCloudReco } = await import("mock-cloud-reco");
  const mock = new MockCloudReco({ intercept: mode, targetUrl: "http://vws.vuforia.com" });
  return () => mock.stop();
}

const asked = new URL("./ask.mjs", import.meta.url).pathname;
/** What the other thread or process of this runtime prints or posts. */
const ofNode = (env) => run(process.execPath, [asked], { env });
const inWeb = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./ask.mjs", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = reject;
  });
const inThread = () =>
  new Promise((resolve, reject) => {
    const worker = new NodeWorker(new URL("./ask.mjs", import.meta.url));
    worker.once("message", resolve);
    worker.once("error", reject);
  });
const text = async (response) => `${response.status} ${await response.text()}`;
const bodyOf = async (name, ask) => ask(await import(name));

const EVERYWHERE = {
  fetch: async (url) => text(await fetch(url)),
  curl: (url) => run("curl", ["-sS", url]),
};
const CLIENTS = {
  Node: {
    impit: (url) => bodyOf("impit", async ({ Impit }) => text(await new Impit().fetch(url))),
    "wreq-js": (url) => bodyOf("wreq-js", async (wreq) => text(await wreq.fetch(url))),
    "a child process": () => ofNode(process.env),
    "a child with an env of its own": () => ofNode({}),
    "a worker thread": inThread,
  },
  Bun: {
    "Bun.fetch": async (url) => text(await Bun.fetch(url)),
    "node-fetch": (url) => bodyOf("node-fetch", async (module) => text(await module.default(url))),
    "cross-fetch": (url) => bodyOf("cross-fetch", async (module) => text(await module.default(url))),
    "undici fetch": (url) => bodyOf("undici", async (module) => text(await module.fetch(url))),
    "undici request": (url) =>
      bodyOf("undici", async (module) => {
        const { statusCode, body } = await module.request(url);
        return `${statusCode} ${await body.text()}`;
      }),
    urllib: (url) =>
      bodyOf("urllib", async (module) => {
        const { status, data } = await module.request(url);
        return `${status} ${data}`;
      }),
    "a Worker": inWeb,
    "a child process": () => ofNode(process.env),
  },
  Deno: {
    "a Worker": inWeb,
    "a child process": () => run(Deno.execPath(), ["run", "-A", asked], { env: process.env }),
  },
};

const ended = (answer) => {
  if (answer.includes("the listening host")) return "leaves";
  if (answer.includes("mock-cloud-reco")) return "stopped";
  return answer.includes("result_code") ? "answered" : "stopped";
};
const messageOf = (error) =>
  `${error?.message ?? error} ${error?.cause?.message ?? ""} ${error?.stderr ?? ""}`;
const results = {};
for (const mode of process.argv.slice(2)) {
  const end = await begin(mode);
  for (const [name, send] of Object.entries({ ...EVERYWHERE, ...CLIENTS[runtime] })) {
    const answer = await send(URL_OF_SERVICE).catch(messageOf);
    results[name] = { ...results[name], [mode]: ended(String(answer)) };
  }
  end();
}
console.log(JSON.stringify(results));
process.exit();
