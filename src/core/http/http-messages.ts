import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Emulator, EmulatorServices } from "../emulator/emulator.ts";
import {
  type ConnectionError,
  type HeaderList,
  header,
  type MalformedKind,
  type RequestHead,
  type ResponseHead,
  type Result,
  type WireResponse,
} from "../emulator/message.ts";
import type { RefusalReason } from "../emulator/router.ts";
import { yieldToEventLoop } from "../general/scheduling.ts";
import { cause, withFurther } from "../schema/causes/causes.ts";
import { type ApiName, LONGEST_HEADER_LINE_BYTES } from "../schema/protocol.ts";

export const END_OF_HEAD = "\r\n\r\n";

/** Of bytes without a request line. */
export const NO_HEAD: RequestHead = { method: "", path: "", query: "", headers: [] };

export const headOf = ({ method = "", url = "", rawHeaders }: IncomingMessage): RequestHead => ({
  method,
  ...splitTarget(url),
  headers: headerPairs(rawHeaders),
});

/** Names and values that follow each other, in pairs. */
export function headerPairs(flat: readonly string[]): HeaderList {
  const headers: [string, string][] = [];
  for (let index = 0; index < flat.length; index += 2)
    headers.push([flat[index] ?? "", flat[index + 1] ?? ""]);
  return headers;
}

/**
 * Reads the head of a request that the HTTP parser refused; undefined without a request line.
 *
 * @param packet - from the start of the request; usually the whole head.
 */
export function salvagedHead(packet: Buffer): RequestHead | undefined {
  const [head = ""] = packet.toString("latin1").split(END_OF_HEAD, 1);
  const [first = "", ...lines] = head.split("\r\n");
  const found = /^([A-Z-]+) (\S+) HTTP\/\d\.\d$/.exec(first);
  if (found === null) return undefined;
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]];
  });
  return { method: found[1] ?? "", ...splitTarget(found[2] ?? ""), headers };
}

/** Whether bytes that the parser refused may begin with the rest of another request. */
export const mayBeStray = (head: RequestHead | undefined, code?: string): boolean =>
  head === undefined || code === "HPE_INVALID_METHOD";

/**
 * Returns what follows the whole requests in a packet.
 *
 * @param parsed - the place in the packet where the parser failed.
 */
export function refusedBytes(packet: Buffer, parsed = packet.length): Buffer {
  let start = 0;
  for (;;) {
    const end = packet.indexOf(END_OF_HEAD, start);
    if (end < 0 || end + END_OF_HEAD.length > parsed) return packet.subarray(start);
    const head = packet.toString("latin1", start, end);
    start = end + END_OF_HEAD.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  }
}

/** Splits a request target into path and query, without the scheme and host that requests to a proxy have. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : local.slice(mark + 1) };
}

/** Headers that node:http adds by default. */
const OWN_HEADERS = ["Connection", "Date", "Content-Length", "Transfer-Encoding"];

/** Sends a response unchanged. Resolves when it was passed to the operating system, or the client disconnected. */
export function sendResponse({ status, headers, body }: WireResponse, to: ServerResponse): Promise<void> {
  // After a disconnection, no event would settle the promise below.
  if (to.destroyed || to.socket?.destroyed !== false) return Promise.resolve();
  for (const name of OWN_HEADERS) to.removeHeader(name);
  return new Promise((resolve) => {
    to.once("finish", resolve).once("close", resolve);
    to.writeHead(status, headers.flat());
    to.end(body);
  });
}

