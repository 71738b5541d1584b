import dns from "node:dns";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import axios from "axios";
import got from "got";
import type { MockCloudReco } from "mock-cloud-reco";
import type nockType from "nock";

/*
 * Takes steps with a user's nock and a mock in this process, and prints what each client received at each step "ask":
 * `nock-orders.ts NOCK MODE STEP...`; NOCK is the file to import, and the mode "none" starts no mock.
 */

const [, , nockFile = "", mode, ...steps] = process.argv;

const viaNode = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { get } = url.startsWith("https:") ? https : http;
    const options = { agent: false, headers: { connection: "close" } };
    get(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`)).on("error", reject);
    }).on("error", reject);
  });

const any = () => true;
const CLIENTS: Readonly<Record<string, (url: string) => Promise<string>>> = {
  "node:https": viaNode,
  axios: async (url) => {
    const { status, data } = await axios.get(url, { validateStatus: any, responseType: "text" });
    return `${status} ${data}`;
  },
  got: async (url) => {
    const { statusCode, body } = await got(url, { throwHttpErrors: false, retry: { limit: 0 } });
    return `${statusCode} ${body}`;
  },
  fetch: async (url) => {
    const response = await fetch(url);
    return `${response.status} ${await response.text()}`;
  },
};

/** Everything that interceptors replace. */
const patched = (): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    ["fetch", "Headers", "Request", "Response"].map((n) => [n, Reflect.get(globalThis, n)]),
  ),
  ...Object.fromEntries(["request", "get", "ClientRequest"].map((n) => [`http.${n}`, Reflect.get(http, n)])),
  ...Object.fromEntries(["request", "get"].map((n) => [`https.${n}`, Reflect.get(https, n)])),
  addRequest: Reflect.get(http.Agent.prototype, "addRequest"),
  connect: Reflect.get(net.Socket.prototype, "connect"),
  createConnection: Reflect.get(https.Agent.prototype, "createConnection"),
});

const server = http.createServer((_request, response) => response.end("real")).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;

// No name is looked up, which can take seconds.
Object.assign(dns, {
  lookup: (host: string, ...rest: unknown[]) => {
    const done = rest.at(-1) as (error: Error) => void;
    setImmediate(done, Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }));
  },
});

const HOSTS = {
  ours: "https://vws.vuforia.com/summary",
  theirs: "https://theirs.example/x",
  "theirs, http": "http://plain.example/x",
  other: "https://127.0.0.1:1/x",
  "other, http": `http://127.0.0.1:${port}/x`,
};

const describe = (error: unknown): string => {
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return String(code ?? cause?.code ?? message);
};

async function ask() {
  const answers: [string, string][] = [];
  for (const [host, url] of Object.entries(HOSTS)) {
    if (host === "ours" && mock === undefined) continue;
    for (const [client, send] of Object.entries(CLIENTS)) {
      const timeOut = new Promise<string>((resolve) => setTimeout(resolve, 3000, "NEVER").unref());
      // Of our own answers, only what the mock alone answers with.
      const answer = await Promise.race([send(url).catch(describe), timeOut]);
      answers.push([`${host} ${client}`, answer.replace(/^(401) .*"AuthenticationFailure".*$/, "$1 ours")]);
    }
  }
  return Object.fromEntries(answers);
}

/** Loads the package, unless nothing of it is needed. */
async function starter(intercept: string | undefined): Promise<() => MockCloudReco | undefined> {
  if (intercept !== "nock" && intercept !== "sockets") return () => undefined;
  const { MockCloudReco } = await import("mock-cloud-reco");
  return () => new MockCloudReco({ intercept });
}
const startMock = await starter(mode);

const before = patched();
const results: unknown[] = [];
let mock: MockCloudReco | undefined;
let importing: Promise<{ default: typeof nockType }> | undefined;
let nock: typeof nockType | undefined;
const theirs = () => {
  if (nock === undefined) throw new Error("the step comes before the import");
  return nock;
};

const STEPS: Readonly<Record<string, () => unknown>> = {
  importing: () => {
    importing = import(nockFile);
  },
  import: async () => {
    nock = (await (importing ?? import(nockFile))).default;
  },
  start: () => {
    mock = startMock();
  },
  stop: () => {
    mock?.stop();
    mock = undefined;
  },
  restore: () => theirs().restore(),
  activate: () => !theirs().isActive() && theirs().activate(),
  cleanAll: () => theirs().cleanAll(),
  disable: () => {
    theirs().disableNetConnect();
    theirs().enableNetConnect(/127\.0\.0\.1/);
  },
  allow: () => theirs().enableNetConnect(/127\.0\.0\.1|vuforia\.com/),
  mocks: () => {
    for (const origin of ["https://theirs.example", "http://plain.example"])
      theirs()(origin).persist().get("/x").reply(200, "theirs");
  },
  ask: async () => {
    results.push(await ask());
  },
};

for (const step of steps) {
  await STEPS[step]?.();
  // What late requests are for ends in the next turns.
  await new Promise((resolve) => setTimeout(resolve, 2));
}
const after = patched();
const left = Object.keys(before).filter((name) => before[name] !== after[name]);
console.log(JSON.stringify({ results, left }));
process.exit();
