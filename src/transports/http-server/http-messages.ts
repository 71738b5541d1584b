import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionError, header, type WireRequest, type WireResponse } from "../../core/message.ts";

/** A request up to its body. */
export type RequestHead = Omit<WireRequest, "body">;

export function headOf({ method = "", url = "", rawHeaders }: IncomingMessage): RequestHead {
  const headers: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return { method, ...splitTarget(url), headers };
}

/**
 * What can be read of a request that the HTTP parser gave up on; nothing when its first line is not there.
 *
 * @param packet - the last bytes that came, which for a request of ordinary size is its whole head.
 */
export function salvagedHead(packet: Buffer): RequestHead | undefined {
  const [head = ""] = packet.toString("latin1").split("\r\n\r\n", 1);
  const [first = "", ...lines] = head.split("\r\n");
  const found = /^([A-Z-]+) (\S+) HTTP\/\d\.\d$/.exec(first);
  if (found === null) return undefined;
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]];
  });
  return { method: found[1] ?? "", ...splitTarget(found[2] ?? ""), headers };
}

/** Path and query of a request target; that of a request through a proxy begins with scheme and host. */
export function splitTarget(target: string): Pick<WireRequest, "path" | "query"> {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : local.slice(mark + 1) };
}

/** What node:http would add by itself. */
const OWN_HEADERS = ["Connection", "Date", "Content-Length", "Transfer-Encoding"];

/** Sends the bytes as given, and waits until they are handed to the system or the client is gone. */
export function sendResponse({ status, headers, body }: WireResponse, to: ServerResponse): Promise<void> {
  // A client that is gone gets none, and no event would say so any more.
  if (to.destroyed || to.socket?.destroyed !== false) return Promise.resolve();
  for (const name of OWN_HEADERS) to.removeHeader(name);
  return new Promise((resolve) => {
    to.once("finish", resolve).once("close", resolve);
    to.writeHead(status, headers.flat());
    to.end(body);
  });
}

/** A response as bytes: the last of a connection, or one for bytes that no parser reads. */
export function responseBytes({ status, headers, body }: WireResponse, method = "GET"): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}\r\n`, "latin1");
  return method === "HEAD" || status === 204 || status === 304 ? head : Buffer.concat([head, body]);
}

/** Whether the client can tell where the response ends without the end of the connection. */
export function isDelimited({ status, headers }: WireResponse, method: string): boolean {
  if (method === "HEAD" || status === 204 || status === 304) return true;
  return headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
}

/** Whether the connection ends with the response. */
export const saysClose = (response: WireResponse): boolean =>
  header(response, "connection")?.toLowerCase() === "close";

/** The same response, saying that the connection ends with it. */
export function withClose(response: WireResponse): WireResponse {
  if (saysClose(response)) return response;
  const known = response.headers.some(([name]) => name.toLowerCase() === "connection");
  const headers: WireResponse["headers"] = known
    ? response.headers.map(([name, value]) => [name, name.toLowerCase() === "connection" ? "close" : value])
    : [...response.headers, ["Connection", "close"]];
  return { ...response, headers };
}

/** Whether the client wants to send another request on the connection. */
export function keepsAlive({ httpVersion, headers }: IncomingMessage): boolean {
  const wishes = headers.connection?.toLowerCase() ?? "";
  return httpVersion === "1.0" ? wishes.includes("keep-alive") : !wishes.includes("close");
}

/** Fails a connection as it was configured: cut in the middle, or simply gone. */
export function cut(socket: Duplex, kind: ConnectionError["kind"] | undefined): void {
  if (kind === "reset" && socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}
