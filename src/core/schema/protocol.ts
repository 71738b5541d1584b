/* Names, limits and result codes of the emulated APIs. Imports no library: the page uses it too. */

/** The APIs, in the order in which hints name them. */
export const API_NAMES = ["target", "modelTarget", "query", "manager"] as const;
/** One of the four APIs. */
export type ApiName = (typeof API_NAMES)[number];

/** The operations of all APIs but the target manager. */
export const OPERATIONS = [
  "addTarget",
  "listTargets",
  "getTarget",
  "updateTarget",
  "deleteTarget",
  "getDuplicates",
  "databaseSummary",
  "targetSummary",
  "generateInstance",
  "requestReport",
  "downloadReport",
  "query",
  "token",
  "listCredentials",
  "createCredential",
  "updateCredentialScopes",
  "deleteCredential",
  "createDataset",
  "datasetStatus",
  "downloadDataset",
  "deleteDataset",
] as const;

/** The name of an operation, as the journal and fault rules use it. */
export type Operation = (typeof OPERATIONS)[number] | `manager.${string}`;

export const OPERATION_NAMES = `${OPERATIONS.join(", ")}, or one of the manager's, which begin with "manager."`;

export const isOperation = (name: unknown): name is Operation =>
  typeof name === "string" && (name.startsWith("manager.") || OPERATIONS.some((known) => known === name));

/** Most bytes of a target's image. */
export const MAX_TARGET_IMAGE_BYTES = 2_359_293;
/** Most rows of a PNG. The decoder takes 1.3 µs for each, however short: 47 s for an image of 1x37748736. */
export const MAX_PNG_ROWS = 300_000;
/** Most pixels of a target's image. */
export const MAX_TARGET_IMAGE_PIXELS = 37_748_736;
/** Most bytes of a target's metadata when it is decoded. */
export const MAX_METADATA_BYTES = 1_048_575;
/** Most bytes of a header's name, its value and what separates them. */
export const LONGEST_HEADER_LINE_BYTES = 8190;

/** Every result code that a response body may contain: its usual status, and its meaning. */
export const RESULT_CODES = {
  Success: { status: 200, meaning: "The request succeeded." },
  TargetCreated: { status: 201, meaning: "The target was added and is being processed." },
  AuthenticationFailure: {
    status: 401,
    meaning: "No `Authorization`, a signature that does not match, or an empty content type.",
  },
  RequestTimeTooSkewed: {
    status: 403,
    meaning: "The `Date` header is too far from the service's clock (5 minutes; queries: 65).",
  },
  TargetNameExist: { status: 403, meaning: "Another target of the database has that name." },
  UnknownTarget: { status: 404, meaning: "The database has no target with that id." },
  BadImage: { status: 422, meaning: "The image is damaged, or is not a PNG or JPEG of a supported kind." },
  ImageTooLarge: {
    status: 422,
    meaning: `The image has more than ${MAX_TARGET_IMAGE_BYTES} bytes or ${MAX_TARGET_IMAGE_PIXELS} pixels.`,
  },
  MetadataTooLarge: {
    status: 422,
    meaning: `The decoded metadata has more than ${MAX_METADATA_BYTES} bytes.`,
  },
  Fail: { status: 400, meaning: "The request is malformed; the journal's reason says where." },
  TargetStatusProcessing: { status: 403, meaning: "A target that is being processed cannot be deleted." },
  TargetStatusNotSuccess: { status: 403, meaning: "The target is not in the state that the request needs." },
  RequestQuotaReached: { status: 403, meaning: "The database's request quota is 0." },
  TargetQuotaReached: { status: 403, meaning: "The database holds as many targets as its quota allows." },
  ProjectSuspended: { status: 403, meaning: "The database's state is `PROJECT_SUSPENDED`." },
  ProjectInactive: { status: 403, meaning: "The database's state is `PROJECT_INACTIVE` (target API)." },
  InactiveProject: { status: 403, meaning: "The database's state is `PROJECT_INACTIVE` (queries)." },
  ProjectHasNoApiAccess: { status: 403, meaning: "The database's state is `PROJECT_HAS_NO_API_ACCESS`." },
  BadRequest: { status: 400, meaning: "The body of an instance request is malformed." },
  InvalidInstanceId: { status: 422, meaning: "The instance id is empty." },
  InvalidTargetType: {
    status: 422,
    meaning: "Instances can only be generated for targets of VuMark databases.",
  },
  InvalidAcceptHeader: { status: 400, meaning: "`Accept` names none of PNG, SVG and PDF." },
  QuotaExceeded: { status: 403, meaning: "Configured failure of instance generation." },
  LicenseCheckFailed: { status: 403, meaning: "Configured failure of instance generation." },
  AuthorizationFailed: { status: 401, meaning: "Configured failure of instance generation." },
  UnknownParameters: { status: 400, meaning: "A query has an unknown multipart field (neutral profile)." },
} as const satisfies Readonly<Record<string, { status: number; meaning: string }>>;

/** A result code that a response body may name. */
export type ResultCode = keyof typeof RESULT_CODES;

/** Marks the page's own requests: faults do not match them, and the page hides them. */
export const PAGE_HEADER = "x-sent-by-page";

/** The default name of a new database: `database-1`, `database-2` and so on. */
export function nextDatabaseName(databases: readonly { readonly databaseName: string }[]): string {
  const names = new Set(databases.map(({ databaseName }) => databaseName));
  let number = 1;
  while (names.has(`database-${number}`)) number += 1;
  return `database-${number}`;
}

interface Refusable {
  readonly status?: number | undefined;
  readonly refusedBy?: string | undefined;
  readonly fault?: string | undefined;
}

/** An entry with a fault does not count as refused, even if a check refused it. */
export const isRefused = ({ refusedBy, fault }: Refusable): boolean =>
  refusedBy !== undefined && fault === undefined;

/** Also true if the client got no response without a fault. */
export const isRefusedOrFailed = ({ status, refusedBy, fault }: Refusable): boolean =>
  isRefused({ refusedBy, fault }) || (status === undefined && fault === undefined);
