import { HEADER_TOO_LARGE_PAGE, JETTY_PAGE } from "../apis/signed/responses.ts";
import { QUERY_FORM_ROWS } from "./query-form-rows.ts";
import type { Plan } from "./query-plan.ts";
import { json, list, nginx, type QueryRow, text } from "./query-row.ts";

const LATIN1 = "text/plain;charset=iso-8859-1";
const unauthorized = json(401, "AuthenticationFailure", "", { "WWW-Authenticate": "VWS" });
const challenge = (body: string) => text(401, LATIN1, body, { "WWW-Authenticate": "KWS" });
const noBoundary = text(400, "text/plain;charset=utf-8", "Unable to get boundary for multipart");
const empty = (status: number) => ({ status, headers: list(nginx), body: "" });
const authorization = (change: (right: string) => string) => (plan: Plan) => {
  plan.authorization = change;
};

/** Rows 1 to 13: the framing, the headers and the state. */
const QUERY_HEADER_ROWS: readonly QueryRow[] = [
  {
    row: 1,
    what: "a header line of 8191 bytes",
    spoil: (plan) => {
      plan.extraHeader = "x".repeat(8191 - "X-Extra: ".length);
    },
    expected: {
      status: 400,
      headers: list({ Server: "nginx", "Content-Type": "text/html", Connection: "close" }),
      body: HEADER_TOO_LARGE_PAGE.toString(),
    },
    // It may answer with 431 too.
    assumed: true,
  },
  {
    row: 2,
    what: "a Content-Length that is too large",
    spoil: (plan) => {
      plan.contentLength = (right) => String(right + 1);
    },
    expected: { status: 504, headers: list({ Connection: "keep-alive" }), body: "" },
  },
  {
    row: 2,
    what: "a Content-Length that is not an integer",
    spoil: (plan) => {
      plan.contentLength = () => "0x10";
    },
    expected: { status: 400, headers: list({ Connection: "Close" }), body: "" },
  },
  {
    row: 2,
    what: "a Content-Length that is too small",
    spoil: (plan) => {
      plan.contentLength = (right) => String(right - 1);
    },
    expected: unauthorized,
  },
  {
    row: 3,
    what: "no Authorization",
    spoil: (plan) => {
      plan.authorization = undefined;
    },
    expected: challenge("Authorization header missing."),
    excludes: [4, 5],
  },
  ...[
    (right: string) => right.replace(" ", ""),
    (right: string) => right.replace(" ", "  "),
    (right: string) => right.replace(":", ""),
    (right: string) => right.replace(":", "::"),
    (right: string) => right.replace(/:.*/, ":"),
    () => "VWS",
    () => "",
  ].map(
    (change): QueryRow => ({
      row: 4,
      what: `Authorization like ${JSON.stringify(change("VWS key:signature"))}`,
      spoil: authorization(change),
      expected: challenge("Malformed authorization header."),
      excludes: [5],
    }),
  ),
  ...[
    (right: string) => right.replace(/ .*:/, " unknown:"),
    (right: string) => right.replace(/:.*/, ":c2lnbmF0dXJl"),
    (right: string) => right.replace("VWS", "vws"),
    () => "VWS: something",
  ].map(
    (change): QueryRow => ({
      row: 5,
      what: `Authorization like ${JSON.stringify(change("VWS key:signature"))}`,
      spoil: authorization(change),
      expected: unauthorized,
    }),
  ),
  {
    row: 6,
    what: "an inactive project",
    spoil: () => undefined,
    database: { state_name: "PROJECT_INACTIVE" },
    expected: json(403, "InactiveProject", " "),
  },
  ...["", "text/html, image/*", "application/json;q=0", "application/json; q=0.0, */*"].map(
    (accept): QueryRow => ({
      row: 7,
      what: `Accept ${JSON.stringify(accept)}`,
      spoil: (plan) => {
        plan.accept = accept;
      },
      expected: empty(406),
      assumed: accept.includes("/"),
    }),
  ),
  {
    row: 8,
    what: "no Date",
    spoil: (plan) => {
      plan.date = undefined;
    },
    expected: text(400, LATIN1, "Date header required."),
    excludes: [9, 10],
  },
  ...[
    "",
    "2026-11-21T10:42:00Z",
    "Sat, 21 Nov 2026 10:42:00 UTC",
    "Sat, 21 Nov 2026 10:42:00 +0000",
    "Sat, 31 Jun 2026 10:42:00 GMT",
    "21 Nov 2026 10:42:00 GMT",
    "Sat, 21 Nov 26 10:42:00 GMT",
    "Saturday, 21 Nov 2026 10:42:00 GMT",
  ].map(
    (date): QueryRow => ({
      row: 9,
      what: `Date ${JSON.stringify(date)}`,
      spoil: (plan) => {
        plan.date = date;
      },
      expected: challenge("Malformed date header."),
      excludes: [10],
    }),
  ),
  ...[66, -66].map(
    (minutes): QueryRow => ({
      row: 10,
      what: `a Date ${minutes} minutes away`,
      spoil: (plan, now) => {
        plan.date = new Date(now.getTime() + minutes * 60_000).toUTCString();
      },
      expected: json(403, "RequestTimeTooSkewed"),
    }),
  ),
  ...[undefined, ""].map(
    (contentType): QueryRow => ({
      row: 11,
      what: contentType === undefined ? "no Content-Type" : "an empty Content-Type",
      spoil: (plan) => {
        plan.contentType = contentType;
      },
      expected: text(400, "text/html;charset=iso-8859-1", JETTY_PAGE.toString(), {
        "Cache-Control": "must-revalidate,no-cache,no-store",
      }),
      excludes: [12, 13],
    }),
  ),
  ...["application/json", "multipart/mixed; boundary=b0undary", "*/*", "; boundary=b0undary"].map(
    (contentType): QueryRow => ({
      row: 12,
      what: `Content-Type ${contentType}`,
      spoil: (plan) => {
        plan.contentType = contentType;
      },
      expected: empty(415),
      ...(contentType === "*/*" && { vuforia: noBoundary }),
      excludes: [13],
    }),
  ),
  ...[
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary=""',
    "multipart/form-data; charset=utf-8; xboundary=b0undary",
    'multipart/form-data; x="; boundary=b0undary"',
  ].map(
    (contentType): QueryRow => ({
      row: 13,
      what: `Content-Type ${contentType}`,
      spoil: (plan) => {
        plan.contentType = contentType;
      },
      expected: noBoundary,
    }),
  ),
];

export const QUERY_ROWS: readonly QueryRow[] = [...QUERY_HEADER_ROWS, ...QUERY_FORM_ROWS];
