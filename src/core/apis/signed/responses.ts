import { gzipSync } from "node:zlib";
import type { Context, HeaderContext } from "../../emulator/context.ts";
import {
  constantSchema,
  hex32Schema,
  type JsonSchema,
  type JsonSchemas,
  objectSchema,
  stringSchema,
} from "../../emulator/json-schemas.ts";
import { acceptsEncoding, type HeaderList, header, type MalformedKind } from "../../emulator/message.ts";
import type { DeclaredBody } from "../../emulator/operation.ts";
import { REGIONS } from "../../emulator/profiles.ts";
import { type DeclaredResponse, dated, dateOf, ok, type PreparedResponse } from "../../emulator/response.ts";
import { asciiJson, htmlText, percentDecoded } from "../../general/text.ts";
import { LONGEST_HEADER_LINE_BYTES, RESULT_CODES, type ResultCode } from "../../schema/protocol.ts";

/** In milliseconds, as the proxy reports it. */
const UPSTREAM_TIME = "5";

/** Headers of the service itself, rather than of a proxy. */
export const serviceHeaders =
  (contentType: string) =>
  (at: HeaderContext): HeaderList => [
    ["Connection", "keep-alive"],
    ["Content-Type", contentType],
    ["server", "envoy"],
    [at.profile.upstreamTimeHeader, UPSTREAM_TIME],
    ["strict-transport-security", "max-age=31536000"],
    [at.profile.regionHeader, REGIONS],
    ["x-content-type-options", "nosniff"],
    ["Date", dateOf(at.now)],
  ];

const json = serviceHeaders("application/json");

export const anyFailure = (code: string, status: number, description = "A failure."): DeclaredResponse => ({
  status,
  resultCode: code,
  description,
  headers: json,
  body: (context) => asciiJson({ transaction_id: context.random.hex(32), result_code: code }),
});

const failures = new Map<string, DeclaredResponse>();

/** The same arguments return the same object. */
export function failure(code: ResultCode, status: number = RESULT_CODES[code].status): DeclaredResponse {
  const key = `${code} ${status}`;
  const declared = failures.get(key) ?? anyFailure(code, status, RESULT_CODES[code].meaning);
  failures.set(key, declared);
  return declared;
}

export const fail = (status: 400 | 422 | 500): DeclaredResponse => failure("Fail", status);

type Filled = "result_code" | "transaction_id";

/** A success. Its keys have the order of the schema, but by profile the result code comes before the transaction id. */
export function success<Key extends string>(
  properties: Readonly<Record<Key | Filled, JsonSchema>>,
  code: ResultCode = "Success",
  description = "Done.",
): DeclaredResponse<Readonly<Record<Exclude<Key, Filled>, unknown>>> {
  const specified = Object.keys(properties);
  const [first] = specified.filter((key) => key === "result_code" || key === "transaction_id");
  // Both change places, unless they have the recorded order already.
  const swapped: Readonly<Record<string, string>> =
    first === "result_code" ? {} : { result_code: "transaction_id", transaction_id: "result_code" };
  const recorded = specified.map((key) => swapped[key] ?? key);
  return {
    status: RESULT_CODES[code].status,
    resultCode: code,
    description,
    headers: json,
    schema: objectSchema(properties),
    body: (context, details: Readonly<Record<string, unknown>>) => {
      const filled: Readonly<Record<string, unknown>> = {
        result_code: code,
        transaction_id: context.random.hex(32),
        ...details,
      };
      const ordered: Record<string, unknown> = {};
      const keys = context.profile.successBodies === "recorded" ? recorded : specified;
      for (const key of keys) ordered[key] = filled[key];
      return asciiJson(ordered);
    },
  };
}

/** Every success has these properties, at different places. */
export const resultCode = (code: ResultCode = "Success") => ({ result_code: constantSchema(code) });

export const transaction = { transaction_id: hex32Schema };

export const tooManyRequests: DeclaredResponse = {
  status: 429,
  description: "More requests than a rate limit of the database allows (empty body).",
  headers: (at) => [
    ["Connection", "keep-alive"],
    ["server", "envoy"],
    [at.profile.rateLimitedHeader, "true"],
    [at.profile.upstreamTimeHeader, UPSTREAM_TIME],
    ["strict-transport-security", "max-age=31536000"],
    [at.profile.regionHeader, REGIONS],
    ["x-content-type-options", "nosniff"],
    ["Date", dateOf(at.now)],
  ],
};

export const unexpectedBody: DeclaredResponse = {
  status: 400,
  description: "The request has a body where none is allowed (empty body).",
  headers: (at) => [
    ["server", "envoy"],
    ["Date", dateOf(at.now)],
    [at.profile.upstreamTimeHeader, UPSTREAM_TIME],
  ],
};

export const streamTimeout: DeclaredResponse = {
  status: 408,
  description: "The body is shorter than its Content-Length.",
  headers: (at) => [
    ["Content-Type", "text/plain"],
    ["server", "envoy"],
    ["Connection", "close"],
    ["Date", dateOf(at.now)],
  ],
  schema: constantSchema("stream timeout"),
  body: () => "stream timeout",
};

/** A body that is a JSON object with these keys and no others. */
export const bodyWithKeys = (required: JsonSchemas, optional: JsonSchemas = {}): DeclaredBody => ({
  contentType: "application/json",
  schema: objectSchema(required, optional),
  keys: { required: Object.keys(required), optional: Object.keys(optional) },
});

