import type { Reply } from "../http/exchange.ts";
import { serviceError, tokenError } from "../responses/model-target.ts";
import { textReply } from "../responses/plain.ts";
import { anyQueryFailure, encodeQueryReply } from "../responses/query-api.ts";
import { anyFailure } from "../responses/target-api.ts";
import type { Awaitable } from "../runtime/awaitable.ts";
import type { FaultSite } from "./fault-rule.ts";

/** A failure as the API that a request was sent to words it: its envelope, its headers, its encoding. */
export function resultCodeReply(
  { exchange, request, settings }: FaultSite,
  code: string,
  status: number,
): Awaitable<Reply> {
  switch (request.api) {
    case "target":
      return anyFailure(code, status)(exchange);
    case "query":
      return encodeQueryReply(
        anyQueryFailure(code, status)(exchange),
        exchange,
        settings.queryContentEncoding,
      );
    case "modelTarget":
      return request.operation === "token"
        ? tokenError(status, code)(exchange)
        : serviceError(status, { code, message: "a fault of the test" })(exchange);
    default:
      return textReply(exchange, status, code);
  }
}
