import * as z from "zod/mini";
import type { InstanceFailure, ModelTargetPhase, Settings } from "../apis/services.ts";
import { type Clock, realDelay, systemClock } from "../emulator/clock.ts";
import {
  DEFAULT_PROFILE,
  DEFAULT_URLS,
  PROFILE_NAMES,
  type Profile,
  type ProfileName,
  profiles,
} from "../emulator/profiles.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import { structuralSimilarityMatcher } from "../images/matching/matchers.ts";
import { brisqueRater } from "../images/ratings/raters.ts";
import type { TargetRater } from "../images/ratings/rating.ts";
import { isUnhandledRequests, type UnhandledRequests } from "../intercept/unhandled-requests.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import {
  type RequestRateLimits,
  requestRateLimits,
  requestsPerSecondLimit,
} from "../schema/cloud-database.ts";
import {
  type ConfiguredResponse,
  configuredResponse,
  configuredResponseFields,
} from "../schema/configured-response.ts";
import { checked } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import {
  aFunction,
  flag,
  jsonObject,
  kind,
  listOf,
  oneOf,
  seconds,
  text,
  textOrNumber,
  wholeNumber,
  wholeNumberFrom,
  withMethod,
} from "../schema/kernel/values.ts";
import { refuseOptionsOfOthers } from "./options-elsewhere.ts";
import { PendingDelays } from "./pending-delays.ts";

/**
 * Options of a mock; every field is optional.
 *
 * @example new MockCloudReco({ processingTimeSeconds: 0, seed: 1, unhandledRequests: "error" });
 */
