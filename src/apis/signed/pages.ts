import { gzipSync } from "node:zlib";
import { acceptsEncoding } from "../../emulator/accept.ts";
import type { MalformedKind } from "../../emulator/api.ts";
import type { Context } from "../../emulator/context.ts";
import { text } from "../../emulator/json-schema.ts";
import { header } from "../../emulator/message.ts";
import { dated } from "../../emulator/plain.ts";
import { type DeclaredResponse, dateOf, ok, type PreparedResponse } from "../../emulator/response.ts";
import { percentDecoded } from "../../emulator/router.ts";
import { upstreamTime } from "./target-responses.ts";

/** The standard pages of the servers in front of the real service. */

const crlfPage = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
const lfPage = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));

export const LOAD_BALANCER_PAGE = crlfPage(
  "<html>",
  "<head><title>400 Bad Request</title></head>",
  "<body>",
  "<center><h1>400 Bad Request</h1></center>",
  "</body>",
  "</html>",
);

/** For a `Content-Length` that is not an integer. */
export const loadBalancerPage: DeclaredResponse = {
  status: 400,
  description: "The Content-Length header is not an integer.",
  headers: (at) => [
    ["Server", "awselb/2.0"],
    ["Content-Type", "text/html"],
    ["Connection", "close"],
    ["Date", dateOf(at)],
  ],
  schema: text,
  body: () => LOAD_BALANCER_PAGE,
};

export const HEADER_TOO_LARGE_PAGE = crlfPage(
  "<html>",
  "<head><title>400 Request Header Or Cookie Too Large</title></head>",
  "<body>",
  "<center><h1>400 Bad Request</h1></center>",
  "<center>Request Header Or Cookie Too Large</center>",
  "<hr><center>nginx</center>",
  "</body>",
  "</html>",
);

/** For a header line that is too long. */
export const headerTooLargePage: DeclaredResponse = {
  status: 400,
  description: "A header line has more than 8190 bytes.",
  headers: () => [
    ["Server", "nginx"],
    ["Content-Type", "text/html"],
    ["Connection", "close"],
  ],
  schema: text,
  body: () => HEADER_TOO_LARGE_PAGE,
};

export const ENTITY_TOO_LARGE_PAGE = crlfPage(
  "<html>",
  "<head><title>413 Request Entity Too Large</title></head>",
  "<body>",
  "<center><h1>413 Request Entity Too Large</h1></center>",
  "<hr><center>nginx</center>",
  "</body>",
  "</html>",
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

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};
const htmlEscaped = (raw: string): string => raw.replace(/[&<>"']/g, (found) => HTML_ESCAPES[found] ?? found);

/** One line of text: the details. */
export const plainText = (status: number, description = "One line of text."): DeclaredResponse<string> => ({
  status,
  description,
  headers: dated("text/plain"),
  schema: text,
  body: (_context, line) => line,
});

/** The load balancer answers malformed requests. */
export const malformedPages: Readonly<Record<MalformedKind, DeclaredResponse<string>>> = {
  contentLength: loadBalancerPage,
  headersTooLarge: headerTooLargePage,
  malformed: loadBalancerPage,
  bodyTooLarge: plainText(413),
  overloaded: plainText(503),
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
    `        <p id="detail">For request '${htmlEscaped(request)}'</p>`,
    "    </body>",
    "</html>",
  );

/** For an unserved path, or an unserved method of a served path; the details say which. */
const notFoundPage: DeclaredResponse<string> = {
  status: 404,
  description: "Nothing is served at this path.",
  headers: ({ profile }) => [["Content-Type", "text/html; charset=UTF-8"], upstreamTime(profile)],
  schema: text,
  body: (_context, request) => pageNotFound(request),
};

const gzippedNotFoundPage: DeclaredResponse<string> = {
  ...notFoundPage,
  headers: ({ profile }) => [
    ["Content-Type", "text/html; charset=UTF-8"],
    ["Content-Encoding", "gzip"],
    upstreamTime(profile),
  ],
  body: (_context, request) => gzipSync(pageNotFound(request)),
};

export const emptyNotFound: DeclaredResponse = {
  status: 404,
  description: "Nothing is served at this path (empty body).",
  headers: () => [],
};

/** An unserved request to the target API's host: the page if the path begins with one of the profile's prefixes, otherwise an empty body. */
export function notFound({ request, profile }: Context): PreparedResponse {
  const { method, path } = request;
  if (!profile.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix))) return ok(emptyNotFound);
  const isGzipped =
    profile.notFoundPageEncoding === "always" || acceptsEncoding(header(request, "accept-encoding"), "gzip");
  return ok(isGzipped ? gzippedNotFoundPage : notFoundPage, `${method} ${percentDecoded(path)}`);
}
