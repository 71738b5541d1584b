import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { HeaderList } from "../emulator/message.ts";
import type { Received, RequestParts } from "./fact.ts";

/** Sends a request to a base URL. Rejects when there is no complete response. */
export type Send = (baseUrl: string, request: RequestParts) => Promise<Received>;

/** Asks for connections that stay open, as client libraries do, but uses each one once: none is closed under a request. */
const options = { keepAlive: true, maxFreeSockets: 0 };
const agents = { "http:": new HttpAgent(options), "https:": new HttpsAgent(options) };

/** A client that shows headers as they are on the wire, and gives up after some seconds without a complete response. */
export const wireClient =
  (timeoutSeconds: number): Send =>
  (baseUrl, request) =>
    request.contentLength === undefined && request.offersHttp2 !== true
      ? sendParsed(baseUrl, request, timeoutSeconds)
      : sendRaw(baseUrl, request, timeoutSeconds);

const headerPairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));

function sendParsed(
  baseUrl: string,
  { method, path, headers, body }: RequestParts,
  timeoutSeconds: number,
): Promise<Received> {
  const url = new URL(baseUrl + path);
  const secure = url.protocol === "https:";
  const length = body === undefined ? {} : { "Content-Length": body.length };
  const waits = headers.Expect !== undefined;
  let continued = false;
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(
      url,
      {
        method,
        headers: { ...headers, ...length },
        agent: agents[secure ? "https:" : "http:"],
        signal: AbortSignal.timeout(timeoutSeconds * 1000),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: headerPairs(response.rawHeaders),
            body: Buffer.concat(chunks),
            ...(waits && { continued }),
          }),
        );
      },
    );
    request.on("error", reject);
    if (!waits) {
      request.end(body);
      return;
    }
    // A client that expects 100 waits a little, and then sends the body all the same.
    const timer = setTimeout(() => request.end(body), LONGEST_WAIT_MILLISECONDS);
    request.on("continue", () => {
      continued = true;
      clearTimeout(timer);
      request.end(body);
    });
    request.on("close", () => clearTimeout(timer));
    request.flushHeaders();
  });
}

const LONGEST_WAIT_MILLISECONDS = 2000;

/** For what client libraries refuse to send: a `Content-Length` that is not the body's, or a choice of protocols. */
function sendRaw(
  baseUrl: string,
  { method, path, headers, body = Buffer.alloc(0), contentLength, offersHttp2 }: RequestParts,
  timeoutSeconds: number,
): Promise<Received> {
  const { protocol, hostname, port, pathname, search, host } = new URL(baseUrl + path);
  const lines = Object.entries({
    Host: host,
    Connection: "keep-alive",
    ...headers,
    ...(contentLength !== undefined && { "Content-Length": contentLength }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    const address = { host: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) };
    const tls =
      protocol === "https:"
        ? connectTls({
            ...address,
            servername: isIP(hostname) === 0 ? hostname : "",
            ...(offersHttp2 === true && { ALPNProtocols: ["h2", "http/1.1"] }),
          })
        : undefined;
    const socket = tls ?? connect({ ...address, allowHalfOpen: true });
    let received = Buffer.alloc(0);
    const settle = (isEnd: boolean) => {
      const response = parseResponse(received, isEnd);
      const chosen = tls?.alpnProtocol;
      if (response !== undefined)
        resolve(offersHttp2 === true ? { ...response, protocol: chosen || "http/1.1" } : response);
      else if (isEnd) reject(new Error("the connection was closed before a complete response"));
      if (response !== undefined || isEnd) socket.destroy();
    };
    socket.setTimeout(timeoutSeconds * 1000, () => socket.destroy(new Error("no response in time")));
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      settle(false);
    });
    socket.on("close", () => settle(true));
    tls?.on("secureConnect", () => {
      // What it would answer over HTTP/2 does not matter: the choice differs.
      if (tls.alpnProtocol !== "h2") return;
      resolve({ status: 0, headers: [], body: Buffer.alloc(0), protocol: "h2" });
      socket.destroy();
    });
    socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(body);
    // The service waits for bytes that never come until this side ends.
    if (Number(contentLength ?? 0) > body.length) socket.end();
  });
}

/** The first response in these bytes, if it is complete. */
function parseResponse(bytes: Buffer, isEnd: boolean): Received | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const status = Number(statusLine.split(" ")[1]);
  const body = bytes.subarray(end + 4);
  if (status === 100) return parseResponse(body, isEnd);
  const length = headers.find(([name]) => name.toLowerCase() === "content-length")?.[1];
  if (length === undefined) return isEnd ? { status, headers, body } : undefined;
  return body.length < Number(length)
    ? undefined
    : { status, headers, body: body.subarray(0, Number(length)) };
}
