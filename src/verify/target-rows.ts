import {
  away,
  broken,
  bytes,
  dated,
  field,
  header,
  inDatabase,
  type TargetBreak,
  UNAUTHENTICATED,
  without,
} from "./target-break.ts";
import { TARGET_FIELD_BREAKS } from "./target-field-rows.ts";

/** The check of each numbered row of the target API's table, in order. */
export const TARGET_CHECKS = [
  "headerLinesFit",
  "withinRateLimits",
  "authorizationGiven",
  "authorizationWellFormed",
  "knownAccessKey",
  "signatureMatches",
  "ownDatabaseNamed",
  "requestQuotaLeft",
  "stateAllows",
  "targetQuotaLeft",
  "knownTarget",
  "noUnexpectedBody",
  "dateCurrent",
  "bodyGiven",
  "bodyIsJsonObject",
  "keysAllowed",
  "metadataFits",
  "activeFlagBoolean",
  "instanceIdGiven",
  "imageIsBase64",
  "imageAcceptable",
  "nameFree",
  "widthPositive",
  "contentTypeGiven",
  "contentLengthFits",
] as const;

/** The target API's table: at least one way to break each row. */
export const TARGET_BREAKS: readonly TargetBreak[] = [
  broken(
    1,
    "a header line of 8191 bytes",
    "summary",
    "long header",
    header("X-Long", "x".repeat(8191 - "X-Long: ".length)),
  ),
  inDatabase(2, "a request over the limit per second", "summary", 429, { requests_per_second_limit: 0 }),
  inDatabase(2, "a request over its group's limit", "list", 429, {
    request_rate_limits: { list_targets: { max_requests: 0, window_seconds: 60 } },
  }),
  broken(3, "no Authorization", "summary", UNAUTHENTICATED, header("Authorization", null)),
  broken(4, "no signature", "summary", "Fail 400", (draft, { keys }) => {
    // Builds on another break of the header, so that one header can break two rows.
    const given = draft.headers.Authorization ?? `VWS ${keys.serverAccessKey}:c2lnbmF0dXJl`;
    draft.headers.Authorization = given.slice(0, given.indexOf(":") + 1);
  }),
  broken(4, "two colons in Authorization", "summary", "Fail 400", header("Authorization", "VWS a:b:c")),
  broken(4, "one word as Authorization", "summary", "Fail 400", header("Authorization", "VWS")),
  broken(
    5,
    "an unknown access key",
    "summary",
    "Fail 400",
    header("Authorization", "VWS unknown:c2lnbmF0dXJl"),
  ),
  broken(5, "a client access key", "summary", "Fail 400", (draft, { keys }) => {
    draft.headers.Authorization = `VWS ${keys.clientAccessKey}:c2lnbmF0dXJl`;
  }),
  broken(6, "a wrong signature", "summary", UNAUTHENTICATED, (draft) => {
    draft.wrongKey = true;
  }),
  broken(6, "the scheme vws in lower case", "summary", UNAUTHENTICATED, (draft, { keys }) => {
    draft.headers.Authorization = `vws ${keys.serverAccessKey}:c2lnbmF0dXJl`;
  }),
  broken(7, "the report of another database", "report", UNAUTHENTICATED, (draft) => {
    draft.path = "/imagetargets/databases/other/reports/recoCounts";
  }),
  inDatabase(8, "no request quota", "summary", "RequestQuotaReached 403", { request_quota: 0 }),
  inDatabase(9, "a database without API access", "summary", "ProjectHasNoApiAccess 403", {
    state_name: "PROJECT_HAS_NO_API_ACCESS",
  }),
  {
    ...inDatabase(9, "a suspended database", "summary", "ProjectSuspended 403", {
      state_name: "PROJECT_SUSPENDED",
    }),
    assumed: true,
  },
  ...(["add", "duplicates"] as const).map((on) =>
    inDatabase(9, "an inactive database", on, "ProjectInactive 403", { state_name: "PROJECT_INACTIVE" }),
  ),
  inDatabase(10, "no target quota", "add", "TargetQuotaReached 403", { target_quota: 0 }),
  broken(11, "an unknown target", "get", "UnknownTarget 404", (draft) => {
    draft.path = "/targets/unknown";
  }),
  broken(12, "a body", "summary", "empty 400", bytes("{}")),
  broken(12, "a body", "delete", "empty 400", bytes("x")),
  broken(13, "no Date", "summary", "Fail 400", (draft) => {
    draft.date = "";
    draft.headers.Date = null;
  }),
  broken(
    13,
    "a Date in another form",
    "summary",
    "Fail 400",
    dated(() => "2026-11-21T10:42:00Z"),
  ),
  ...[-6, 6].map((minutes) =>
    broken(
      13,
      `a Date ${minutes < 0 ? "in the past" : "in the future"}, 6 minutes away`,
      "summary",
      "RequestTimeTooSkewed 403",
      dated(away(minutes)),
    ),
  ),
  broken(14, "an empty body", "add", "Fail 500", bytes("")),
  broken(14, "an empty body", "update", "Fail 500", bytes("")),
  broken(14, "an empty body", "report", "Fail 400", bytes("")),
  broken(14, "an empty body", "instance", "BadRequest 400", bytes("")),
  ...Object.entries({
    "an array": "[]",
    "a number": "1",
    "a string": '"text"',
    null: "null",
    "cut-off JSON": "{",
    "text after the object": "{}x",
    "a byte-order mark": "\ufeff{}",
    NaN: '{"width":NaN}',
  }).map(([what, text]) => broken(15, `${what} as the body`, "add", "Fail 400", bytes(text))),
  broken(15, "a body that is not UTF-8", "add", "Fail 400", bytes('{"name":"\xe9"}', "latin1")),
  broken(15, "an array as the body", "instance", "BadRequest 400", bytes("[]")),
  ...["name", "width", "image"].map((key) => broken(16, `no ${key}`, "add", "Fail 400", without(key))),
  broken(16, "an unknown key", "update", "Fail 400", field("extra", 1)),
  broken(16, "no month", "report", "Fail 400", without("month")),
  broken(16, "no instance_id", "instance", "BadRequest 400", without("instance_id")),
  ...TARGET_FIELD_BREAKS,
];
