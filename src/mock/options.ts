import * as z from "zod/mini";
import type {
  ConfiguredResponse,
  InstanceFailure,
  ModelTargetPhase,
  Settings,
} from "../apis/shared/services.ts";
import { type Clock, realDelay, systemClock } from "../core/clock.ts";
import {
  DEFAULT_PROFILE,
  DEFAULT_URLS,
  PROFILE_NAMES,
  type Profile,
  type ProfileName,
  profiles,
} from "../core/profiles.ts";
import { type ImageMatcher, structuralSimilarityMatcher } from "../images/matchers.ts";
import { brisqueRater, type TargetRater } from "../images/raters.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import {
  type RequestRateLimits,
  requestRateLimits,
  requestsPerSecondLimit,
} from "../schema/cloud-database.ts";
import { checked } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import {
  aFunction,
  flag,
  headers,
  jsonObject,
  kind,
  listOf,
  oneOf,
  seconds,
  text,
  textOrBytes,
  textOrNumber,
  wholeNumber,
  wholeNumberFrom,
  withMethod,
} from "../schema/kernel/values.ts";
import { isUnhandledRequests, type UnhandledRequests } from "../transports/unhandled-requests.ts";

/** Everything that can be chosen about a mock; every field is optional. */
export interface MockCloudRecoOptions {
  /** Base URL of the target API. Default `https://vws.vuforia.com`. */
  readonly targetUrl?: string;
  /** Base URL of the query API. Default `https://cloudreco.vuforia.com`. */
  readonly queryUrl?: string;
  /** Base URL of OAuth 2.0 and the Model Target API. Default: `targetUrl`. */
  readonly modelTargetUrl?: string;
  /** Base URL of the target manager. Default `http://target-manager.test`. */
  readonly managerUrl?: string;
  /** `neutral` (default): the emulator's own specification; `vuforia`: what the real service was observed to do. */
  readonly profile?: ProfileName;
  /** `gzip` (default) or `identity`, for clients that do not decode gzip. */
  readonly queryContentEncoding?: "gzip" | "identity";
  /** Processing time of targets, reports and datasets made from now on, in seconds. Default 0.5. */
  readonly processingTimeSeconds?: number;
  /** What a query finds. Default {@link structuralSimilarityMatcher}. */
  readonly queryMatcher?: ImageMatcher;
  /** What counts as a duplicate. Default {@link structuralSimilarityMatcher}. */
  readonly duplicatesMatcher?: ImageMatcher;
  /** Gives an added image its tracking rating, 0 to 5. Default {@link brisqueRater}. */
  readonly targetRater?: TargetRater;
  /** Waited before every response but the target manager's, in seconds, whole or fractional. Default 0. */
  readonly responseDelaySeconds?: number;
  /** Replaces the real wait of `responseDelaySeconds`. */
  readonly delay?: (seconds: number) => Promise<void>;
  /**
   * How requests reach the mock: through nock's interceptors, and what goes around those at its socket (`nock`, default); all at
   * their sockets, without nock (`sockets`); not at all but by `mock.fetch` (`false`).
   */
  readonly intercept?: "nock" | "sockets" | false;
  /** Which requests to other hosts leave the process. Default `bypass`: all. */
  readonly unhandledRequests?: UnhandledRequests;
  /** Answers every query, before any check. */
  readonly cloudQueryFailure?: ConfiguredResponse;
  /** Answers Model Target requests of the given phases (default: all), before any check. */
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
  /** Every instance request fails with this result code. */
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
  /** How many bytes of bodies the journal keeps, those of the newest requests. Default 16 MiB. */
  readonly journalBodyBytes?: number;
}

/** What a mock is made from, checked and with its defaults. */
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

export const responseStatus = wholeNumberFrom(200, 599);
/** Fields of a {@link ConfiguredResponse}. */
export const configuredResponse = {
  status: responseStatus,
  ...optional({ headers, body: textOrBytes }),
};

/** Read on its own, because a missing scheme is an error of its own. */
export const anyBaseUrl = kind(
  "a base URL",
  z.custom<string>(() => true),
);

type Given<Name extends keyof MockCloudRecoOptions> = NonNullable<MockCloudRecoOptions[Name]>;

/** What servers have too. */
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
      delay: aFunction<Given<"delay">>("(seconds) => Promise<void>"),
      intercept: kind('"nock", "sockets" or false', z.union([z.enum(["nock", "sockets"]), z.literal(false)])),
      unhandledRequests: kind(
        '"bypass", "error", "error-except-loopback", a list of hosts and patterns that may be reached, or a function ' +
          "(host) => boolean",
        z.custom<UnhandledRequests>(isUnhandledRequests),
      ),
      cloudQueryFailure: record<ConfiguredResponse>(configuredResponse),
      modelTargetFailure: record<Given<"modelTargetFailure">>({
        ...configuredResponse,
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
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what is expected.
 */
export function resolveOptions(given: MockCloudRecoOptions): ResolvedOptions {
  const options = checked("options", mockOptions, given);
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
    intercept: options.intercept ?? "nock",
    unhandledRequests: options.unhandledRequests ?? "bypass",
    clock: options.clock ?? systemClock,
    seed: options.seed,
    journalCapacity: options.journalCapacity,
    journalBodyBytes: options.journalBodyBytes,
  };
}
