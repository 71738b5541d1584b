import { MAX_METADATA_BYTES, MAX_TARGET_IMAGE_BYTES, MAX_TARGET_IMAGE_PIXELS } from "./limits.ts";
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
