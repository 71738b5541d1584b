import type { Fact, Situation } from "./fact.ts";
import { TARGET } from "./kinds.ts";
import { body, type Draft, fields, header, makePng, minutesAway, path, set } from "./requests.ts";
import { ASSUMED, DOCUMENTED, factsOf, type More, orderFacts, type Table } from "./row.ts";

const UNAUTHENTICATED = "AuthenticationFailure 401";

const given = (database: Readonly<Record<string, unknown>>): More => ({ database });
const inState = (state_name: string): More => given({ state_name });
const TAKEN: More = { alongside: "processed" };
const authorization = (value: string | ((at: Situation) => string) | null) => header("Authorization", value);
const padded = (characters: number, filler: string) =>
  fields(({ named }) => {
    const start = named("");
    return { name: start + filler.repeat(characters - start.length) };
  });
export const base64 = (value: Buffer | string): string => Buffer.from(value).toString("base64");
const metadata = (application_metadata: unknown) => fields({ application_metadata });
const signedBy = (scheme: string, key: "clientAccessKey" | "serverAccessKey") =>
  authorization(({ keys }) => `${scheme} ${keys[key]}:c2lnbmF0dXJl`);
const image = (bytes: Buffer | string) => fields({ image: base64(bytes) });
const named = (name: string) => fields((at: Situation) => ({ name: at.named(name) }));

/** Builds on another change of the header, so that two checks can refuse one header. */
const noSignature = (draft: Draft, { keys }: Situation): void => {
  const given = draft.headers.Authorization ?? `VWS ${keys.serverAccessKey}:c2lnbmF0dXJl`;
  draft.headers.Authorization = given.slice(0, given.indexOf(":") + 1);
};

const OVER_LIMIT = "over the limit";
const SKEWED = "RequestTimeTooSkewed 403";
const NAME_EXISTS = "TargetNameExist 403";
const NO_REQUESTS = given({ requests_per_second_limit: 0 });
const NO_LISTS = given({ request_rate_limits: { list_targets: { max_requests: 0, window_seconds: 60 } } });
const NO_ACCESS = inState("PROJECT_HAS_NO_API_ACCESS");
const SUSPENDED = inState("PROJECT_SUSPENDED");
const INACTIVE = inState("PROJECT_INACTIVE");
const OTHER_REPORT = "/imagetargets/databases/other/reports/recoCounts";
const TOO_LONG = base64(Buffer.alloc(1_048_576, "x"));
const TOO_LARGE = Buffer.concat([makePng(), Buffer.alloc(2_359_294 - makePng().length, "x")]);

