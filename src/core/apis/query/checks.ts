import { CheckTable, check } from "../../emulator/check.ts";
import type { Context } from "../../emulator/context.ts";
import { header, isAccepted } from "../../emulator/message.ts";
import { parseMediaType } from "../../emulator/multipart.ts";
import { namedAccessKey } from "../../emulator/signing.ts";
import { show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import { isOfCloud } from "../../store/records.ts";
import { sendersOf } from "../explanations/clients.ts";
import { malformedDate, skewedDate } from "../explanations/dates.ts";
import { malformedAuthorization, missingDate, unknownKey } from "../explanations/values.ts";
import type { ApiContext } from "../services.ts";
import { authorizationGiven, recordsOfKey, signatureVerdict, viewOf } from "../signed/authentication.ts";
import {
  lengthFits,
  lengthIsInteger,
  linesFit,
  parseDateHeader,
  QUERY_DATE_FORMS,
} from "../signed/framing.ts";
import {
  boundaryOccurs,
  dispositionsGiven,
  fieldsKnown,
  imageGiven,
  imageOpens,
  imageSmallEnough,
  includeTargetDataValid,
  maxNumResultsValid,
} from "./form-checks.ts";
import {
  authenticationFailure,
  authorizationMalformed,
  authorizationMissing,
  bodyTooShort,
  dateMalformed,
  dateRequired,
  headerTooLargePage,
  inactiveProject,
  jettyPage,
  lengthNotAnInteger,
  noBoundary,
  notAcceptable,
  requestTimeTooSkewed,
  unsupportedMediaType,
} from "./responses.ts";

export const contentLengthIsInteger = lengthIsInteger(lengthNotAnInteger);
export const headerLinesFit = linesFit(headerTooLargePage);
const contentLengthFits = lengthFits(bodyTooShort, authenticationFailure);

const AUTHORIZATION_EXPECTED = "VWS <client access key>:<signature>";

/** Two parts separated by one space, the second not empty; exactly one colon with something after it. */
const authorizationWellFormed = check({
  name: "authorizationWellFormed",
  refusals: [authorizationMalformed],
  test: ({ request }: Context) => {
    const given = header(request, "authorization") ?? "";
    return (
      (/^[^ ]* [^ ]+$/.test(given) && /^[^:]*:[^:]+$/.test(given)) ||
      malformedAuthorization(request, AUTHORIZATION_EXPECTED)
    );
  },
});

/** The client access key is known, and the signature was made with its secret key. Adds the database and its records to the context. */
const authenticated = check({
  name: "authenticated",
  refusals: [authenticationFailure],
  testLater: async (context: ApiContext) => {
    const { request, entry, services } = context;
    const authorization = header(request, "authorization");
    const records = await recordsOfKey("clientAccessKey", authorization, services);
    if (!isOfCloud(records)) return unknownKey(context, namedAccessKey(authorization), "client");
    const { database } = records;
    entry.database = database.databaseName;
    const { databaseName, clientSecretKey: secretKey } = database;
    const verdict = await signatureVerdict(
      context,
      { databaseName, accessKey: database.clientAccessKey, secretKey },
      { "server secret key": database.serverSecretKey },
    );
    return verdict === true ? { database, records, targets: viewOf(context, records) } : verdict;
  },
});

/** The database is not inactive; its other states do not affect queries. */
const projectActive = check({
  name: "projectActive",
  refusals: [inactiveProject],
  test: ({ database }: { readonly database: CloudDatabase }) =>
    database.stateName !== "PROJECT_INACTIVE" ||
    cause("database.state", { database: database.databaseName, state: database.stateName }),
});

/** The media ranges that cover JSON, from the most specific to the most general. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];

/** `Accept` is absent, or one of its media ranges covers JSON. */
const acceptsJson = check({
  name: "acceptsJson",
  refusals: [notAcceptable],
  test: ({ request }: Context) => {
    const accept = header(request, "accept");
    return (
      accept === undefined ||
      isAccepted(accept, JSON_RANGES) ||
      cause("accept.not-json", { given: show(accept) })
    );
  },
});

const dateGiven = check({
  name: "dateGiven",
  refusals: [dateRequired],
  test: ({ request, now }: Context) => header(request, "date") !== undefined || missingDate(request, now),
});

/** `Date` is in one of the accepted forms. Adds the header and its time to the context. */
const dateWellFormed = check({
  name: "dateWellFormed",
  refusals: [dateMalformed],
  test: ({ request, now }: Context) => {
    const date = header(request, "date") ?? "";
    const dated = parseDateHeader(date, QUERY_DATE_FORMS);
    return dated === undefined ? malformedDate(date, now) : { date, dated };
  },
});

const MAX_SKEW_MS = 65 * 60_000;

/** `Date` is within 65 minutes of now (exactly 65 is out). */
const dateCurrent = check({
  name: "dateCurrent",
  refusals: [requestTimeTooSkewed],
  test: ({ now, date, dated }: Context & { readonly date: string; readonly dated: number }) =>
    Math.abs(now - dated) < MAX_SKEW_MS || skewedDate(date, dated, now, "65 minutes"),
});

const CONTENT_TYPE_EXPECTED = "multipart/form-data; boundary=<boundary>";

/** `Content-Type` is present and not empty. Adds it to the context. */
const contentTypeGiven = check({
  name: "contentTypeGiven",
  refusals: [jettyPage],
  test: ({ request }: Context) => {
    const contentType = header(request, "content-type") ?? "";
    return contentType === ""
      ? cause("content-type.missing", { expected: CONTENT_TYPE_EXPECTED })
      : { contentType };
  },
});

/** A multipart form; the profile decides whether `*`/`*` counts as one. Adds its parameters to the context. */
const contentTypeIsMultipart = check({
  name: "contentTypeIsMultipart",
  refusals: [unsupportedMediaType],
  test: ({ request, contentType, profile }: Context & { readonly contentType: string }) => {
    const { main, parameters } = parseMediaType(contentType);
    return main === "multipart/form-data" || (main === "*/*" && profile.anyContentTypeIsMultipart)
      ? { parameters }
      : cause("content-type.wrong", {
          given: show(contentType),
          expected: CONTENT_TYPE_EXPECTED,
          client: sendersOf(main, request),
        });
  },
});

/** `Content-Type` names a boundary. Adds it to the context. */
const boundaryNamed = check({
  name: "boundaryNamed",
  refusals: [noBoundary],
  test: ({
    contentType,
    parameters,
  }: {
    readonly contentType: string;
    readonly parameters: ReadonlyMap<string, string>;
  }) => {
    const boundary = parameters.get("boundary") ?? "";
    return boundary === "" ? cause("boundary.missing", { given: show(contentType) }) : { boundary };
  },
});

export const queryTable = CheckTable.on<ApiContext, "query">()
  .and(contentLengthIsInteger)
  .and(headerLinesFit)
  .and(contentLengthFits)
  .and(authorizationGiven(authorizationMissing, AUTHORIZATION_EXPECTED))
  .and(authorizationWellFormed)
  .and(authenticated) // adds the database
  .and(projectActive)
  .and(acceptsJson)
  .and(dateGiven)
  .and(dateWellFormed) // adds the date
  .and(dateCurrent)
  .and(contentTypeGiven) // adds the content type
  .and(contentTypeIsMultipart) // adds its parameters
  .and(boundaryNamed) // adds the form's boundary
  .and(boundaryOccurs)
  .and(dispositionsGiven)
  .and(fieldsKnown) // adds the form
  .and(imageGiven) // adds the image
  .and(imageOpens)
  .and(imageSmallEnough)
  .and(maxNumResultsValid)
  .and(includeTargetDataValid);
