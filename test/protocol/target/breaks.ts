import type { DatabaseChanges } from "mock-cloud-reco";
import type { DatabaseKeys } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";

/** A request that is right in every point until breaks are applied to it. */
export interface Draft {
  method: string;
  path: string;
  fields?: Record<string, unknown> | undefined;
  /** Replaces the JSON of the fields. */
  bytes?: Buffer;
  contentType?: string;
  date?: string;
  headers: Record<string, string | null>;
  database: DatabaseChanges;
  wrongKey?: boolean;
  overFetch?: boolean;
}

export type OperationName =
  | "add"
  | "update"
  | "get"
  | "delete"
  | "list"
  | "report"
  | "duplicates"
  | "instance";

export interface Break {
  readonly row: number;
  readonly what: string;
  readonly on: OperationName;
  readonly guard: string;
  readonly status: number;
  /** Result code; null: no JSON body. */
  readonly code: string | null;
  readonly apply: (draft: Draft, keys: DatabaseKeys) => void;
  /** Real sockets bring something else to the emulator; tested in the server tests. */
  readonly inProcessOnly?: boolean;
}

const noise = (length: number): Buffer => Buffer.alloc(length, "x");
const field = (name: string, value: unknown) => (draft: Draft) => {
  draft.fields = { ...draft.fields, [name]: value };
};
const settings = (changes: DatabaseChanges) => (draft: Draft) => {
  draft.database = { ...draft.database, ...changes };
};
const base64 = (bytes: Buffer): string => bytes.toString("base64");
const malformedBody = (bytes: Buffer) => (draft: Draft) => {
  draft.bytes = bytes;
};

const fail400 = { status: 400, code: "Fail" };
const fail422 = { status: 422, code: "Fail" };
const unauthenticated = { status: 401, code: "AuthenticationFailure" };
const badRequest = { status: 400, code: "BadRequest" };
const badImage = { status: 422, code: "BadImage" };
const metadataFits = { row: 17, guard: "metadataFits", on: "add" } as const;
const imageAcceptable = { row: 21, guard: "imageAcceptable", on: "add" } as const;

