import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { TLSSocket } from "node:tls";
import type { HeaderList } from "mock-cloud-reco";
import type { Received, RequestParts } from "./fact.ts";

/** Sends a request to a base URL. Rejects when there is no complete response, and when the signal aborts. */
export type SendRequest = (baseUrl: string, request: RequestParts, signal?: AbortSignal) => Promise<Received>;

/** More than any response that a fact expects: what is longer has no end, perhaps. */
const LARGEST_RESPONSE = 16 * 1024 * 1024;
/** How long a connection may take to be made, whatever a response may take. */
const CONNECT_SECONDS = 5;
/** A client that expects 100 waits a little, and then sends the body all the same. */
const CONTINUE_SECONDS = 2;
const CLOSED = "the connection was closed before a complete response";

/** Asks for connections that stay open, as client libraries do, but uses each one once: none is closed under a request. */
const options = { keepAlive: true, maxFreeSockets: 0 };
const httpAgent = new HttpAgent(options);
const httpsAgent = new HttpsAgent(options);
const http2Agent = new HttpsAgent({ ...options, ALPNProtocols: ["h2", "http/1.1"] });

const headerPairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));

/**
 * A client that shows headers as they are on the wire. It gives up after some seconds without a complete response, and
 * after 16 MiB.
 */
export const wireClient =
  (timeoutSeconds: number): SendRequest =>
  (baseUrl, { method, path, headers, body, contentLength, offersHttp2 = false }, signal) =>
    new Promise((resolve, reject) => {
      const stopped = new Error("the run was stopped");
      if (signal?.aborted === true) return reject(stopped);
      const url = new URL(baseUrl + path);
      const isSecure = url.protocol === "https:";
      const length = contentLength ?? body?.length;
      const secureAgent = offersHttp2 ? http2Agent : httpsAgent;
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method,
        headers: { ...headers, ...(length !== undefined && { "Content-Length": length }) },
        agent: isSecure ? secureAgent : httpAgent,
      });
      const timers: NodeJS.Timeout[] = [];
      // Timers run before received data is read; after a stall of this process, setImmediate lets the data come first.
      const after = (seconds: number, act: () => void) =>
        timers.push(setTimeout(() => setImmediate(act), seconds * 1000));
      const settle = () => {
        for (const timer of timers) clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        request.destroy();
      };
      const fail = (error: Error) => {
        settle();
        reject(error);
      };
      const done = (response: Received) => {
        settle();
        resolve(response);
      };
      // Of what no client library sends, the request itself may be the reason that no response is complete.
      const isUnusual = contentLength !== undefined || offersHttp2;
      const lost = (error: Error) =>
        fail(isUnusual && /hang up|aborted/.test(error.message) ? new Error(CLOSED) : error);
      const aborted = () => fail(stopped);
      signal?.addEventListener("abort", aborted);
      const timeOut = (what: string, seconds: number, isMissing = () => true) =>
        after(seconds, () => isMissing() && fail(new Error(`timeout: no ${what} in ${seconds} s`)));
      timeOut("complete response", timeoutSeconds);

      request.on("error", lost);
      request.on("socket", (socket) => {
        timeOut("connection", CONNECT_SECONDS, () => socket.connecting);
        if (!offersHttp2) return;
        socket.once("secureConnect", () => {
          // What it would answer over HTTP/2 does not matter: the choice differs.
          if (socket instanceof TLSSocket && socket.alpnProtocol === "h2")
            done({ status: 0, headers: [], body: Buffer.alloc(0), protocol: "h2" });
        });
      });
      const waits = headers.Expect !== undefined;
      let continued = false;
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > LARGEST_RESPONSE) fail(new Error("the response is longer than 16 MiB"));
          chunks.push(chunk);
        });
        response.on("error", lost);
        response.on("end", () =>
          done({
            status: response.statusCode ?? 0,
            headers: headerPairs(response.rawHeaders),
            body: Buffer.concat(chunks),
            ...(waits && { continued }),
            ...(offersHttp2 && { protocol: "http/1.1" }),
          }),
        );
      });
      // A service waits for bytes that never come until this side ends.
      if (Number(contentLength ?? 0) > (body?.length ?? 0)) request.on("finish", () => request.socket?.end());
      if (!waits) return request.end(body);
      // Once: 100 may come after that time.
      const sendBody = () => request.writableEnded || request.end(body);
      after(CONTINUE_SECONDS, sendBody);
      request.on("continue", () => {
        continued = true;
        sendBody();
      });
      request.flushHeaders();
    });
