import type { Profile } from "../profiles.ts";
import { RESULT_CODES, type ResultCode } from "../responses/result-codes.ts";
import { constant, text } from "./schema.ts";
import type { Refusals, Variant } from "./variant.ts";

/** What even the plainest responses have. */
export const PLAIN_HEADERS = ["Content-Length", "Date"];

/** What every response with a result code has. */
export const ownHeaders = ({ upstreamTimeHeader, regionHeader }: Profile): readonly string[] => [
  "Connection",
  "server",
  upstreamTimeHeader,
  "strict-transport-security",
  regionHeader,
  "x-content-type-options",
  ...PLAIN_HEADERS,
];

/** Makes responses with nothing but a result code. */
export const failureWith =
  (profile: Profile) =>
  (code: ResultCode, statusCode: number = RESULT_CODES[code].status): Variant => ({
    status: statusCode,
    description: RESULT_CODES[code].meaning,
    headers: ownHeaders(profile),
    contentType: "application/json",
    resultCode: code,
  });

/** The page of a part in front of the service. */
const page = (statusCode: number, description: string, headers: readonly string[]): Variant => ({
  status: statusCode,
  description,
  headers: ["Content-Length", ...headers],
  contentType: "text/html",
  schema: text,
});
/** The load balancer's, for a `Content-Length` that is no integer. */
export const loadBalancerPage = page(400, "The Content-Length header is no integer.", [
  "Server",
  "Connection",
  "Date",
]);

/** The table of checks of section 4, and what instances and reports check beside it. */
export function refusals(profile: Profile): Refusals {
  const { upstreamTimeHeader, rateLimitedHeader } = profile;
  const failure = failureWith(profile);
  const malformed = (operation: string): Variant =>
    failure(operation === "generateInstance" ? "BadRequest" : "Fail");
  const always =
    (...variants: readonly Variant[]) =>
    () =>
      variants;
  const withBody =
    (...variants: readonly Variant[]): Refusals[string] =>
    ({ properties }) =>
      properties.length > 0 ? variants : [];
  const withProperty =
    (name: string, ...variants: readonly Variant[]): Refusals[string] =>
    ({ properties }) =>
      properties.includes(name) ? variants : [];
  return {
    headerLinesFit: always(page(400, "A header line has more than 8190 bytes.", ["Server", "Connection"])),
    withinRateLimits: always({
      status: 429,
      description: "More requests than a rate limit of the database allows; the body is empty.",
      headers: [rateLimitedHeader, upstreamTimeHeader, "server", ...PLAIN_HEADERS],
    }),
    authorizationGiven: always(failure("AuthenticationFailure")),
    authorizationWellFormed: always(failure("Fail")),
    knownAccessKey: always(failure("Fail")),
    signatureMatches: always(failure("AuthenticationFailure")),
    ownDatabaseNamed: always(),
    requestQuotaLeft: always(failure("RequestQuotaReached")),
    stateAllows: ({ operation, properties }) => [
      failure("ProjectHasNoApiAccess"),
      failure("ProjectSuspended"),
      ...(properties.length > 0 || ["deleteTarget", "getDuplicates"].includes(operation)
        ? [failure("ProjectInactive")]
        : []),
    ],
    targetQuotaLeft: always(),
    noTargetNamed: always(),
    knownTarget: always(failure("UnknownTarget")),
    noUnexpectedBody: ({ properties }) =>
      properties.length > 0
        ? []
        : [
            {
              status: 400,
              description: "The request has a body; that of this response is empty.",
              headers: ["server", "Date", upstreamTimeHeader, "Content-Length"],
            },
          ],
    dateCurrent: always(failure("Fail"), failure("RequestTimeTooSkewed")),
    bodyGiven: ({ operation, properties }) => {
      if (properties.length === 0) return [];
      return [properties.includes("image") ? failure("Fail", 500) : malformed(operation)];
    },
    bodyIsJsonObject: ({ operation, properties }) => (properties.length > 0 ? [malformed(operation)] : []),
    keysAllowed: ({ operation, properties }) => (properties.length > 0 ? [malformed(operation)] : []),
    metadataFits: withProperty(
      "application_metadata",
      failure("Fail"),
      failure("Fail", 422),
      failure("MetadataTooLarge"),
    ),
    activeFlagBoolean: withProperty("active_flag", failure("Fail")),
    instanceIdGiven: withProperty("instance_id", failure("BadRequest"), failure("InvalidInstanceId")),
    imageIsBase64: withProperty("image", failure("Fail"), failure("Fail", 422)),
    imageAcceptable: withProperty("image", failure("BadImage"), failure("ImageTooLarge")),
    nameFree: ({ operation, properties }) => {
      if (!properties.includes("name")) return [];
      const impossible = operation === "addTarget" ? failure("Fail", 500) : failure("TargetNameExist");
      return [failure("Fail"), impossible, failure("TargetNameExist")];
    },
    widthPositive: withProperty("width", failure("Fail")),
    contentTypeGiven: withBody(failure("AuthenticationFailure")),
    contentLengthFits: always(
      loadBalancerPage,
      {
        status: 408,
        description: "The body is shorter than its Content-Length.",
        headers: ["server", "Connection", "Content-Length"],
        contentType: "text/plain",
        schema: constant("stream timeout"),
      },
      failure("AuthenticationFailure"),
    ),
    databaseHasTemplates: always(failure("InvalidTargetType")),
    templateProcessed: always(failure("TargetStatusNotSuccess")),
    mediaTypeAccepted: always(failure("InvalidAcceptHeader")),
    monthAccepted: always(failure("Fail")),
    urlValid: always({
      status: 403,
      description: "A parameter of the URL is missing or malformed, or the URL has expired.",
      headers: PLAIN_HEADERS,
      contentType: "application/xml",
      schema: text,
    }),
  };
}
