import type { Emulator } from "../emulator.ts";
import type { Answer } from "../http/endpoint.ts";
import type { Exchange, Reply } from "../http/exchange.ts";
import type { Outcome } from "../http/outcome.ts";
import { headerTooLargePage, loadBalancerPage } from "../responses/pages.ts";
import { textReply } from "../responses/plain.ts";
import { emptyOnly, encodeQueryReply } from "../responses/query-api.ts";
import type { Awaitable } from "../runtime/awaitable.ts";
import type { Service } from "../runtime/operation.ts";
import type { Settings } from "../services.ts";
import type { Unreadable } from "./connection-faults.ts";
import type { RequestHead } from "./request-head.ts";

interface Refused {
  readonly refusedBy: string;
  readonly reason: string;
}

/** By whom and why, under the names that the checks have that say the same of whole requests. */
const REFUSALS: Readonly<Record<Unreadable, Refused>> = {
  contentLength: {
    refusedBy: "contentLengthFits",
    reason: "the Content-Length header is no integer, or there are two; it wants the body's number of bytes",
  },
  headersTooLarge: {
    refusedBy: "headerLinesFit",
    reason: "the header lines are too long; at most 8190 bytes are accepted in each",
  },
  malformed: { refusedBy: "http", reason: "what was sent is no HTTP/1.1 request" },
  bodyTooLarge: { refusedBy: "bodyLimit", reason: "the request body is larger than 64 MiB" },
};

/**
 * Answers what is no whole request, as the parts in front of the real service do (protocol sections 4, 8 and 11):
 * a request that no HTTP parser reads gets no further than the load balancer.
 */
export function answerUnreadable(
  emulator: Emulator,
  api: Service,
  { queryContentEncoding }: Pick<Settings, "queryContentEncoding">,
  why: Unreadable,
  head: RequestHead = { method: "", path: "", query: "", headers: [] },
): Promise<Outcome> {
  const refused = REFUSALS[why];
  const respond = async (exchange: Exchange): Promise<Answer> => {
    const plain = why === "bodyTooLarge" || api === "manager";
    const reply = plain
      ? plainPage(exchange, why, refused.reason)
      : pageOf(exchange, api, why, queryContentEncoding);
    return { reply: await reply, ...refused };
  };
  return emulator.refuse(api, { ...head, body: Buffer.alloc(0) }, respond);
}

function plainPage(exchange: Exchange, why: Unreadable, reason: string): Reply {
  const status = why === "bodyTooLarge" ? 413 : why === "headersTooLarge" ? 431 : 400;
  return textReply(exchange, status, reason);
}

function pageOf(
  exchange: Exchange,
  api: Service,
  why: Unreadable,
  encoding: Settings["queryContentEncoding"],
): Awaitable<Reply> {
  const tooLarge = why === "headersTooLarge";
  if (api !== "query") return tooLarge ? headerTooLargePage(exchange) : loadBalancerPage(exchange);
  return encodeQueryReply(
    tooLarge ? headerTooLargePage(exchange) : emptyOnly(400, "Close"),
    exchange,
    encoding,
  );
}
