import { gzipSync } from "node:zlib";
import type { Reply, Respond } from "../http/exchange.ts";
import { percentDecoded } from "../http/route.ts";
import { dateOf, upstreamTime } from "./target-api.ts";

/** The pages of protocol section 14: what the parts in front of the real service send. */

const crlfPage = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
const lfPage = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));

const LOAD_BALANCER_PAGE = crlfPage(
  "<html>",
  "<head><title>400 Bad Request</title></head>",
  "<body>",
  "<center><h1>400 Bad Request</h1></center>",
  "</body>",
  "</html>",
);

/** A `Content-Length` that is no integer. */
export const loadBalancerPage: Respond = (exchange) => ({
  status: 400,
  headers: [
    ["Server", "awselb/2.0"],
    ["Content-Type", "text/html"],
    ["Connection", "close"],
    ["Date", dateOf(exchange)],
    ["Content-Length", String(LOAD_BALANCER_PAGE.length)],
  ],
  body: LOAD_BALANCER_PAGE,
});

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

/** A header line above the limit. */
export const headerTooLargePage: Respond = () => ({
  status: 400,
  headers: [
    ["Server", "nginx"],
    ["Content-Type", "text/html"],
    ["Connection", "close"],
    ["Content-Length", String(HEADER_TOO_LARGE_PAGE.length)],
  ],
  body: HEADER_TOO_LARGE_PAGE,
});

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
const htmlEscaped = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => HTML_ESCAPES[found] ?? found);

/** An unserved path or method of the target API's host: a page below a served prefix, an empty body elsewhere. */
export const notFoundPage: Respond = (exchange): Reply => {
  const { request, profile } = exchange;
  if (!profile.notFoundPagePrefixes.some((prefix) => request.path.startsWith(prefix)))
    return emptyNotFound(exchange);
  const shown = htmlEscaped(`${request.method} ${percentDecoded(request.path)}`);
  const body = gzipSync(
    lfPage(
      "<!DOCTYPE html>",
      '<html lang="en">',
      "    <head>",
      "        <title>Not Found</title>",
      "    </head>",
      "    <body>",
      "        <h1>Not Found</h1>",
      `        <p id="detail">For request '${shown}'</p>`,
      "    </body>",
      "</html>",
    ),
  );
  return {
    status: 404,
    headers: [
      ["Content-Type", "text/html; charset=UTF-8"],
      ["Content-Encoding", "gzip"],
      upstreamTime(exchange),
      ["Content-Length", String(body.length)],
    ],
    body,
  };
};

export const emptyNotFound: Respond = () => ({
  status: 404,
  headers: [["Content-Length", "0"]],
  body: Buffer.alloc(0),
});
