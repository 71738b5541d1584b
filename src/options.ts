import { parseBaseUrl } from "./base-url.ts";
import type { RequestRateLimits } from "./domain/database.ts";
import { type ImageMatcher, structuralSimilarityMatcher } from "./images/matchers.ts";
import { brisqueRater, type TargetRater } from "./images/raters.ts";
import {
  type Acceptable,
  aBoolean,
  aFunction,
  anObject,
  checkShape,
  headerValues,
  listOf,
  numberAboveZero,
  oneOf,
  orNull,
  type Shape,
  seconds,
  someText,
  textOrBytes,
  textOrNumber,
  wholeNumber,
  withMethod,
} from "./option-values.ts";
import { DEFAULT_PROFILE, DEFAULT_URLS, type Profile, type ProfileName, profiles } from "./profiles.ts";
import { type Clock, systemClock } from "./runtime/clock.ts";
import { realDelay } from "./runtime/real-time.ts";
import type { ConfiguredResponse, InstanceFailure, ModelTargetPhase, Settings } from "./services.ts";

/** Everything that can be chosen about a mock; every field is optional. */
export interface MockCloudRecoOptions {
  /** Base URL of the target API. Default `https://vws.vuforia.com`. Protocol section 1. */
  readonly targetUrl?: string;
  /** Base URL of the query API. Default `https://cloudreco.vuforia.com`. */
  readonly queryUrl?: string;
  /** Base URL of OAuth 2.0 and the Model Target API. Default: `targetUrl`. */
  readonly modelTargetUrl?: string;
  /** Base URL of the target manager. Default `http://target-manager.test`. */
  readonly managerUrl?: string;
  /** `neutral` (default): the emulator's own specification; `vuforia`: what the real service was observed to do. */
  readonly profile?: ProfileName;
  /** `gzip` (default) or `identity`, for clients that do not decode gzip. Protocol section 8. */
  readonly queryContentEncoding?: "gzip" | "identity";
  /** Processing time of targets, reports and datasets made from now on, in seconds. Default 0.5. */
  readonly processingTimeSeconds?: number;
  /** What a query finds. Default {@link structuralSimilarityMatcher}. */
  readonly queryMatcher?: ImageMatcher;
  /** What counts as a duplicate. Default {@link structuralSimilarityMatcher}. */
  readonly duplicatesMatcher?: ImageMatcher;
  /** Gives an added image its tracking rating, 0 to 5. Default {@link brisqueRater}. Protocol section 12. */
  readonly targetRater?: TargetRater;
  /** Waited before every response but the target manager's, in seconds, whole or fractional. Default 0. */
  readonly responseDelaySeconds?: number;
  /** Replaces the real wait of `responseDelaySeconds`. */
  readonly delay?: (seconds: number) => Promise<void>;
  /** Requests to other hosts: let through (`bypass`, default) or failed (`error`; localhost included). */
  readonly unhandledRequests?: "bypass" | "error";
  /** Answers every query, before any check. Protocol section 8. */
  readonly cloudQueryFailure?: ConfiguredResponse;
  /** Answers Model Target requests of the given phases (default: all), before any check. Protocol section 9. */
  readonly modelTargetFailure?: ConfiguredResponse & {
    /** Default: all four. */
    readonly phases?: readonly ModelTargetPhase[];
  };
  /** Every dataset ends `failed`. Excludes a warning. */
  readonly modelTargetGenerationFailure?: {
    /** Default: `Model Target dataset generation failed`. */
    readonly message?: string;
  };
  /** Every dataset ends `done` with a warning. */
  readonly modelTargetGenerationWarning?: {
    /** Default: `Warning after creating dataset`. */
    readonly message?: string;
    /** Default: one, `LOW_RECOGNITION_QUALITY`. */
    readonly details?: readonly { readonly [key: string]: unknown }[];
  };
  /** Creating a dataset fails with `TRAINING_ALLOWANCE_EXCEEDED`. Default false. */
  readonly modelTargetTrainingAllowanceExceeded?: boolean;
  /** Every instance request fails with this result code. Protocol section 6. */
  readonly instanceGenerationFailure?: InstanceFailure;
  /** For databases added without their own: requests per second, 0 or more. Default: no limit. */
  readonly requestsPerSecondLimit?: number | null;
  /** For databases added without their own, for example `DOCUMENTED_REQUEST_RATE_LIMITS`. Default: no limits. */
  readonly requestRateLimits?: RequestRateLimits | null;
  /** The fixed OAuth 2.0 client with every scope. Default `client-id`, `client-secret`. */
  readonly modelTargetClient?: {
    /** User name of HTTP Basic. */
    readonly id: string;
    /** Password of HTTP Basic. */
    readonly secret: string;
  };
  /** The fixed user of the password grant. Default `user@example.com`, `password`. */
  readonly modelTargetUser?: {
    /** The form field `username`. */
    readonly name: string;
    /** The form field `password`. */
    readonly password: string;
  };
  /** Where the time comes from. Default: the system's clock, or fake timers that replaced it. */
  readonly clock?: Clock;
  /** Bound of the memory for prepared images, in bytes, for all mocks of the process. Default 256 MiB. */
  readonly imageCacheBytes?: number;
  /** The same seed gives the same ids, keys and random ratings on every run. */
  readonly seed?: string | number;
  /** How many requests the journal keeps, 1 or more. Default 1000. */
  readonly journalCapacity?: number;
}

