import http from "node:http";
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";

/*
 * Sends this process's first request to a mock, stops the mock after a delay, and prints what the client received:
 * `early-stop.ts CLIENT MODE DELAY`.
 */

const [, , client = "", mode, delay = ""] = process.argv;

const viaNode = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { get } = url.startsWith("https:") ? https : http;
    get(url, (response) => response.resume().on("end", () => resolve(response.statusCode))).on(
      "error",
      reject,
    );
  });

/** Each loads only its own client, which takes longer than everything else here. */
const CLIENTS: Readonly<Record<string, () => Promise<(url: string) => Promise<unknown>>>> = {
  fetch: async () => async (url) => (await fetch(url)).status,
  "node:https": async () => viaNode,
  axios: async () => {
    const { default: axios } = await import("axios");
    return async (url) => (await axios.get(url, { validateStatus: () => true })).status;
  },
  "axios (fetch)": async () => {
    const { default: axios } = await import("axios");
    return async (url) => (await axios.get(url, { adapter: "fetch", validateStatus: () => true })).status;
  },
  got: async () => {
    const { default: got } = await import("got");
    return async (url) => (await got(url, { throwHttpErrors: false, retry: { limit: 0 } })).statusCode;
  },
  undici: async () => {
    // In a file of its own, a package that is no module has only this export.
    const { default: undici } = await import("undici");
    return async (url) => (await undici.request(url)).statusCode;
  },
};

const turn = () => new Promise((resolve) => setImmediate(resolve));
const DELAYS: Readonly<Record<string, () => unknown>> = {
  microtask: () => Promise.resolve(),
  tick: () => new Promise((resolve) => process.nextTick(resolve)),
  immediate: turn,
  "2 immediates": async () => {
    await turn();
    await turn();
  },
};
const milliseconds = (text: string) =>
  new Promise((resolve) => setTimeout(resolve, Number.parseInt(text, 10)));

const messages = (error: unknown): string =>
  error instanceof Error ? [error.message, error.cause && messages(error.cause)].join(" ") : String(error);

const send = await CLIENTS[client]?.();
const mock = new MockCloudReco({ intercept: mode === "sockets" ? "sockets" : "nock" });
const answered = send?.(`${mock.urls.target}/summary`).then(String, messages);
// Keeps the process alive, too.
const never = new Promise((resolve) => setTimeout(resolve, 4000, "NEVER"));
if (delay !== "none") await (DELAYS[delay] ?? (() => milliseconds(delay)))();
mock.stop();
console.log(await Promise.race([answered, never]));
process.exit();
