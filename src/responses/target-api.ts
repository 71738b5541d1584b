import type { Exchange, Reply, Respond } from "../http/exchange.ts";
import type { HeaderList } from "../http/wire-message.ts";
import { REGIONS } from "../profiles.ts";
import { rfc1123Date } from "../signing.ts";
import { asciiJson } from "./json.ts";
import { RESULT_CODES, type ResultCode } from "./result-codes.ts";

/** Milliseconds that the part in front of the service says it waited. */
const UPSTREAM_TIME = "5";

export const transactionId = ({ random }: Exchange): string => random.hex(32);

export const dateOf = ({ now }: Exchange): string => rfc1123Date(new Date(now));

export const upstreamTime = ({ profile }: Exchange): readonly [string, string] => [
  profile.upstreamTimeHeader,
  UPSTREAM_TIME,
];

/** Any response of the target API that has a body of its own (protocol section 4). */
export function targetApiHeaders(exchange: Exchange, contentType: string, body: Buffer): HeaderList {
  return [
    ["Connection", "keep-alive"],
    ["Content-Type", contentType],
    ["server", "envoy"],
    upstreamTime(exchange),
    ["strict-transport-security", "max-age=31536000"],
    [exchange.profile.regionHeader, REGIONS],
    ["x-content-type-options", "nosniff"],
    ["Date", dateOf(exchange)],
    ["Content-Length", String(body.length)],
  ];
}

/** A JSON result-code response of the target API; keys go out in the order given. */
export function targetApiJson(
  exchange: Exchange,
  status: number,
  content: { readonly result_code: ResultCode; readonly [key: string]: unknown },
): Reply {
  return resultCodeJson(exchange, status, content);
}

function resultCodeJson(
  exchange: Exchange,
  status: number,
  content: { readonly result_code: string; readonly [key: string]: unknown },
): Reply {
  const body = Buffer.from(asciiJson(content));
  return {
    status,
    headers: targetApiHeaders(exchange, "application/json", body),
    body,
    resultCode: content.result_code,
  };
}

/** A failure: the two keys and nothing else. */
export function failure(code: ResultCode, status: number = RESULT_CODES[code].status): Respond {
  return anyFailure(code, status);
}

/** The same of a code that the service may never send. */
export function anyFailure(code: string, status: number): Respond {
  return (exchange) =>
    resultCodeJson(exchange, status, { transaction_id: transactionId(exchange), result_code: code });
}

/** Row 2: a request over a rate limit. */
export const tooManyRequests: Respond = (exchange) => ({
  status: 429,
  headers: [
    [exchange.profile.rateLimitedHeader, "true"],
    upstreamTime(exchange),
    ["server", "envoy"],
    ["Date", dateOf(exchange)],
    ["Content-Length", "0"],
  ],
  body: Buffer.alloc(0),
});

/** Row 12: a body where none belongs. */
export const unexpectedBody: Respond = (exchange) => ({
  status: 400,
  headers: [["server", "envoy"], ["Date", dateOf(exchange)], upstreamTime(exchange), ["Content-Length", "0"]],
  body: Buffer.alloc(0),
});

/** Row 25: fewer body bytes came than `Content-Length` said. */
export const streamTimeout: Respond = () => {
  const body = Buffer.from("stream timeout");
  return {
    status: 408,
    headers: [
      ["Content-Type", "text/plain"],
      ["server", "envoy"],
      ["Connection", "close"],
      ["Content-Length", String(body.length)],
    ],
    body,
  };
};