export interface MockCloudRecoOptions {
  /** Base URL of the target API. Default `https://vws.vuforia.com`. */
  readonly targetUrl?: string;
  /** Base URL of the query API. Default `https://cloudreco.vuforia.com`. */
  readonly queryUrl?: string;
  /** Base URL of OAuth 2.0 and the Model Target API. Default: `targetUrl`. */
  readonly modelTargetUrl?: string;
  /** Base URL of the target manager. Default `http://target-manager.test`. */
  readonly managerUrl?: string;
  /** `neutral` (default) follows the emulator's own specification; `vuforia` the observed behavior of the real service. */
  readonly profile?: ProfileName;
  /** Encoding of query responses: `gzip` (default), or `identity` for clients that do not decode gzip. */
  readonly queryContentEncoding?: "gzip" | "identity";
  /** Processing time of targets, reports and datasets in seconds, 0 or more. Default 0.5. */
  readonly processingTimeSeconds?: number;
  /** Decides which targets a query finds. Default {@link structuralSimilarityMatcher}. */
  readonly queryMatcher?: ImageMatcher;
  /** Decides which targets are duplicates. Default {@link structuralSimilarityMatcher}. */
  readonly duplicatesMatcher?: ImageMatcher;
  /** Rates an added image for tracking: a whole number from 0 to 5. Default {@link brisqueRater}. */
  readonly targetRater?: TargetRater;
  /** Delay of every response except the target manager's, in seconds, 0 or more. Default 0. */
  readonly responseDelaySeconds?: number;
  /**
   * Replaces the timer that waits for `responseDelaySeconds` and the delays of faults. The signal is aborted when the mock stops;
   * the requests fail then, even if the delay goes on.
   */
  readonly delay?: (seconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * How requests reach the mock. `nock` (default): through nock's interceptors, and through the sockets for requests that bypass
   * them. `sockets`: through the sockets only, without nock. `false`: only through `mock.fetch`.
   */
  readonly intercept?: "nock" | "sockets" | false;
  /** Which requests to other hosts may leave the process. Default `bypass`: all. */
  readonly unhandledRequests?: UnhandledRequests;
  /** Response to every query, before any check. */
  readonly cloudQueryFailure?: ConfiguredResponse;
  /** Response to the Model Target requests of some phases, before any check. */
  readonly modelTargetFailure?: ConfiguredResponse & {
    /** Phases to respond to. Default: all four. */
    readonly phases?: readonly ModelTargetPhase[];
  };
  /** Makes every dataset end as `failed`, whatever `modelTargetGenerationWarning` says. */
  readonly modelTargetGenerationFailure?: {
    /** Error message. Default `Model Target dataset generation failed`. */
    readonly message?: string;
  };
  /** Makes every dataset end as `done` with a warning. */
  readonly modelTargetGenerationWarning?: {
    /** Warning message. Default `Warning after creating dataset`. */
    readonly message?: string;
    /** Details of the warning. Default: one, `LOW_RECOGNITION_QUALITY`. */
    readonly details?: readonly { readonly [key: string]: unknown }[];
  };
  /** Whether creating a dataset fails with `TRAINING_ALLOWANCE_EXCEEDED`. Default false. */
  readonly modelTargetTrainingAllowanceExceeded?: boolean;
  /** Result code with which every VuMark instance request fails. */
  readonly instanceGenerationFailure?: InstanceFailure;
  /** Requests per second for databases without a limit of their own: a whole number, 0 or more. Default: no limit. */
  readonly requestsPerSecondLimit?: number | null;
  /** Rate limits for databases without limits of their own, for example `DOCUMENTED_REQUEST_RATE_LIMITS`. Default: none. */
  readonly requestRateLimits?: RequestRateLimits | null;
  /** The built-in OAuth 2.0 client, which has every scope. Default `client-id` and `client-secret`. */
  readonly modelTargetClient?: {
    /** User name for HTTP Basic authentication. */
    readonly id: string;
    /** Password for HTTP Basic authentication. */
    readonly secret: string;
  };
  /** The built-in user of the password grant. Default `user@example.com` and `password`. */
  readonly modelTargetUser?: {
    /** The form field `username`. */
    readonly name: string;
    /** The form field `password`. */
    readonly password: string;
  };
  /** Source of the time. Default: the system clock, or the fake timers that replaced it. */
  readonly clock?: Clock;
  /** Memory limit for prepared images in bytes, shared by all mocks of the process. Default 256 MiB. */
  readonly imageCacheBytes?: number;
  /** Seed of ids, keys, random ratings and fault probabilities, which makes them repeatable. Default: random. */
  readonly seed?: string | number;
  /** Number of requests that the journal keeps, 1 or more. Default 1000. */
  readonly journalCapacity?: number;
  /** Bytes of bodies that the journal keeps, newest first. Default 16 MiB. */
  readonly journalBodyBytes?: number;
}

/** Validated options with their defaults. */
export interface ResolvedOptions {
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", URL>>;
  readonly profile: Profile;
  readonly settings: Settings;
  readonly targetRater: TargetRater;
  readonly intercept: "nock" | "sockets" | false;
  readonly unhandledRequests: UnhandledRequests;
  readonly clock: Clock;
  readonly seed: string | number | undefined;
  readonly journalCapacity: number | undefined;
  readonly journalBodyBytes: number | undefined;
}

/** Any value: `parseBaseUrl` checks it, because a missing scheme has its own error class. */
export const anyBaseUrl = kind(
  "a base URL",
  z.custom<string>(() => true),
);

type Given<Name extends keyof MockCloudRecoOptions> = NonNullable<MockCloudRecoOptions[Name]>;

/** Options that servers have too. */
export const commonOptions = {
  profile: oneOf(...PROFILE_NAMES),
  queryContentEncoding: oneOf("gzip", "identity"),
  processingTimeSeconds: seconds,
  responseDelaySeconds: seconds,
  modelTargetTrainingAllowanceExceeded: flag,
  requestsPerSecondLimit,
  requestRateLimits,
  modelTargetClient: record<Given<"modelTargetClient">>({ id: text, secret: text }),
  modelTargetUser: record<Given<"modelTargetUser">>({ name: text, password: text }),
  clock: withMethod<Clock>("now", "(): Date"),
  seed: textOrNumber,
  imageCacheBytes: wholeNumber,
  journalCapacity: wholeNumberFrom(1),
  journalBodyBytes: wholeNumber,
};

const mockOptions = z.lazy(() => {
  const phases = listOf(oneOf("create", "status", "download", "delete"));
  const message = { message: text };
  return record<MockCloudRecoOptions>(
    optional({
      targetUrl: anyBaseUrl,
      queryUrl: anyBaseUrl,
      modelTargetUrl: anyBaseUrl,
      managerUrl: anyBaseUrl,
      ...commonOptions,
      queryMatcher: aFunction<ImageMatcher>("(queryImage, targetImage, target) => number | null"),
      duplicatesMatcher: aFunction<ImageMatcher>("(image, otherImage, other) => number | null"),
      targetRater: aFunction<TargetRater>("(image) => whole number from 0 to 5"),
      delay: aFunction<Given<"delay">>("(seconds, signal) => Promise<void>"),
      intercept: kind('"nock", "sockets" or false', z.union([z.enum(["nock", "sockets"]), z.literal(false)])),
      unhandledRequests: kind(
        '"bypass", "error", "error-except-loopback", a list of allowed hosts and patterns, or a function ' +
          "(host) => boolean",
        z.custom<UnhandledRequests>(isUnhandledRequests),
      ),
      cloudQueryFailure: configuredResponse,
      modelTargetFailure: record<Given<"modelTargetFailure">>({
        ...configuredResponseFields,
        ...optional({ phases }),
      }),
      modelTargetGenerationFailure: record<Given<"modelTargetGenerationFailure">>(optional(message)),
      modelTargetGenerationWarning: record<Given<"modelTargetGenerationWarning">>(
        optional({ ...message, details: listOf(jsonObject) }),
      ),
      instanceGenerationFailure: oneOf("QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"),
    }),
  );
});

/**
 * Checks the options and adds the defaults.
 *
 * @throws InvalidOptionError or MissingSchemeError for an invalid option.
 */
export function resolveOptions(given: MockCloudRecoOptions, delays = new PendingDelays()): ResolvedOptions {
  refuseOptionsOfOthers(given);
  const options = checked("options", mockOptions, given);
  const { modelTargetGenerationFailure, modelTargetGenerationWarning } = options;
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
      delay: delays.abortable(options.delay ?? realDelay),
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
    intercept: options.intercept ?? "nock",
    unhandledRequests: options.unhandledRequests ?? "bypass",
    clock: options.clock ?? systemClock,
    seed: options.seed,
    journalCapacity: options.journalCapacity,
    journalBodyBytes: options.journalBodyBytes,
  };
}
