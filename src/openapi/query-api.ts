import type { Profile } from "../profiles.ts";
import { RESULT_CODES, type ResultCode } from "../responses/result-codes.ts";
import { constant, described, hex32, type JsonSchema, listOf, object, orNull, text } from "./schema.ts";
import type { ApiDescription, Refusals, Variant } from "./variant.ts";

const HEADERS = ["Connection", "Server", "Date", "Content-Length"];
const image: JsonSchema = { contentMediaType: "application/octet-stream" };

/** Section 8 of the protocol. */
export function queryApi(profile: Profile): ApiDescription {
  return {
    title: "Query API",
    operations: {
      query: {
        summary: "Finds the targets that an image matches.",
        body: {
          contentType: "multipart/form-data",
          schema: object(
            {
              image: described(
                image,
                "A file: PNG or JPEG of at most 2097152 bytes and 30000 pixels a side.",
              ),
            },
            {
              max_num_results: { type: "integer", minimum: 1, maximum: 50, default: 1 },
              include_target_data: { enum: ["top", "all", "none"], default: "top" },
            },
          ),
        },
        responses: [
          {
            status: 200,
            description: "The targets that match, best first.",
            headers: HEADERS,
            contentType: "application/json",
            schema: object({
              result_code: constant("Success"),
              results: listOf(object({ target_id: text }, { target_data: targetData })),
              query_id: hex32,
            }),
          },
        ],
      },
    },
    refusals: refusals(profile),
    optionalHeaders: ["Content-Encoding", ...(profile.queryRegion ? [profile.regionHeader] : [])],
    security: () => "clientKeys",
  };
}

const targetData = object({
  target_timestamp: described({ type: "integer" }, "Seconds since the epoch of the last change."),
  name: text,
  application_metadata: orNull(text),
});

/** The table of checks of section 8. */
function refusals(profile: Profile): Refusals {
  const failure = (code: ResultCode, ...headers: readonly string[]): Variant => ({
    status: RESULT_CODES[code].status,
    description: RESULT_CODES[code].meaning,
    headers: [...HEADERS, ...headers],
    contentType: "application/json",
    resultCode: code,
  });
  const unauthorized = failure("AuthenticationFailure", "WWW-Authenticate");
  const noImage = formText("^No image\\.$");
  const invalid = formText("^Invalid value '.*' in form data part '");
  const onEvery =
    (...variants: readonly Variant[]) =>
    () =>
      variants;
  return {
    headerLinesFit: onEvery(
      page(400, "A header line has more than 8190 bytes.", ["Server", "Connection", "Content-Length"]),
    ),
    contentLengthFits: onEvery(
      {
        ...empty(400, "The Content-Length header is no integer."),
        headers: ["Connection", "Content-Length"],
      },
      {
        ...empty(504, "The body is shorter than its Content-Length."),
        headers: ["Connection", "Content-Length"],
      },
      unauthorized,
    ),
    authorizationGiven: onEvery(plainText(401, "Authorization header missing.", "WWW-Authenticate")),
    authorizationWellFormed: onEvery(plainText(401, "Malformed authorization header.", "WWW-Authenticate")),
    authenticated: onEvery(unauthorized),
    projectActive: onEvery(failure("InactiveProject")),
    acceptsJson: onEvery(empty(406, "The Accept header is neither application/json nor */*.")),
    dateGiven: onEvery(plainText(400, "Date header required.")),
    dateWellFormed: onEvery(plainText(401, "Malformed date header.", "WWW-Authenticate")),
    dateCurrent: onEvery(failure("RequestTimeTooSkewed")),
    contentTypeGiven: onEvery(
      page(400, "The request has no Content-Type header.", [...HEADERS, "Cache-Control"]),
    ),
    contentTypeIsMultipart: onEvery(empty(415, "The content type is not multipart/form-data.")),
    boundaryNamed: onEvery(plainText(400, "Unable to get boundary for multipart")),
    boundaryOccurs: onEvery(noImage),
    fieldsKnown: onEvery(
      profile.unknownQueryField === "json"
        ? failure("UnknownParameters")
        : formText("^Unknown parameters in the request\\.$"),
    ),
    imageGiven: onEvery(noImage),
    imageOpens: onEvery(failure("BadImage")),
    imageSmallEnough: onEvery(page(413, "The image has more than 2097152 bytes.", HEADERS)),
    maxNumResultsValid: onEvery(invalid, formText("^Integer out of range \\(.*\\) in form data part '")),
    includeTargetDataValid: onEvery(invalid),
  };
}

const empty = (status: number, description: string): Variant => ({
  status,
  description: `${description} (empty body)`,
  headers: HEADERS,
});

const page = (status: number, description: string, headers: readonly string[]): Variant => ({
  status,
  description,
  headers,
  contentType: "text/html",
  schema: text,
});

const plainText = (status: number, line: string, ...headers: readonly string[]): Variant => ({
  status,
  description: line,
  headers: [...HEADERS, ...headers],
  contentType: "text/plain",
  schema: constant(line),
});

/** Plain text, under the content type that the real service gives it. */
const formText = (pattern: string): Variant => ({
  status: 400,
  description: "A form field is missing or not accepted: plain text in spite of its content type.",
  headers: HEADERS,
  contentType: "application/json",
  schema: { type: "string", pattern },
});