/** Requests that each check of the target API refuses, in the order of the checks. */
export const TARGET_REFUSED: Table<Draft> = {
  ids: "target",
  usualRoute: "summary",
  rows: {
    contentLengthIsInteger: [
      ["add", "a Content-Length of text", "not an integer", set({ contentLength: "many" })],
    ],
    headerLinesFit: [
      ["summary", "a header line of 8191 bytes", "long header", header("X-Long", "x".repeat(8183))],
    ],
    withinRateLimits: [
      ["summary", "a request over the limit per second", OVER_LIMIT, DOCUMENTED, NO_REQUESTS],
      ["list", "a request over its group's limit", OVER_LIMIT, DOCUMENTED, NO_LISTS],
    ],
    authorizationGiven: [["summary", "no Authorization", UNAUTHENTICATED, authorization(null)]],
    authorizationWellFormed: [
      ["summary", "no signature", "Fail 400", noSignature],
      ["summary", "two colons in Authorization", "Fail 400", authorization("VWS a:b:c")],
      ["summary", "one word as Authorization", "Fail 400", authorization("VWS")],
    ],
    knownAccessKey: [
      ["summary", "an unknown access key", "Fail 400", authorization("VWS unknown:c2lnbmF0dXJl")],
      ["summary", "a client access key", "Fail 400", signedBy("VWS", "clientAccessKey")],
    ],
    signatureMatches: [
      ["summary", "a wrong signature", UNAUTHENTICATED, set({ wrongKey: true })],
      ["summary", "the scheme vws in lower case", UNAUTHENTICATED, signedBy("vws", "serverAccessKey")],
    ],
    ownDatabaseNamed: [["report", "the report of another database", UNAUTHENTICATED, path(OTHER_REPORT)]],
    requestQuotaLeft: [
      ["summary", "no request quota", "RequestQuotaReached 403", given({ request_quota: 0 })],
    ],
    stateAllows: [
      ["summary", "a database without API access", "ProjectHasNoApiAccess 403", NO_ACCESS],
      ["summary", "a suspended database", "ProjectSuspended 403", ASSUMED, SUSPENDED],
      ["add", "an inactive database", "ProjectInactive 403", INACTIVE],
      ["duplicates", "an inactive database", "ProjectInactive 403", INACTIVE],
    ],
    targetQuotaLeft: [["add", "no target quota", "TargetQuotaReached 403", given({ target_quota: 0 })]],
    knownTarget: [["get", "an unknown target", "UnknownTarget 404", path("/targets/unknown")]],
    noUnexpectedBody: [
      ["summary", "a body", "unexpected body", body("{}")],
      ["delete", "a body", "unexpected body", body("x")],
    ],
    dateCurrent: [
      ["summary", "no Date", "Fail 400", set({ date: "" }), header("Date", null)],
      ["summary", "a Date in another form", "Fail 400", set({ date: "2026-11-21T10:42:00Z" })],
      ["summary", "a Date in the past, 6 minutes away", SKEWED, minutesAway(-6)],
      ["summary", "a Date in the future, 6 minutes away", SKEWED, minutesAway(6)],
    ],
    bodyGiven: [
      ["add", "an empty body", "Fail 500", body("")],
      ["update", "an empty body", "Fail 500", body("")],
      ["report", "an empty body", "Fail 400", body("")],
      ["instance", "an empty body", "BadRequest 400", body("")],
    ],
    bodyIsJsonObject: [
      ["add", "an array as the body", "Fail 400", body("[]")],
      ["add", "a number as the body", "Fail 400", body("1")],
      ["add", "a string as the body", "Fail 400", body('"text"')],
      ["add", "null as the body", "Fail 400", body("null")],
      ["add", "cut-off JSON as the body", "Fail 400", body("{")],
      ["add", "text after the object as the body", "Fail 400", body("{}x")],
      ["add", "a byte-order mark as the body", "Fail 400", body("\ufeff{}")],
      ["add", "NaN as the body", "Fail 400", body('{"width":NaN}')],
      ["add", "a body that is not UTF-8", "Fail 400", body('{"name":"\xe9"}', "latin1")],
      ["instance", "an array as the body", "BadRequest 400", body("[]")],
    ],
    keysAllowed: [
      ["add", "no name", "Fail 400", fields({ name: undefined })],
      ["add", "no width", "Fail 400", fields({ width: undefined })],
      ["add", "no image", "Fail 400", fields({ image: undefined })],
      ["update", "an unknown key", "Fail 400", fields({ extra: 1 })],
      ["report", "no month", "Fail 400", fields({ month: undefined })],
      ["instance", "no instance_id", "BadRequest 400", fields({ instance_id: undefined })],
      ["instance", "an unknown key", "BadRequest 400", fields({ extra: 1 }), ASSUMED],
    ],
    metadataFits: [
      ["add", "a number as metadata", "Fail 400", metadata(1)],
      ["add", "metadata that is not base64", "Fail 422", metadata("a-b_")],
      ["add", "padding inside the metadata", "Fail 422", metadata("ab=c")],
      ["add", "metadata with a space", "Fail 422", metadata("YWJj YWJj")],
      ["add", "metadata of 1048576 bytes", "MetadataTooLarge 422", metadata(TOO_LONG), DOCUMENTED],
    ],
    activeFlagBoolean: [
      ["add", "2 as active_flag", "Fail 400", fields({ active_flag: 2 })],
      ["add", "minus 1 as active_flag", "Fail 400", fields({ active_flag: -1 })],
      ["add", "0.5 as active_flag", "Fail 400", fields({ active_flag: 0.5 })],
      ["add", '"true" as active_flag', "Fail 400", fields({ active_flag: "true" })],
      ["add", "[] as active_flag", "Fail 400", fields({ active_flag: [] })],
    ],
    instanceIdGiven: [
      ["instance", "1 as instance_id", "BadRequest 400", fields({ instance_id: 1 })],
      ["instance", "null as instance_id", "BadRequest 400", fields({ instance_id: null })],
      ["instance", "true as instance_id", "BadRequest 400", fields({ instance_id: true })],
      ["instance", "an empty instance_id", "InvalidInstanceId 422", fields({ instance_id: "" })],
    ],
    imageIsBase64: [
      ["add", "1 as image", "Fail 400", fields({ image: 1 })],
      ["add", "null as image", "Fail 400", fields({ image: null })],
      ["add", "an object as image", "Fail 400", fields({ image: {} })],
      ["update", "an image that is not base64", "Fail 422", fields({ image: "%%%%" })],
    ],
    imageAcceptable: [
      ["add", "an empty image", "BadImage 422", image("")],
      ["add", "a text as image", "BadImage 422", image("not an image")],
      ["add", "an image with alpha", "BadImage 422", image(makePng({ colourType: 6 }))],
      ["add", "an image of 2359294 bytes", "ImageTooLarge 422", image(TOO_LARGE), DOCUMENTED],
    ],
    nameFree: [
      ["add", "a number as name", "Fail 400", fields({ name: 1 })],
      ["add", "an empty name", "Fail 400", fields({ name: "" })],
      ["add", "a name of 65 characters", "Fail 400", padded(65, "x"), DOCUMENTED],
      ["add", "a name of 65 characters beyond U+FFFF", "Fail 400", padded(65, "\u{1f600}")],
      ["add", "a name of 64 characters beyond U+FFFF", "Fail 500", padded(64, "\u{1f600}")],
      ["update", "a name with a character beyond U+FFFF", NAME_EXISTS, named("\u{10000}")],
      ["add", "a taken name", NAME_EXISTS, named("existing"), TAKEN],
      ["update", "another target's name", NAME_EXISTS, named("existing"), TAKEN],
    ],
    widthPositive: [
      ["add", "0 as width", "Fail 400", fields({ width: 0 })],
      ["add", "minus 1 as width", "Fail 400", fields({ width: -1 })],
      ["add", 'the text "1" as width', "Fail 400", fields({ width: "1" })],
      ["add", "true as width", "Fail 400", fields({ width: true })],
      ["add", "null as width", "Fail 400", fields({ width: null })],
      ["add", "an array as width", "Fail 400", fields({ width: [] })],
    ],
    contentTypeGiven: [["add", "an empty Content-Type", UNAUTHENTICATED, set({ contentType: "" })]],
    contentLengthFits: [
      ["summary", "a Content-Length above the body's", "stream timeout", set({ contentLength: "5000000" })],
      ["add", "a Content-Length below the body's", UNAUTHENTICATED, set({ contentLength: "1" })],
    ],
  },
};

