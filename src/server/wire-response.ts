import { type ServerResponse, STATUS_CODES } from "node:http";
import type { WireResponse } from "../http/wire-message.ts";

/** What node:http would add by itself. */
const OWN_HEADERS = ["Connection", "Date", "Content-Length", "Transfer-Encoding"];

/** Sends the bytes as given, and waits until they are handed to the system or the client is gone. */
export function sendResponse({ status, headers, body }: WireResponse, to: ServerResponse): Promise<void> {
  for (const name of OWN_HEADERS) to.removeHeader(name);
  return new Promise((resolve) => {
    to.once("finish", resolve).once("close", resolve);
    to.writeHead(status, headers.flat());
    to.end(body);
  });
}

/** A response as bytes, for a connection whose parser gave up. */
export function responseBytes({ status, headers, body }: WireResponse): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