/** The standard pages of the servers in front of the real service. */

const lfPage = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));

export const crlfPage = (title: string, ...body: string[]): Buffer => {
  const head = ["<html>", `<head><title>${title}</title></head>`, "<body>"];
  const lines = [...head, ...body, "</body>", "</html>"];
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
};

const BAD_REQUEST = "<center><h1>400 Bad Request</h1></center>";
const NGINX = "<hr><center>nginx</center>";

export const LOAD_BALANCER_PAGE = crlfPage("400 Bad Request", BAD_REQUEST);

export const fromLoadBalancer = (
  status: number,
  page: Buffer,
  description: string,
  connection: "close" | "keep-alive",
): DeclaredResponse => ({
  status,
  description,
  headers: (at) => [
    ["Server", "awselb/2.0"],
    ["Content-Type", "text/html"],
    ["Connection", connection],
    ["Date", dateOf(at.now)],
  ],
  schema: stringSchema,
  body: () => page,
});

/** For a `Content-Length` that is not an integer. */
export const loadBalancerPage = fromLoadBalancer(
  400,
  LOAD_BALANCER_PAGE,
  "The Content-Length header is not an integer.",
  "close",
);

export const HEADER_TOO_LARGE_PAGE = crlfPage(
  "400 Request Header Or Cookie Too Large",
  BAD_REQUEST,
  "<center>Request Header Or Cookie Too Large</center>",
  NGINX,
);

/** nginx's page for a header line that is too long, with the headers of the part of the service before it. */
export const headerTooLarge = (headers: DeclaredResponse["headers"]): DeclaredResponse => ({
  status: 400,
  description: `A header line has more than ${LONGEST_HEADER_LINE_BYTES} bytes.`,
  headers,
  schema: stringSchema,
  body: () => HEADER_TOO_LARGE_PAGE,
});

export const headerTooLargePage = headerTooLarge(serviceHeaders("text/html"));

export const ENTITY_TOO_LARGE_PAGE = crlfPage(
  "413 Request Entity Too Large",
  "<center><h1>413 Request Entity Too Large</h1></center>",
  NGINX,
);

export const JETTY_PAGE = lfPage(
  "<html>",
  "<head>",
  '<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>',
  "<title>Error 400 Bad Request</title>",
  "</head>",
  "<body>",
  "<h2>HTTP ERROR 400 Bad Request</h2>",
  "<table>",
  "<tr><th>URI:</th><td>http://cloudreco.vuforia.com/v1/query</td></tr>",
  "<tr><th>STATUS:</th><td>400</td></tr>",
  "<tr><th>MESSAGE:</th><td>Bad Request</td></tr>",
  "</table>",
  '<hr/><a href="https://jetty.org/">Powered by Jetty:// 12.0.20</a><hr/>',
  "",
  "</body>",
  "</html>",
);

/** One line of text: the details. */
export const plainText = (status: number, description = "One line of text."): DeclaredResponse<string> => ({
  status,
  description,
  headers: dated("text/plain"),
  schema: stringSchema,
  body: (_context, line) => line,
});

/** A response after which the client may try again in a second. */
export const retriable = (declared: DeclaredResponse<string>): DeclaredResponse<string> => ({
  ...declared,
  headers: (at) => [...declared.headers(at), ["Retry-After", "1"]],
});

/** The load balancer answers malformed requests. */
export const malformedPages: Readonly<Record<MalformedKind, DeclaredResponse<string>>> = {
  contentLength: loadBalancerPage,
  headersTooLarge: headerTooLargePage,
  malformed: loadBalancerPage,
  unended: loadBalancerPage,
  bodyTooLarge: plainText(413),
  overloaded: retriable(plainText(503)),
};

const pageNotFound = (request: string): Buffer =>
  lfPage(
    "<!DOCTYPE html>",
    '<html lang="en">',
    "    <head>",
    "        <title>Not Found</title>",
    "    </head>",
    "    <body>",
    "        <h1>Not Found</h1>",
    `        <p id="detail">For request '${htmlText(request)}'</p>`,
    "    </body>",
    "</html>",
  );

/** For an unserved path, or an unserved method of a served path; the details say which. */
const notFoundPage = (isGzipped: boolean): DeclaredResponse<string> => ({
  status: 404,
  description: "Nothing is served at this path.",
  headers: ({ profile }) => [
    ["Content-Type", "text/html; charset=UTF-8"],
    ...(isGzipped ? [["Content-Encoding", "gzip"] as const] : []),
    [profile.upstreamTimeHeader, UPSTREAM_TIME],
  ],
  schema: stringSchema,
  body: (_context, request) => (isGzipped ? gzipSync(pageNotFound(request)) : pageNotFound(request)),
});

export const emptyNotFound: DeclaredResponse = {
  status: 404,
  description: "Nothing is served at this path (empty body).",
  headers: () => [],
};

/** The page if the path begins with one of the profile's prefixes, otherwise an empty body. */
export function notFound({ request, profile }: Context): PreparedResponse {
  const { method, path } = request;
  if (!profile.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix))) return ok(emptyNotFound);
  const isGzipped =
    profile.notFoundPageEncoding === "always" || acceptsEncoding(header(request, "accept-encoding"), "gzip");
  return ok(notFoundPage(isGzipped), `${method} ${percentDecoded(path)}`);
}
