import https from "node:https";
import axios from "axios";
import got from "got";
import { request } from "undici";
import { MockCloudReco } from "../../src/index.ts";

/*
 * Sends a request that is refused and one whose answer is delayed to a mock, stops it, and prints the two errors as JSON:
 * `refused-while-delayed.ts CLIENT MODE`.
 */

const [, , client = "", mode] = process.argv;

const CLIENTS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  fetch,
  "node:https": (url) => new Promise((resolve, reject) => https.get(url, resolve).on("error", reject)),
  axios: (url) => axios.get(url),
  "axios (fetch)": (url) => axios.get(url, { adapter: "fetch" }),
  got: async (url) => await got(url, { retry: { limit: 0 } }),
  undici: request,
};
const send = async (url: string) => CLIENTS[client]?.(url).then(() => "answered", messages);

const messages = (error: unknown): string =>
  error instanceof Error ? [error.message, error.cause && messages(error.cause)].join(" ") : String(error);

// No mock serves the root of the host.
const base = "https://service.example/vws";
const mock = new MockCloudReco({
  intercept: mode === "sockets" ? "sockets" : "nock",
  targetUrl: base,
  responseDelaySeconds: 60,
});
const waiting = send(`${base}/summary`);
const refused = [await send("https://service.example/"), await send("https://service.example:444/")];

mock.stop();
console.log(JSON.stringify([...refused, await waiting]));
