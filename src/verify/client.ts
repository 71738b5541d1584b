import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { HeaderList } from "../emulator/message.ts";
import type { Received, RequestParts } from "./fact.ts";

/** Sends a request to a base URL. Rejects when there is no complete response, and when the signal aborts. */
export type Send = (baseUrl: string, request: RequestParts, signal?: AbortSignal) => Promise<Received>;

/** More than any response that a fact expects: what is longer has no end, perhaps. */
const LARGEST_RESPONSE = 16 * 1024 * 1024;
/** How long a connection may take to be made, whatever a response may take. */
const CONNECT_SECONDS = 5;

/** Asks for connections that stay open, as client libraries do, but uses each one once: none is closed under a request. */
const options = { keepAlive: true, maxFreeSockets: 0 };
const agents = { "http:": new HttpAgent(options), "https:": new HttpsAgent(options) };

/** What a request under way tells. */
interface Exchange {
  readonly done: (response: Received) => void;
  readonly fail: (error: Error) => void;
  /** Keeps a part of the response, and returns all that came so far. */
  readonly received: (chunk: Buffer) => readonly Buffer[];
  /** Gives up a connection that takes too long. */
  readonly connecting: (socket: Socket) => void;
}

/**
 * A client that shows headers as they are on the wire. It gives up after some seconds without a complete response, and
 * after 16 MiB.
 */
export const wireClient =
  (timeoutSeconds: number): Send =>
  (baseUrl, request, signal) =>
    new Promise((resolve, reject) => {
      let stop: () => void = () => {};
      let size = 0;
      const chunks: Buffer[] = [];
      const timers: NodeJS.Timeout[] = [];
      const settle = () => {
        for (const timer of timers) clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        stop();
      };
      const fail = (error: Error) => {
        settle();
        reject(error);
      };
      const after = (seconds: number, message: string) =>
        timers.push(setTimeout(() => fail(new Error(message)), seconds * 1000));
      const aborted = () => fail(new Error("the run was stopped"));
      if (signal?.aborted === true) return aborted();
      signal?.addEventListener("abort", aborted);
      after(timeoutSeconds, `timeout: no complete response in ${timeoutSeconds} s`);
      const isRaw = request.contentLength !== undefined || request.offersHttp2 === true;
      stop = (isRaw ? sendRaw : sendParsed)(new URL(baseUrl + request.path), request, {
        done: (response) => {
          settle();
          resolve(response);
        },
        fail,
        received: (chunk) => {
          size += chunk.length;
          if (size > LARGEST_RESPONSE) fail(new Error("the response is longer than 16 MiB"));
          chunks.push(chunk);
          return chunks;
        },
        connecting: (socket) => {
          if (!socket.connecting) return;
          const timer = setTimeout(
            () => fail(new Error(`timeout: no connection in ${CONNECT_SECONDS} s`)),
            CONNECT_SECONDS * 1000,
          );
          timers.push(timer);
          socket.once("connect", () => clearTimeout(timer));
        },
      });
    });

const headerPairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));

/** Returns a function that ends the exchange, whatever its state. */
function sendParsed(
  url: URL,
  { method, headers, body }: RequestParts,
  { done, fail, received, connecting }: Exchange,
): () => void {
  const secure = url.protocol === "https:";
  const length = body === undefined ? {} : { "Content-Length": body.length };
  const waits = headers.Expect !== undefined;
  let continued = false;
  const request = (secure ? httpsRequest : httpRequest)(
    url,
    { method, headers: { ...headers, ...length }, agent: agents[secure ? "https:" : "http:"] },
    (response) => {
      let chunks: readonly Buffer[] = [];
      response.on("data", (chunk: Buffer) => {
        chunks = received(chunk);
      });
      response.on("error", fail);
      response.on("end", () =>
        done({
          status: response.statusCode ?? 0,
          headers: headerPairs(response.rawHeaders),
          body: Buffer.concat(chunks),
          ...(waits && { continued }),
        }),
      );
    },
  );
  request.on("socket", connecting);
  request.on("error", fail);
  if (!waits) {
    request.end(body);
    return () => request.destroy();
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
  return () => request.destroy();
}

const LONGEST_WAIT_MILLISECONDS = 2000;

/** For what client libraries refuse to send: a `Content-Length` that is not the body's, or a choice of protocols. */
function sendRaw(
  { protocol, hostname, port, pathname, search, host }: URL,
  { method, headers, body = Buffer.alloc(0), contentLength, offersHttp2 }: RequestParts,
  { done, fail, received, connecting }: Exchange,
): () => void {
  const lines = Object.entries({
    Host: host,
    Connection: "keep-alive",
    ...headers,
    ...(contentLength !== undefined && { "Content-Length": contentLength }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
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
  connecting(socket);
  let chunks: readonly Buffer[] = [];
  const settle = (isEnd: boolean) => {
    const response = parseResponse(Buffer.concat(chunks), isEnd);
    if (response === undefined) {
      if (isEnd) fail(new Error("the connection was closed before a complete response"));
      return;
    }
    done(offersHttp2 === true ? { ...response, protocol: tls?.alpnProtocol || "http/1.1" } : response);
  };
  socket.on("error", fail);
  let [size, wanted] = [0, 0];
  socket.on("data", (chunk: Buffer) => {
    chunks = received(chunk);
    size += chunk.length;
    if (size < wanted) return;
    settle(false);
    wanted = Math.max(size + 1, sizeOf(Buffer.concat(chunks)));
  });
  // A service that ends its side without a response will send none, although this side is still open.
  socket.on("end", () => settle(true));
  socket.on("close", () => settle(true));
  tls?.on("secureConnect", () => {
    // What it would answer over HTTP/2 does not matter: the choice differs.
    if (tls.alpnProtocol === "h2") done({ status: 0, headers: [], body: Buffer.alloc(0), protocol: "h2" });
  });
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  socket.write(body);
  // The service waits for bytes that never come until this side ends.
  if (Number(contentLength ?? 0) > body.length) socket.end();
  return () => socket.destroy();
}

const HEAD_END = "\r\n\r\n";
const contentLength = (headers: HeaderList): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === "content-length")?.[1];

/** How many bytes a response has whose head is among these, as far as that is known. */
function sizeOf(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return 0;
  const { status, headers } = parseHead(bytes.subarray(0, end));
  if (status === 100) return end + HEAD_END.length + sizeOf(bytes.subarray(end + HEAD_END.length));
  return end + HEAD_END.length + Number(contentLength(headers) ?? Number.POSITIVE_INFINITY);
}

function parseHead(head: Buffer): Pick<Received, "status" | "headers"> {
  const [statusLine = "", ...lines] = head.toString("latin1").split("\r\n");
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(" ")[1]), headers };
}

/** The first response in these bytes, if it is complete. */
function parseResponse(bytes: Buffer, isEnd: boolean): Received | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const { status, headers } = parseHead(bytes.subarray(0, end));
  const body = bytes.subarray(end + HEAD_END.length);
  if (status === 100) return parseResponse(body, isEnd);
  const length = contentLength(headers);
  if (length === undefined) return isEnd ? { status, headers, body } : undefined;
  return body.length < Number(length)
    ? undefined
    : { status, headers, body: body.subarray(0, Number(length)) };
}
