import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";

/*
 * Sends a request that is refused and one whose answer is delayed to a mock, stops it, and prints the two errors as JSON:
 * `refused-while-delayed.ts CLIENT MODE`.
 */

const [, , name = "", mode] = process.argv;

/** Each loads only its own client, which takes longer than everything else here. */
const CLIENTS: Readonly<Record<string, () => Promise<(url: string) => Promise<unknown>>>> = {
  fetch: async () => fetch,
  "node:https": async () => (url) =>
    new Promise((resolve, reject) => https.get(url, resolve).on("error", reject)),
  axios: async () => (await import("axios")).default.get,
  "axios (fetch)": async () => {
    const { default: axios } = await import("axios");
    return (url) => axios.get(url, { adapter: "fetch" });
  },
  got: async () => {
    const { default: got } = await import("got");
    return async (url) => await got(url, { retry: { limit: 0 } });
  },
  undici: async () => (await import("undici")).default.request,
};

const messages = (error: unknown): string =>
  error instanceof Error ? [error.message, error.cause && messages(error.cause)].join(" ") : String(error);

const client = await CLIENTS[name]?.();
const send = async (url: string) => client?.(url).then(() => "answered", messages);

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
