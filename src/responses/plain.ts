import type { Exchange, Reply } from "../http/exchange.ts";
import { asciiJson } from "./json.ts";
import { dateOf } from "./target-api.ts";

/** A response with nothing but its body's type and length. */
export function bodyReply(status: number, contentType: string, content: Buffer | string): Reply {
  const body = Buffer.from(content);
  return {
    status,
    headers: [
      ["Content-Type", contentType],
      ["Content-Length", String(body.length)],
    ],
    body,
  };
}

/** Responses with nothing but `Content-Type`, `Content-Length` and `Date` (protocol sections 7 and 10). */

export function plainReply(
  exchange: Exchange,
  status: number,
  contentType: string,
  content: Buffer | string,
): Reply {
  const reply = bodyReply(status, contentType, content);
  return { ...reply, headers: [...reply.headers, ["Date", dateOf(exchange)]] };
}

export const jsonReply = (exchange: Exchange, status: number, content: unknown): Reply =>
  plainReply(exchange, status, "application/json", asciiJson(content));

export const textReply = (exchange: Exchange, status: number, line: string): Reply =>
  plainReply(exchange, status, "text/plain", line);

export const emptyReply = (exchange: Exchange, status: number): Reply => ({
  status,
  headers: [
    ["Content-Length", "0"],
    ["Date", dateOf(exchange)],
  ],
  body: Buffer.alloc(0),
});