/** Serializes a response, for the last response of a connection and for requests that could not be parsed. */
export function responseBytes({ status, headers, body }: WireResponse, method = "GET"): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}\r\n`, "latin1");
  return method === "HEAD" || status === 204 || status === 304 ? head : Buffer.concat([head, body]);
}

/** Whether a response ends without the end of the connection. */
export function isDelimited({ status, headers }: WireResponse, method: string): boolean {
  if (method === "HEAD" || status === 204 || status === 304) return true;
  return headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
}

export const saysClose = (response: ResponseHead): boolean =>
  header(response, "connection")?.toLowerCase() === "close";

export function withClose<T extends ResponseHead>(response: T): T {
  if (saysClose(response)) return response;
  const known = response.headers.some(([name]) => name.toLowerCase() === "connection");
  const headers: WireResponse["headers"] = known
    ? response.headers.map(([name, value]) => [name, name.toLowerCase() === "connection" ? "close" : value])
    : [...response.headers, ["Connection", "close"]];
  return { ...response, headers };
}

export function keepsAlive({ httpVersion, headers }: IncomingMessage): boolean {
  const connection = headers.connection?.toLowerCase() ?? "";
  return httpVersion === "1.0" ? connection.includes("keep-alive") : !connection.includes("close");
}

export function disconnect(socket: Duplex, kind: ConnectionError["kind"] | undefined): void {
  if (kind === "reset" && socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}

/** A response whose body is sent in chunks until it ends or the client disconnects. */
interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body?: undefined;
  readonly stream: (signal: AbortSignal) => Iterable<Buffer> | AsyncIterable<Buffer>;
}

export type ServedResponse = WireResponse | StreamedResponse;

export const isStreamed = (response: ServedResponse): response is StreamedResponse =>
  response.stream !== undefined;

export type ServedResult =
  | { readonly response: ServedResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

/** A connection whose bytes may be sent past node:http. */
interface SendingConnection {
  readonly isRaw: boolean;
  readonly socket: Duplex;
  write(bytes: Buffer): Promise<void>;
}

/** Sends chunks as they become available, at the speed of the client. */
export async function sendStream(
  { status, headers, stream }: Pick<StreamedResponse, "status" | "headers" | "stream">,
  response: ServerResponse,
  connection: SendingConnection,
  closing: AbortSignal,
): Promise<void> {
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const hasEnd = header({ headers }, "content-length") !== undefined;
  const signal = hasEnd ? disconnected.signal : AbortSignal.any([disconnected.signal, closing]);
  const { isRaw, socket } = connection;
  if (isRaw) void connection.write(responseBytes({ status, headers, body: Buffer.alloc(0) }));
  else {
    response.sendDate = false;
    if (hasEnd) response.removeHeader("Connection");
    response.writeHead(status, headers.flat());
    response.flushHeaders();
  }
  const to = isRaw ? socket : response;
  for await (const chunk of stream(signal)) {
    if (signal.aborted) break;
    if (!to.write(chunk)) await once(to, "drain", { signal }).catch(() => undefined);
    // A client that reads as fast as this writes would delay all others.
    await yieldToEventLoop();
  }
  if (!isRaw) response.end();
}

/** The fields of the error that node:http emits as `clientError`. */
export interface ParserError {
  readonly code?: string;
  /** The last bytes received. */
  readonly rawPacket?: Buffer;
  /** How many of them the parser accepted. */
  readonly bytesParsed?: number;
}

/** Classifies a parser error; undefined when the connection itself failed. */
export function malformedKind(code: string | undefined): MalformedKind | undefined {
  if (code === "HPE_INVALID_CONTENT_LENGTH" || code === "HPE_UNEXPECTED_CONTENT_LENGTH")
    return "contentLength";
  if (code === "HPE_HEADER_OVERFLOW") return "headersTooLarge";
  if (code === "HPE_INVALID_EOF_STATE") return "unended";
  return code?.startsWith("HPE_") === true ? "malformed" : undefined;
}

/** Made when one is needed: nothing is refused in most tests. */
const REFUSALS: Readonly<Record<MalformedKind, () => RefusalReason>> = {
  contentLength: () => ({ refusedBy: "http", cause: cause("content-length.malformed", {}) }),
  headersTooLarge: () => ({
    refusedBy: "http",
    cause: cause("header.too-long", { most: LONGEST_HEADER_LINE_BYTES }),
  }),
  malformed: () => ({ refusedBy: "http", cause: cause("http.malformed") }),
  unended: () => ({ refusedBy: "http", cause: cause("http.unended") }),
  bodyTooLarge: () => ({ refusedBy: "bodyLimit", cause: cause("body.too-large") }),
  overloaded: () => ({ refusedBy: "overload", cause: cause("server.overloaded") }),
};

/** Answers a request that could not be read completely, as the real service's front end does. */
export function answerMalformed(
  emulator: Pick<Emulator<EmulatorServices>, "handle">,
  served: readonly [ApiName, ...ApiName[]],
  why: MalformedKind,
  head: RequestHead,
): Promise<Result> {
  const { refusedBy, cause: own } = REFUSALS[why]();
  const { leftOverOf: earlier } = head;
  const isSure = why !== "unended" && head.method === "";
  const told =
    earlier === undefined ? own : withFurther(own, cause("bytes.left-over", { request: earlier, isSure }));
  const refusal = { malformed: why, refusedBy, cause: told };
  return emulator.handle(served, { ...head, body: Buffer.alloc(0) }, refusal);
}
