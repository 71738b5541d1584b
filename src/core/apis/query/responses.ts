import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import type { ApiResponse, Context, HeaderContext } from "../../emulator/context.ts";
import {
  arraySchema,
  constantSchema,
  hex32Schema,
  objectSchema,
  orNullSchema,
  stringSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import { acceptsEncoding, type HeaderList, header } from "../../emulator/message.ts";
import { type Profile, REGIONS } from "../../emulator/profiles.ts";
import { type DeclaredResponse, dateOf } from "../../emulator/response.ts";
import { asciiJson } from "../../general/text.ts";
import { RESULT_CODES, type ResultCode } from "../../schema/protocol.ts";
import type { Services } from "../services.ts";
import { ENTITY_TOO_LARGE_PAGE, headerTooLarge, JETTY_PAGE } from "../signed/responses.ts";

/** The query API's responses, without the encoding and the region that {@link encodeResponse} adds to each of them. */

/** The headers of every response, and those named. */
const headers =
  (named: HeaderList, connection = "keep-alive") =>
  (at: HeaderContext): HeaderList => [
    ["Connection", connection],
    ["Server", "nginx"],
    ["Date", dateOf(at.now)],
    ...named,
  ];

/** The codes whose body has a space after `"transaction_id":`. */
const SPACED_CODES: readonly string[] = ["BadImage", "InactiveProject"];

/** A result-code failure with any code, even one that the service never sends. */
export function anyFailure(code: string, status: number, description = "A failure."): DeclaredResponse {
  const named: [string, string][] = [["Content-Type", "application/json"]];
  if (code === "AuthenticationFailure") named.push(["WWW-Authenticate", "VWS"]);
  return {
    status,
    resultCode: code,
    description,
    headers: headers(named),
    body: (context) => {
      const json = asciiJson({ transaction_id: context.random.hex(32), result_code: code });
      return SPACED_CODES.includes(code) ? json.replace(":", ": ") : json;
    },
  };
}

const failure = (code: ResultCode): DeclaredResponse =>
  anyFailure(code, RESULT_CODES[code].status, RESULT_CODES[code].meaning);

export const authenticationFailure = failure("AuthenticationFailure");
export const inactiveProject = failure("InactiveProject");
export const requestTimeTooSkewed = failure("RequestTimeTooSkewed");
export const unknownParameters = failure("UnknownParameters");
export const badImage = failure("BadImage");

export const queryResults: DeclaredResponse<{ readonly results: readonly object[] }> = {
  status: 200,
  resultCode: "Success",
  description: "The targets that match, best first.",
  headers: headers([["Content-Type", "application/json"]]),
  schema: objectSchema({
    result_code: constantSchema("Success"),
    results: arraySchema(
      objectSchema(
        { target_id: stringSchema },
        {
          target_data: objectSchema({
            target_timestamp: withDescription(
              { type: "integer" },
              "Time of the last change, in seconds since the epoch.",
            ),
            name: stringSchema,
            application_metadata: orNullSchema(stringSchema),
          }),
        },
      ),
    ),
    query_id: hex32Schema,
  }),
  body: (context, { results }) =>
    asciiJson({ result_code: "Success", results, query_id: context.random.hex(32) }),
};

const LATIN1_TEXT = ["Content-Type", "text/plain;charset=iso-8859-1"] as const;

const plainText = (status: number, line: string, ...named: HeaderList): DeclaredResponse => ({
  status,
  description: line,
  headers: headers(named),
  schema: constantSchema(line),
  body: () => line,
});

const challenge = (line: string) => plainText(401, line, LATIN1_TEXT, ["WWW-Authenticate", "KWS"]);

export const authorizationMissing = challenge("Authorization header missing.");
export const authorizationMalformed = challenge("Malformed authorization header.");
export const dateMalformed = challenge("Malformed date header.");
export const dateRequired = plainText(400, "Date header required.", LATIN1_TEXT);
export const noBoundary = plainText(400, "Unable to get boundary for multipart", [
  "Content-Type",
  "text/plain;charset=utf-8",
]);

export const noDisposition = plainText(400, "Could find no Content-Disposition header within part", [
  "Content-Type",
  "text/plain;charset=utf-8",
]);

/** Plain text under the content type that the real service sends with it. */
const formText = (description: string, pattern: string) => ({
  status: 400,
  description,
  headers: headers([["Content-Type", "application/json"]]),
  schema: { type: "string", pattern },
});

const fixedFormText = (line: string, pattern: string): DeclaredResponse => ({
  ...formText(`The text "${line}", despite the content type.`, pattern),
  body: () => line,
});

export const noImage = fixedFormText("No image.", "^No image\\.$");
export const unknownParametersText = fixedFormText(
  "Unknown parameters in the request.",
  "^Unknown parameters in the request\\.$",
);

/** A form field has an invalid value; the details are the text. */
const fieldText = (description: string, pattern: string): DeclaredResponse<string | Buffer> => ({
  ...formText(description, pattern),
  body: (_context, line) => line,
});

export const invalidValue = fieldText(
  "A form field is invalid: plain text despite the content type.",
  "^Invalid value '.*' in form data part '",
);
export const outOfRange = fieldText(
  "A number is out of range: plain text despite the content type.",
  "^Integer out of range \\(.*\\) in form data part '",
);

const empty = (status: number, description: string): DeclaredResponse => ({
  status,
  description: `${description} (empty body)`,
  headers: headers([]),
});

export const notAcceptable = empty(406, "No media range of the Accept header covers application/json.");
export const unsupportedMediaType = empty(415, "The content type is not multipart/form-data.");
export const nothingServed = empty(404, "Nothing is served at this path.");

/** The error page of the Jetty server that runs the service. */
export const jettyPage: DeclaredResponse = {
  status: 400,
  description: "The request has no Content-Type header.",
  headers: headers([
    ["Content-Type", "text/html;charset=iso-8859-1"],
    ["Cache-Control", "must-revalidate,no-cache,no-store"],
  ]),
  schema: stringSchema,
  body: () => JETTY_PAGE,
};

export const entityTooLarge: DeclaredResponse = {
  status: 413,
  description: "The image has more than 2097152 bytes.",
  headers: headers([["Content-Type", "text/html"]], "Close"),
  schema: stringSchema,
  body: () => ENTITY_TOO_LARGE_PAGE,
};

export const headerTooLargePage = headerTooLarge(headers([["Content-Type", "text/html"]]));

/** Sent by the server rather than a check: the manager cannot be reached, the body is too large. */
export const serverText = (status: number): DeclaredResponse<string> => ({
  status,
  description: "One line of text.",
  headers: headers([["Content-Type", "text/plain"]]),
  schema: stringSchema,
  body: (_context, line) => line,
});

const emptyOnly = (status: number, connection: string, description: string): DeclaredResponse => ({
  status,
  description: `${description} (empty body)`,
  headers: () => [["Connection", connection]],
});

export const lengthNotAnInteger = emptyOnly(400, "Close", "The Content-Length header is not an integer.");
export const bodyTooShort = emptyOnly(504, "keep-alive", "The body is shorter than its Content-Length.");

/** Above this many bytes, compressing takes more than a tenth of a millisecond. Below, another thread would take longer. */
const SMALL_BODY = 2 ** 12;
/** A short body becomes no longer by these, and memory that is touched first takes longer than compressing. */
const FOR_SMALL_BODY = { chunkSize: 1024, windowBits: 12, memLevel: 5 };
const gzipInBackground = promisify(gzip);
const gzipped = (body: Buffer) =>
  body.length > SMALL_BODY ? gzipInBackground(body) : gzipSync(body, FOR_SMALL_BODY);

/** Under the neutral profile whatever the client accepts: decision 0012. */
export const isGzipped = (
  status: number,
  { request, profile }: Context,
  { answerOptions }: Services,
): boolean =>
  answerOptions.queryContentEncoding === "gzip" &&
  (profile.queryEncoding === "always" ||
    (status === queryResults.status && acceptsEncoding(header(request, "accept-encoding"), "gzip")));

/** Adds the encoding (to empty bodies too), by profile the region, and the length of the encoded bytes. */
export async function encodeResponse(
  response: ApiResponse,
  context: Context,
  services: Services,
): Promise<ApiResponse> {
  const isEncoded = isGzipped(response.status, context, services);
  const body = isEncoded ? await gzipped(response.body) : response.body;
  return {
    ...response,
    headers: [
      // Without their length, which comes last.
      ...response.headers.slice(0, -1),
      ...(isEncoded ? [["Content-Encoding", "gzip"] as const] : []),
      ...regionHeader(context.profile),
      ["Content-Length", String(body.length)],
    ],
    body,
  };
}

const regionHeader = ({ queryRegion, regionHeader: name }: Profile): HeaderList =>
  queryRegion ? [[name, REGIONS]] : [];

/** The headers that {@link encodeResponse} may add. */
export const addedHeaders = (profile: Profile): readonly string[] => [
  "Content-Encoding",
  ...regionHeader(profile).map(([name]) => name),
];