export const TARGET_REFUSALS: readonly Fact[] = [
  ...factsOf(TARGET, TARGET_REFUSED),
  ...orderFacts(TARGET, TARGET_REFUSED, [
    ["add", "a Content-Length of text", "a header line of 8191 bytes"],
    ["summary", "a header line of 8191 bytes", "a request over the limit per second"],
    ["summary", "a request over the limit per second", "no signature"],
    ["summary", "no Authorization", "no Date"],
    ["summary", "no signature", "an unknown access key"],
    ["summary", "an unknown access key", "no Date"],
    ["report", "a wrong signature", "the report of another database"],
    ["report", "the report of another database", "no request quota"],
    ["summary", "no request quota", "a database without API access"],
    ["add", "a database without API access", "no target quota"],
    ["add", "no target quota", "no Date"],
    ["get", "an unknown target", "a body"],
    ["summary", "a body", "no Date"],
    ["add", "no Date", "an empty body"],
    ["add", "an empty body", "an empty Content-Type"],
    ["add", "an array as the body", "an empty Content-Type"],
    ["add", "no name", "a number as metadata"],
    ["add", "a number as metadata", "2 as active_flag"],
    ["add", "2 as active_flag", "1 as image"],
    ["instance", "1 as instance_id", "an empty Content-Type"],
    ["add", "1 as image", "a number as name"],
    ["add", "an empty image", "a number as name"],
    ["add", "a number as name", "0 as width"],
    ["add", "0 as width", "an empty Content-Type"],
    ["add", "an empty Content-Type", "a Content-Length above the body's"],
  ]),
];
