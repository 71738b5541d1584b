import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Exchange, Reply, Respond } from "../http/exchange.ts";
import type { HeaderList } from "../http/wire-message.ts";
import { REGIONS } from "../profiles.ts";
import { asciiJson } from "./json.ts";
import { ENTITY_TOO_LARGE_PAGE, JETTY_PAGE } from "./pages.ts";
import { RESULT_CODES, type ResultCode } from "./result-codes.ts";
import { dateOf, transactionId } from "./target-api.ts";

/**
 * The query API's responses (protocol section 8), still without what {@link encodeQueryReply} gives to each of them:
 * content encoding, region and length.
 */
function queryReply(
  exchange: Exchange,
  status: number,
  named: HeaderList,
  body: string | Buffer = "",
  connection = "keep-alive",
): Reply {
  return {
    status,
    headers: [["Connection", connection], ["Server", "nginx"], ["Date", dateOf(exchange)], ...named],
    body: Buffer.from(body),
  };
}

/** The codes whose body has a space after `"transaction_id":`. */
const SPACED_CODES: readonly string[] = ["BadImage", "InactiveProject"];

/** A result-code failure: the two keys and nothing else. */
export const queryFailure = (code: ResultCode): Respond => anyQueryFailure(code, RESULT_CODES[code].status);

/** The same of a code that the service may never send. */
export function anyQueryFailure(code: string, status: number): Respond {
  return (exchange) => {
    const body = asciiJson({ transaction_id: transactionId(exchange), result_code: code });
    const named: [string, string][] = [["Content-Type", "application/json"]];
    if (code === "AuthenticationFailure") named.push(["WWW-Authenticate", "VWS"]);
    const sent = SPACED_CODES.includes(code) ? body.replace(":", ": ") : body;
    return { ...queryReply(exchange, status, named, sent), resultCode: code };
  };
}

/** A success; keys go out in the order given. */
export function querySuccess(exchange: Exchange, content: { readonly [key: string]: unknown }): Reply {
  const body = asciiJson({ result_code: "Success", ...content });
  const named: HeaderList = [["Content-Type", "application/json"]];
  return { ...queryReply(exchange, 200, named, body), resultCode: "Success" };
}

const LATIN1_TEXT = "text/plain;charset=iso-8859-1";

/** Rows 3, 4 and 9: a plain text that asks for another authentication. */
export const challengeText =
  (text: string): Respond =>
  (exchange) =>
    queryReply(
      exchange,
      401,
      [
        ["Content-Type", LATIN1_TEXT],
        ["WWW-Authenticate", "KWS"],
      ],
      text,
    );

/** Row 8. */
export const dateRequired: Respond = (exchange) =>
  queryReply(exchange, 400, [["Content-Type", LATIN1_TEXT]], "Date header required.");

/** Row 13. */
export const noBoundary: Respond = (exchange) =>
  queryReply(
    exchange,
    400,
    [["Content-Type", "text/plain;charset=utf-8"]],
    "Unable to get boundary for multipart",
  );

/** Rows 14 to 16, 19 and 20: plain text, under the content type that the real service gives it. */
export const formText =
  (text: string | Buffer): Respond =>
  (exchange) =>
    queryReply(exchange, 400, [["Content-Type", "application/json"]], text);

/** An empty response: rows 7 and 12, and unserved paths and methods. */
export const emptyQueryReply =
  (status: 404 | 406 | 415): Respond =>
  (exchange) =>
    queryReply(exchange, status, []);

/** Row 11: the page of the server behind the service. */
export const jettyPage: Respond = (exchange) =>
  queryReply(
    exchange,
    400,
    [
      ["Content-Type", "text/html;charset=iso-8859-1"],
      ["Cache-Control", "must-revalidate,no-cache,no-store"],
    ],
    JETTY_PAGE,
  );

/** Row 18. */
export const entityTooLarge: Respond = (exchange) =>
  queryReply(exchange, 413, [["Content-Type", "text/html"]], ENTITY_TOO_LARGE_PAGE, "Close");

/** Row 2: a `Content-Length` that is no integer, or above the body's length. */
export const emptyOnly = (status: 400 | 504, connection: "Close" | "keep-alive"): Reply => ({
  status,
  headers: [["Connection", connection]],
  body: Buffer.alloc(0),
});

const gzipped = promisify(gzip);

/**
 * Gives a response what every response of the query API carries: its encoding (also of an empty body), by profile
 * the region, and the length of the encoded bytes.
 */
export async function encodeQueryReply(
  reply: Reply,
  { profile }: Exchange,
  encoding: "gzip" | "identity",
): Promise<Reply> {
  const body = encoding === "gzip" ? await gzipped(reply.body) : reply.body;
  const headers: [string, string][] = reply.headers
    .filter(([name]) => name !== "Content-Length")
    .map(([name, value]) => [name, value]);
  if (encoding === "gzip") headers.push(["Content-Encoding", "gzip"]);
  if (profile.queryRegion) headers.push([profile.regionHeader, REGIONS]);
  headers.push(["Content-Length", String(body.length)]);
  return { ...reply, headers, body };
}
