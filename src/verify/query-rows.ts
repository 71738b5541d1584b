import { ENTITY_TOO_LARGE_PAGE, HEADER_TOO_LARGE_PAGE, JETTY_PAGE } from "../apis/shared/pages.ts";
import type { HeaderList } from "../core/message.ts";
import { makePng, pngChunk } from "./png.ts";
import type { Plan } from "./query-plan.ts";

/** The expected response, without `Content-Length`, encoding and region. */
interface Expected {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** One way of failing one row of the query API's table. */
export interface QueryRow {
  readonly row: number;
  readonly what: string;
  readonly spoil: (plan: Plan, now: Date) => void;
  /** Settings of the database, on the wire. */
  readonly database?: Readonly<Record<string, unknown>>;
  readonly expected: Expected;
  /** Under the profile where the row is answered in another way. */
  readonly vuforia?: Expected;
  readonly assumed?: boolean;
  /** Rows that cannot fail in the same request. */
  readonly excludes?: readonly number[];
}

const nginx = { Connection: "keep-alive", Server: "nginx", Date: "<date>" };
const list = (headers: Readonly<Record<string, string>>): HeaderList => Object.entries(headers);
const LATIN1 = "text/plain;charset=iso-8859-1";

const text = (status: number, contentType: string, body: string, more: Record<string, string> = {}) => ({
  status,
  headers: list({ ...nginx, "Content-Type": contentType, ...more }),
  body,
});
const json = (status: number, code: string, space = "", more: Record<string, string> = {}) =>
  text(status, "application/json", `{"transaction_id":${space}"<id>","result_code":"${code}"}`, more);
const unauthorized = json(401, "AuthenticationFailure", "", { "WWW-Authenticate": "VWS" });
const challenge = (body: string) => text(401, LATIN1, body, { "WWW-Authenticate": "KWS" });
const noBoundary = text(400, "text/plain;charset=utf-8", "Unable to get boundary for multipart");
const empty = (status: number) => ({ status, headers: list(nginx), body: "" });
const formText = (body: string) => text(400, "application/json", body);
const authorization = (change: (right: string) => string) => (plan: Plan) => {
  plan.authorization = change;
};
const field = (name: string, content: string) => (plan: Plan) => {
  plan.parts = [...plan.parts, { name, content }];
};
const image = (content: Buffer) => (plan: Plan) => {
  plan.parts = plan.parts.map((part) => (part.name === "image" ? { ...part, content } : part));
};
/** A valid PNG, padded to a length by an extra chunk. */
const pngOfLength = (bytes: number) =>
  makePng({ before: [pngChunk("tEXt", Buffer.alloc(bytes - makePng().length - 12, 65))] });
const invalidNumber = (given: string): Expected =>
  formText(
    `Invalid value '${given}' in form data part 'max_result'. Expecting integer value in range from 1 to 50 (inclusive).`,
  );
const outOfRange = (given: string): Expected =>
  formText(
    `Integer out of range (${given}) in form data part 'max_result'. Accepted range is from 1 to 50 (inclusive).`,
  );

export const LARGEST_QUERY_IMAGE = pngOfLength(2_097_152);

export const QUERY_ROWS: readonly QueryRow[] = [
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
  {
    row: 14,
    what: "a boundary that does not occur",
    spoil: (plan) => {
      plan.boundary = "another";
    },
    expected: formText("No image."),
  },
  ...["images", "Image", "MAX_NUM_RESULTS", "", "__proto__"].map(
    (name): QueryRow => ({
      row: 15,
      what: `the unknown field ${JSON.stringify(name)}`,
      spoil: field(name, "1"),
      expected: json(400, "UnknownParameters"),
      vuforia: formText("Unknown parameters in the request."),
    }),
  ),
  {
    row: 16,
    what: "an image that is not a file",
    spoil: (plan) => {
      plan.parts = plan.parts.map((part) => ({ ...part, filename: undefined }));
    },
    expected: formText("No image."),
  },
  {
    row: 16,
    what: "no image",
    spoil: (plan) => {
      plan.parts = plan.parts.filter(({ name }) => name !== "image");
    },
    expected: formText("No image."),
    excludes: [17],
  },
  ...[
    { what: "an empty image", content: Buffer.alloc(0) },
    { what: "a text as image", content: Buffer.from("no image at all") },
    {
      what: "a GIF",
      content: Buffer.from(
        "47494638396101000100800000000000ffffff21f90400000000002c00000000010001000002024401003b",
        "hex",
      ),
    },
    {
      what: "an image 30001 pixels wide",
      content: makePng({ width: 30_001, height: 1, depth: 1, colourType: 0 }),
    },
    {
      what: "an image 30001 pixels high",
      content: makePng({ width: 1, height: 30_001, depth: 1, colourType: 0 }),
    },
    { what: "a text of 2097153 bytes as image", content: Buffer.alloc(2_097_153, 65) },
  ].map(
    ({ what, content }): QueryRow => ({
      row: 17,
      what,
      spoil: image(content),
      expected: json(422, "BadImage", " "),
      excludes: [18],
    }),
  ),
  {
    row: 18,
    what: "an image of 2097153 bytes",
    spoil: image(pngOfLength(2_097_153)),
    expected: {
      status: 413,
      headers: list({ ...nginx, Connection: "Close", "Content-Type": "text/html" }),
      body: ENTITY_TOO_LARGE_PAGE.toString(),
    },
  },
  ...["", " ", "5.0", "1e1", "a", "0x5", "1_0", "--5", "+", "2147483648", "9".repeat(400), "é"].map(
    (given): QueryRow => ({
      row: 19,
      what: `max_num_results ${JSON.stringify(given)}`,
      spoil: field("max_num_results", given),
      expected: invalidNumber(given),
    }),
  ),
  ...["0", "51", "-1", "2147483647", " +00 ", "-2147483649"].map(
    (given): QueryRow => ({
      row: 19,
      what: `max_num_results ${JSON.stringify(given)}`,
      spoil: field("max_num_results", given),
      expected: outOfRange(given),
    }),
  ),
  ...["", "TOPS", " top", "true"].map(
    (given): QueryRow => ({
      row: 20,
      what: `include_target_data ${JSON.stringify(given)}`,
      spoil: field("include_target_data", given),
      expected: formText(
        `Invalid value '${given.toLowerCase()}' in form data part 'include_target_data'. Expecting one of the (unquoted) string values 'all', 'none' or 'top'.`,
      ),
    }),
  ),
];
