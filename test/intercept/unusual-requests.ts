import https from "node:https";
import got from "got";
import { HttpsProxyAgent } from "https-proxy-agent";

export const SUMMARY = "https://vws.vuforia.com/summary";

/** Sends a request and returns its status and body, or the error's code. */
export const send = (url: string, options: https.RequestOptions = {}, body = ""): Promise<string> =>
  new Promise((resolve) => {
    const request = https.request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
      response.on("error", (error) => resolve(error.message));
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end(body);
  });

const agentOf = (proxy: string) => new HttpsProxyAgent(proxy);
export const POST = { method: "POST" };

/** Requests that are answered as by a server: what asks, and a pattern of its status and body, or of its error's code. */
export const UNUSUAL_REQUESTS: readonly (readonly [
  name: string,
  ask: () => Promise<string>,
  expected: RegExp,
])[] = [
  [
    "one header of 20,000 bytes",
    () => send(SUMMARY, { headers: { "X-Long": "a".repeat(20_000) } }),
    /^400 <html>/,
  ],
  [
    "40 headers of 500 bytes",
    () => {
      const headers = Object.fromEntries([...Array(40).keys()].map((n) => [`X-${n}`, "a".repeat(500)]));
      return send(SUMMARY, { headers });
    },
    /^(400|401|431) /,
  ],
  ...["abc", "1.5", "-1"].map(
    (length) =>
      [
        `Content-Length: ${length}`,
        () => send(SUMMARY, { ...POST, headers: { "Content-Length": length } }, "{}"),
        /^400 <html>/,
      ] as const,
  ),
  ["the method PROPFIND", () => send(SUMMARY, { method: "PROPFIND" }), /^404 /],
  ["the method TRACE", () => send(SUMMARY, { method: "TRACE" }), /^404 /],
  [
    "dots in a path, as they were sent",
    () => send(SUMMARY, { path: "/targets/../summary" }),
    /^ECONNREFUSED$/,
  ],
  ["an escaped path, as it was sent", () => send(SUMMARY, { path: "/targets/%2e%2e" }), /^401 /],
  [
    "got over HTTP/2",
    async () => {
      const { statusCode } = await got(SUMMARY, { http2: true, throwHttpErrors: false, retry: { limit: 0 } });
      return String(statusCode);
    },
    /^401$/,
  ],
  [
    "an agent of agent-base without a port",
    () =>
      send("https://vws.vuforia.com", {
        host: "vws.vuforia.com",
        path: "/summary",
        agent: agentOf("http://127.0.0.1:9"),
      }),
    /^(401 |ECONNREFUSED$)/,
  ],
  [
    "a body of GET",
    () => send(SUMMARY, { method: "GET", headers: { "Content-Length": "3" } }, "abc"),
    /^401 /,
  ],
];