/** The target API's table: at least one way to break each row. */
export const breaks: readonly Break[] = [
  {
    row: 1,
    what: "a header line of 8191 bytes",
    on: "get",
    guard: "headerLinesFit",
    status: 400,
    code: null,
    apply: (draft) => {
      draft.headers["X-Long"] = "x".repeat(8191 - "X-Long: ".length);
    },
  },
  {
    row: 2,
    what: "over the limit per second",
    on: "get",
    guard: "withinRateLimits",
    status: 429,
    code: null,
    apply: settings({ requestsPerSecondLimit: 0 }),
  },
  {
    row: 2,
    what: "over the group's limit",
    on: "list",
    guard: "withinRateLimits",
    status: 429,
    code: null,
    apply: settings({ requestRateLimits: { listTargets: { maxRequests: 0, windowSeconds: 60 } } }),
  },
  {
    row: 3,
    what: "no Authorization",
    on: "get",
    guard: "authorizationGiven",
    ...unauthenticated,
    apply: (draft) => {
      draft.headers.Authorization = null;
    },
  },
  {
    row: 4,
    what: "no signature",
    on: "get",
    guard: "authorizationWellFormed",
    ...fail400,
    apply: (draft, { serverAccessKey }) => {
      // Builds on another break of the header, so that one header can break two rows.
      const given = draft.headers.Authorization ?? `VWS ${serverAccessKey}:c2lnbmF0dXJl`;
      draft.headers.Authorization = given.slice(0, given.indexOf(":") + 1);
    },
  },
  {
    row: 4,
    what: "two colons",
    on: "get",
    guard: "authorizationWellFormed",
    ...fail400,
    apply: (draft) => {
      draft.headers.Authorization = "VWS a:b:c";
    },
  },
  {
    row: 4,
    what: "one word",
    on: "get",
    guard: "authorizationWellFormed",
    ...fail400,
    apply: (draft) => {
      draft.headers.Authorization = "VWS";
    },
  },
  {
    row: 5,
    what: "an unknown access key",
    on: "get",
    guard: "knownAccessKey",
    ...fail400,
    apply: (draft) => {
      draft.headers.Authorization = "VWS unknown:c2lnbmF0dXJl";
    },
  },
  {
    row: 5,
    what: "a client access key",
    on: "get",
    guard: "knownAccessKey",
    ...fail400,
    apply: (draft, { clientAccessKey }) => {
      draft.headers.Authorization = `VWS ${clientAccessKey}:c2lnbmF0dXJl`;
    },
  },
  {
    row: 6,
    what: "a wrong signature",
    on: "get",
    guard: "signatureMatches",
    ...unauthenticated,
    apply: (draft) => {
      draft.wrongKey = true;
    },
  },
  {
    row: 6,
    what: "another scheme",
    on: "get",
    guard: "signatureMatches",
    ...unauthenticated,
    apply: (draft, { serverAccessKey }) => {
      draft.headers.Authorization = `vws ${serverAccessKey}:c2lnbmF0dXJl`;
    },
  },
  {
    row: 7,
    what: "another database's report",
    on: "report",
    guard: "ownDatabaseNamed",
    ...unauthenticated,
    apply: (draft) => {
      draft.path = "/imagetargets/databases/other/reports/recoCounts";
    },
  },
  {
    row: 8,
    what: "no request quota",
    on: "get",
    guard: "requestQuotaLeft",
    status: 403,
    code: "RequestQuotaReached",
    apply: settings({ requestQuota: 0 }),
  },
  {
    row: 9,
    what: "no API access",
    on: "get",
    guard: "stateAllows",
    status: 403,
    code: "ProjectHasNoApiAccess",
    apply: settings({ stateName: "PROJECT_HAS_NO_API_ACCESS" }),
  },
  {
    row: 9,
    what: "suspended",
    on: "get",
    guard: "stateAllows",
    status: 403,
    code: "ProjectSuspended",
    apply: settings({ stateName: "PROJECT_SUSPENDED" }),
  },
  {
    row: 9,
    what: "inactive, adding",
    on: "add",
    guard: "stateAllows",
    status: 403,
    code: "ProjectInactive",
    apply: settings({ stateName: "PROJECT_INACTIVE" }),
  },
  {
    row: 9,
    what: "inactive, duplicates",
    on: "duplicates",
    guard: "stateAllows",
    status: 403,
    code: "ProjectInactive",
    apply: settings({ stateName: "PROJECT_INACTIVE" }),
  },
  {
    row: 10,
    what: "no target quota",
    on: "add",
    guard: "targetQuotaLeft",
    status: 403,
    code: "TargetQuotaReached",
    apply: settings({ targetQuota: 1 }),
  },
  {
    row: 11,
    what: "an unknown target",
    on: "get",
    guard: "knownTarget",
    status: 404,
    code: "UnknownTarget",
    apply: (draft) => {
      draft.path = "/targets/unknown";
    },
  },
  {
    row: 12,
    what: "a body on GET",
    on: "get",
    guard: "noUnexpectedBody",
    status: 400,
    code: null,
    apply: malformedBody(Buffer.from("{}")),
  },
  {
    row: 12,
    what: "a body on DELETE",
    on: "delete",
    guard: "noUnexpectedBody",
    status: 400,
    code: null,
    apply: malformedBody(Buffer.from("x")),
  },
  {
    row: 13,
    what: "no Date",
    on: "get",
    guard: "dateCurrent",
    ...fail400,
    apply: (draft) => {
      draft.date = "";
      draft.headers.Date = null;
    },
  },
  {
    row: 13,
    what: "a Date in another form",
    on: "add",
    guard: "dateCurrent",
    ...fail400,
    apply: (draft) => {
      draft.date = "2026-11-21T10:42:00Z";
    },
  },
  {
    row: 14,
    what: "an empty body, adding",
    on: "add",
    guard: "bodyGiven",
    status: 500,
    code: "Fail",
    apply: malformedBody(Buffer.alloc(0)),
  },
  {
    row: 14,
    what: "an empty body, updating",
    on: "update",
    guard: "bodyGiven",
    status: 500,
    code: "Fail",
    apply: malformedBody(Buffer.alloc(0)),
  },
  {
    row: 14,
    what: "an empty body, report",
    on: "report",
    guard: "bodyGiven",
    ...fail400,
    apply: malformedBody(Buffer.alloc(0)),
  },
  ...["[]", "1", '"text"', "null", "{", "{}x", "\ufeff{}", '{"width":NaN}'].map(
    (text): Break => ({
      row: 15,
      what: `the body ${text}`,
      on: "add",
      guard: "bodyIsJsonObject",
      ...fail400,
      apply: malformedBody(Buffer.from(text)),
    }),
  ),
  {
    row: 15,
    what: "a body that is not UTF-8",
    on: "add",
    guard: "bodyIsJsonObject",
    ...fail400,
    apply: malformedBody(Buffer.from('{"name":"\xe9"}', "latin1")),
  },
  ...["name", "width", "image"].map(
    (name): Break => ({
      row: 16,
      what: `no ${name}`,
      on: "add",
      guard: "keysAllowed",
      ...fail400,
      apply: (draft) => {
        const { [name]: _gone, ...rest } = draft.fields ?? {};
        draft.fields = rest;
      },
    }),
  ),
  {
    row: 16,
    what: "an unknown key",
    on: "update",
    guard: "keysAllowed",
    ...fail400,
    apply: field("extra", 1),
  },
  {
    row: 16,
    what: "no month",
    on: "report",
    guard: "keysAllowed",
    ...fail400,
    apply: (draft) => {
      draft.fields = {};
    },
  },
  { ...metadataFits, what: "metadata of a number", ...fail400, apply: field("application_metadata", 1) },
  {
    ...metadataFits,
    what: "metadata that is not base64",
    ...fail422,
    apply: field("application_metadata", "a-b_"),
  },
  {
    ...metadataFits,
    what: "metadata of 1048576 bytes",
    status: 422,
    code: "MetadataTooLarge",
    apply: field("application_metadata", base64(noise(1_048_576))),
  },
  ...[2, -1, 0.5, "true", []].map(
    (flag): Break => ({
      row: 18,
      what: `active_flag ${JSON.stringify(flag)}`,
      on: "add",
      guard: "activeFlagBoolean",
      ...fail400,
      apply: field("active_flag", flag),
    }),
  ),
  {
    row: 14,
    what: "an empty body, instance",
    on: "instance",
    guard: "bodyGiven",
    ...badRequest,
    apply: malformedBody(Buffer.alloc(0)),
  },
  {
    row: 15,
    what: "an array, instance",
    on: "instance",
    guard: "bodyIsJsonObject",
    ...badRequest,
    apply: malformedBody(Buffer.from("[]")),
  },
  {
    row: 16,
    what: "no instance_id",
    on: "instance",
    guard: "keysAllowed",
    ...badRequest,
    apply: (draft) => {
      draft.fields = {};
    },
  },
  ...[1, null, true].map(
    (id): Break => ({
      row: 19,
      what: `instance_id ${JSON.stringify(id)}`,
      on: "instance",
      guard: "instanceIdGiven",
      ...badRequest,
      apply: field("instance_id", id),
    }),
  ),
  {
    row: 19,
    what: "an empty instance_id",
    on: "instance",
    guard: "instanceIdGiven",
    status: 422,
    code: "InvalidInstanceId",
    apply: field("instance_id", ""),
  },
  ...[1, null, {}].map(
    (image): Break => ({
      row: 20,
      what: `image ${JSON.stringify(image)}`,
      on: "add",
      guard: "imageIsBase64",
      ...fail400,
      apply: field("image", image),
    }),
  ),
  {
    row: 20,
    what: "an image that is not base64",
    on: "update",
    guard: "imageIsBase64",
    ...fail422,
    apply: field("image", "%%%%"),
  },
  { ...imageAcceptable, what: "an empty image", ...badImage, apply: field("image", "") },
  {
    ...imageAcceptable,
    what: "text as an image",
    ...badImage,
    apply: field("image", base64(Buffer.from("not an image"))),
  },
  {
    ...imageAcceptable,
    what: "an image with alpha",
    ...badImage,
    apply: field("image", base64(makePng({ colourType: 6 }))),
  },
  {
    ...imageAcceptable,
    what: "an image of 2359294 bytes",
    status: 422,
    code: "ImageTooLarge",
    apply: field("image", base64(Buffer.concat([makePng(), noise(2_359_294 - makePng().length)]))),
  },
  {
    row: 22,
    what: "a name that is a number",
    on: "add",
    guard: "nameFree",
    ...fail400,
    apply: field("name", 1),
  },
  { row: 22, what: "an empty name", on: "add", guard: "nameFree", ...fail400, apply: field("name", "") },
  {
    row: 22,
    what: "a name of 65 characters",
    on: "add",
    guard: "nameFree",
    ...fail400,
    apply: field("name", "x".repeat(65)),
  },
  {
    row: 22,
    what: "a name of 65 astral characters",
    on: "add",
    guard: "nameFree",
    ...fail400,
    apply: field("name", "\u{1f600}".repeat(65)),
  },
  {
    row: 22,
    what: "64 astral characters, adding",
    on: "add",
    guard: "nameFree",
    status: 500,
    code: "Fail",
    apply: field("name", "\u{1f600}".repeat(64)),
  },
  {
    row: 22,
    what: "an astral character, updating",
    on: "update",
    guard: "nameFree",
    status: 403,
    code: "TargetNameExist",
    apply: field("name", "\u{10000}"),
  },
  {
    row: 22,
    what: "a taken name, adding",
    on: "add",
    guard: "nameFree",
    status: 403,
    code: "TargetNameExist",
    apply: field("name", "existing"),
  },
  {
    row: 22,
    what: "another target's name, updating",
    on: "update",
    guard: "nameFree",
    status: 403,
    code: "TargetNameExist",
    apply: field("name", "other"),
  },
  ...[0, -1, "1", true, null, []].map(
    (width): Break => ({
      row: 23,
      what: `width ${JSON.stringify(width)}`,
      on: "add",
      guard: "widthPositive",
      ...fail400,
      apply: field("width", width),
    }),
  ),
  {
    row: 24,
    what: "an empty Content-Type",
    on: "add",
    guard: "contentTypeGiven",
    ...unauthenticated,
    apply: (draft) => {
      draft.contentType = "";
    },
  },
  {
    row: 25,
    what: "a Content-Length of text",
    on: "add",
    guard: "contentLengthFits",
    status: 400,
    code: null,
    inProcessOnly: true,
    apply: (draft) => {
      draft.headers["Content-Length"] = "many";
      draft.overFetch = true;
    },
  },
  {
    row: 25,
    what: "a Content-Length above the body's",
    on: "get",
    guard: "contentLengthFits",
    status: 408,
    code: null,
    inProcessOnly: true,
    apply: (draft) => {
      draft.headers["Content-Length"] = "1";
      draft.overFetch = true;
    },
  },
  {
    row: 25,
    what: "a Content-Length below the body's",
    on: "add",
    guard: "contentLengthFits",
    ...unauthenticated,
    inProcessOnly: true,
    apply: (draft) => {
      draft.headers["Content-Length"] = "1";
      draft.overFetch = true;
    },
  },
];