/** What a mock is made from, checked and with its defaults. */
export interface ResolvedOptions {
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", URL>>;
  readonly profile: Profile;
  readonly settings: Settings;
  readonly targetRater: TargetRater;
  readonly unhandledRequests: "bypass" | "error";
  readonly clock: Clock;
  readonly seed: string | number | undefined;
  readonly journalCapacity: number | undefined;
}

const rateLimit: Shape = {
  fields: { maxRequests: wholeNumber(), windowSeconds: numberAboveZero },
  required: ["maxRequests", "windowSeconds"],
  nullable: true,
};

/** Accepted fields of a database's rate limits. */
export const requestRateLimitsShape: Shape = {
  fields: { other: rateLimit, getTarget: rateLimit, getDuplicates: rateLimit, listTargets: rateLimit },
  nullable: true,
};

const configuredResponse = { status: wholeNumber(200, 599), headers: headerValues, body: textOrBytes };
const baseUrl: Acceptable = { accepted: "a base URL", accepts: (_value): _value is unknown => true };

const optionsShape: { readonly fields: Readonly<Record<keyof MockCloudRecoOptions, Acceptable | Shape>> } = {
  fields: {
    targetUrl: baseUrl,
    queryUrl: baseUrl,
    modelTargetUrl: baseUrl,
    managerUrl: baseUrl,
    profile: oneOf("neutral", "vuforia"),
    queryContentEncoding: oneOf("gzip", "identity"),
    processingTimeSeconds: seconds,
    queryMatcher: aFunction("(queryImage, targetImage, target) => number | null"),
    duplicatesMatcher: aFunction("(image, otherImage, other) => number | null"),
    targetRater: aFunction("(image) => whole number from 0 to 5"),
    responseDelaySeconds: seconds,
    delay: aFunction("(seconds) => Promise<void>"),
    unhandledRequests: oneOf("bypass", "error"),
    cloudQueryFailure: { fields: configuredResponse, required: ["status"] },
    modelTargetFailure: {
      fields: { ...configuredResponse, phases: listOf(oneOf("create", "status", "download", "delete")) },
      required: ["status"],
    },
    modelTargetGenerationFailure: { fields: { message: someText } },
    modelTargetGenerationWarning: { fields: { message: someText, details: listOf(anObject) } },
    modelTargetTrainingAllowanceExceeded: aBoolean,
    instanceGenerationFailure: oneOf("QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"),
    requestsPerSecondLimit: orNull(wholeNumber()),
    requestRateLimits: requestRateLimitsShape,
    modelTargetClient: { fields: { id: someText, secret: someText }, required: ["id", "secret"] },
    modelTargetUser: { fields: { name: someText, password: someText }, required: ["name", "password"] },
    clock: withMethod("now", "(): Date"),
    imageCacheBytes: wholeNumber(),
    seed: textOrNumber,
    journalCapacity: wholeNumber(1),
  },
};

/**
 * Checks the options and adds the defaults.
 *
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what is accepted.
 */
export function resolveOptions(options: MockCloudRecoOptions): ResolvedOptions {
  checkShape("options", options, optionsShape);
  const { modelTargetGenerationFailure, modelTargetGenerationWarning } = options;
  if (modelTargetGenerationFailure !== undefined && modelTargetGenerationWarning !== undefined) {
    throw new TypeError(
      "options: Model Target generation failure and warning configurations are mutually exclusive",
    );
  }
  const targetUrl = options.targetUrl ?? DEFAULT_URLS.target;
  const target = parseBaseUrl("options.targetUrl", targetUrl);
  return {
    urls: {
      target,
      query: parseBaseUrl("options.queryUrl", options.queryUrl ?? DEFAULT_URLS.query),
      modelTarget: parseBaseUrl("options.modelTargetUrl", options.modelTargetUrl ?? targetUrl),
      manager: parseBaseUrl("options.managerUrl", options.managerUrl ?? DEFAULT_URLS.manager),
    },
    profile: profiles[options.profile ?? DEFAULT_PROFILE],
    settings: {
      processingTimeSeconds: options.processingTimeSeconds ?? 0.5,
      databaseDefaults: {
        requestsPerSecondLimit: options.requestsPerSecondLimit ?? null,
        requestRateLimits: options.requestRateLimits ?? null,
      },
      queryMatcher: options.queryMatcher ?? structuralSimilarityMatcher,
      duplicatesMatcher: options.duplicatesMatcher ?? structuralSimilarityMatcher,
      queryContentEncoding: options.queryContentEncoding ?? "gzip",
      responseDelaySeconds: options.responseDelaySeconds ?? 0,
      delay: options.delay ?? realDelay,
      reportBaseUrl: target.href.replace(/\/$/, ""),
      cloudQueryFailure: options.cloudQueryFailure,
      modelTargetFailure: options.modelTargetFailure,
      modelTargetGenerationFailure,
      modelTargetGenerationWarning,
      modelTargetTrainingAllowanceExceeded: options.modelTargetTrainingAllowanceExceeded ?? false,
      instanceGenerationFailure: options.instanceGenerationFailure,
      modelTargetClient: options.modelTargetClient ?? { id: "client-id", secret: "client-secret" },
      modelTargetUser: options.modelTargetUser ?? { name: "user@example.com", password: "password" },
    },
    targetRater: options.targetRater ?? brisqueRater,
    unhandledRequests: options.unhandledRequests ?? "bypass",
    clock: options.clock ?? systemClock,
    seed: options.seed,
    journalCapacity: options.journalCapacity,
  };
}
