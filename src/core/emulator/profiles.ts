import type { ApiName } from "../schema/protocol.ts";

export const PROFILE_NAMES = ["neutral", "vuforia"] as const;
/** `neutral`: the emulator's own specification; `vuforia`: what the real service was observed to do. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

// Decision 0011.
export const DEFAULT_PROFILE: ProfileName = "neutral";

/** Every difference between the two profiles. Other code reads these fields, never a profile's name. */
export interface Profile {
  readonly name: ProfileName;
  readonly regionHeader: string;
  readonly upstreamTimeHeader: string;
  readonly rateLimitedHeader: string;
  /** Prefix of the report URL's parameters, and the words inside them. */
  readonly reportParameterPrefix: string;
  readonly reportAlgorithm: string;
  readonly reportCredentialScope: string;
  /** Query responses carry the region header. */
  readonly queryRegion: boolean;
  /** How an unknown multipart field of a query is answered. */
  readonly unknownQueryField: "json" | "text";
  /** A query with the content type `*`/`*` is read as multipart without a boundary, instead of refused with 415. */
  readonly anyContentTypeIsMultipart: boolean;
  /** Unserved paths with these prefixes get the 404 page; others get an empty 404. */
  readonly notFoundPagePrefixes: readonly string[];
  /** From this length in seconds on, windows of rate limits are aligned to the clock; null: they all roll. */
  readonly alignedWindowSeconds: number | null;
  readonly failedTargetsCanBeUpdated: boolean;
  /**
   * Successes of the target API: as specified, or as recorded in 2019: the result code before the transaction id, and the
   * summary in another order and without `request_count`.
   */
  readonly successBodies: "specified" | "recorded";
  /** How a dataset body that is not valid JSON is answered: validation error with one detail, or a separate error. */
  readonly invalidDatasetJson: "validation" | "error";
  /** How a dataset creation with a non-integer `Content-Length` is answered: validation error, or load balancer's page. */
  readonly invalidDatasetLength: "validation" | "page";
  readonly datasetViewsRequired: boolean;
  /** The models of an advanced dataset must have different names. */
  readonly modelNamesUnique: boolean;
  /** The 404 page is always gzipped, or only for clients that accept it. */
  readonly notFoundPageEncoding: "always" | "negotiated";
  /** Which responses to queries are gzipped, unless `queryContentEncoding` is `identity`: all, or successes on request. */
  readonly queryEncoding: "always" | "negotiatedSuccesses";
  /** The content type of a dataset creation: JSON by its media type, in any case, or a text that contains one in this case. */
  readonly datasetContentType: "mediaType" | "contained";
  /** `motionHint` and `trackingMode` with an allowed value are accepted; if false, any value is refused. */
  readonly trackingHintsSupported: boolean;
  /** The allowed values of `cadDataFormat`, upper case; null: not checked. */
  readonly cadDataFormats: readonly string[] | null;
  /** `cadDataUuid` counts as a model's source. */
  readonly cadDataUuidIsSource: boolean;
  /** Whether wrong numbers of models are reported right after the types (stage 2) or last. */
  readonly modelCountsReported: "afterTypes" | "last";
  /** Deleting a dataset through the other family's route deletes it, instead of answering 200 and keeping it. */
  readonly crossFamilyDeleteDeletes: boolean;
}

/** Below these, the target API's own server answers whatever it does not serve. */
const TARGET_API_PREFIXES = [
  "/targets",
  "/summary",
  "/duplicates",
  "/imagetargets/databases",
  "/oauth2/",
  "/modeltargets/",
];

const neutral: Profile = {
  name: "neutral",
  regionHeader: "x-cloud-region",
  upstreamTimeHeader: "x-proxy-upstream-service-time",
  rateLimitedHeader: "x-proxy-ratelimited",
  reportParameterPrefix: "X-Storage-",
  reportAlgorithm: "STORAGE4-HMAC-SHA256",
  reportCredentialScope: "us-east-2/storage/request",
  queryRegion: true,
  unknownQueryField: "json",
  anyContentTypeIsMultipart: false,
  notFoundPagePrefixes: [...TARGET_API_PREFIXES, "/reports/"],
  alignedWindowSeconds: null,
  failedTargetsCanBeUpdated: true,
  successBodies: "specified",
  invalidDatasetJson: "validation",
  invalidDatasetLength: "validation",
  datasetViewsRequired: false,
  modelNamesUnique: false,
  notFoundPageEncoding: "negotiated",
  queryEncoding: "always",
  datasetContentType: "mediaType",
  trackingHintsSupported: true,
  cadDataFormats: null,
  cadDataUuidIsSource: false,
  modelCountsReported: "afterTypes",
  crossFamilyDeleteDeletes: true,
};

const vuforia: Profile = {
  name: "vuforia",
  regionHeader: "x-aws-region",
  upstreamTimeHeader: "x-envoy-upstream-service-time",
  rateLimitedHeader: "x-envoy-ratelimited",
  reportParameterPrefix: "X-Amz-",
  reportAlgorithm: "AWS4-HMAC-SHA256",
  reportCredentialScope: "us-west-1/s3/aws4_request",
  queryRegion: false,
  unknownQueryField: "text",
  anyContentTypeIsMultipart: true,
  // Another host serves the reports.
  notFoundPagePrefixes: TARGET_API_PREFIXES,
  alignedWindowSeconds: 60,
  failedTargetsCanBeUpdated: false,
  successBodies: "recorded",
  invalidDatasetJson: "error",
  invalidDatasetLength: "page",
  datasetViewsRequired: true,
  modelNamesUnique: true,
  notFoundPageEncoding: "always",
  queryEncoding: "negotiatedSuccesses",
  datasetContentType: "contained",
  trackingHintsSupported: false,
  cadDataFormats: [
    "ZIP",
    "GLB",
    "DRC_GLB",
    "DRC_GLTF",
    "DAE",
    "FBX",
    "IGES",
    "OBJ",
    "PVS",
    "PVZ",
    "STL",
    "VRML",
  ],
  cadDataUuidIsSource: true,
  modelCountsReported: "last",
  crossFamilyDeleteDeletes: false,
};

export const profiles: Readonly<Record<ProfileName, Profile>> = { neutral, vuforia };

/** The region header's value, under both profiles. */
export const REGIONS = "us-east-2, us-west-2";

/** Default base URLs of the four APIs. */
export const DEFAULT_URLS = {
  target: "https://vws.vuforia.com",
  modelTarget: "https://vws.vuforia.com",
  query: "https://cloudreco.vuforia.com",
  manager: "http://target-manager.test",
} as const satisfies Readonly<Record<ApiName, string>>;
