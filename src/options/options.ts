import * as z from "zod/mini";
import type {
  Advice,
  AnswerOptions,
  ConfiguredFailures,
  Consistency,
  ResolvedAnswerOptions,
} from "../core/apis/services.ts";
import type { Clock } from "../core/emulator/clock.ts";
import { type Profile, type ProfileName, profiles } from "../core/emulator/profiles.ts";
import type { ImageMatcher } from "../core/images/matching/comparison.ts";
import { wantsOf } from "../core/images/on-demand.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import { parseBaseUrl } from "../core/schema/base-url.ts";
import { DATABASE_FIELDS } from "../core/schema/cloud-database.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import { checked, expectedName, InvalidOptionError, optionsCheck } from "../core/schema/zod/problems.ts";
import { optional, withoutUndefined } from "../core/schema/zod/record.ts";
import { anyObject } from "../core/schema/zod/values.ts";
import { PendingDelays } from "../intercept/pending-delays.ts";
import type { UnhandledRequests } from "../intercept/unhandled-requests.ts";
import type { RealismOptions } from "../realism/options.ts";
import { Realism } from "../realism/realism.ts";
import { functionNamed, nameOnServers } from "./named.ts";
import { defaultsOf, schemasOf } from "./option.ts";
import { OPTIONS } from "./option-table.ts";

/** Options of mocks and of servers; every field is optional. */
export interface CommonOptions extends Partial<AnswerOptions> {
  /** `neutral` (default) follows the emulator's own specification; `vuforia` the observed behaviour of the real service. */
  readonly profile?: ProfileName;
  /** Source of the time. Default `systemClock`: the system's time, or that of the fake timers that replaced it. */
  readonly clock?: Clock;
  /** Memory limit for prepared images in bytes, shared by all mocks of the process. Default 256 MiB. */
  readonly imageCacheBytes?: number;
  /** Seed of ids, keys, random ratings and fault probabilities, which makes them repeatable. Default: random. */
  readonly seed?: string | number;
  /**
   * Makes the mock as inconsistent as the real service: a change is seen late, rate limits are loose, and Model Target requests
   * fail at times. `true` for all of it, or an object with some of it. Default false.
   */
  readonly realism?: boolean | RealismOptions;
  /** Number of requests that the journal keeps, 1 or more. Default 1000. */
  readonly journalCapacity?: number;
  /** Bytes of bodies that the journal keeps, newest first. Default 16 MiB. */
  readonly journalBodyBytes?: number;
}

/**
 * Options of a mock; every field is optional.
 *
 * @example new MockCloudReco({ processingTimeSeconds: 0, seed: 1, unhandledRequests: "error" });
 */
export interface MockCloudRecoOptions extends CommonOptions, ConfiguredFailures {
  /** Base URL of the target API. Default `https://vws.vuforia.com`. */
  readonly targetUrl?: string;
  /** Base URL of the query API. Default `https://cloudreco.vuforia.com`. */
  readonly queryUrl?: string;
  /** Base URL of OAuth 2.0 and the Model Target API. Default: `targetUrl`. */
  readonly modelTargetUrl?: string;
  /** Base URL of the target manager. Default `http://target-manager.test`. */
  readonly managerUrl?: string;
  /** Decides which targets a query finds. Default `structuralSimilarityMatcher`. */
  readonly queryMatcher?: ImageMatcher;
  /** Decides which targets are duplicates. Default `structuralSimilarityMatcher`. */
  readonly duplicatesMatcher?: ImageMatcher;
  /** Rates an added image for tracking: an integer from 0 to 5. Default `brisqueRater`. */
  readonly targetRater?: TargetRater;
  /**
   * Replaces the timer that waits for `responseDelaySeconds`, and then for the delay of a fault. The signal is aborted when the
   * response is due: the fault was deleted, the client disconnected, or the mock stopped, which fails the request. A request also
   * fails if the function throws or returns no promise.
   */
  readonly delay?: (seconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * How requests reach the mock. `nock`: through nock's interceptors, and through the sockets for requests that bypass them.
   * `sockets`: through the sockets only, without nock. `false`: only through `mock.fetch`. Unless given: `nock`, or
   * `sockets` if the folder in which the process runs has nock 15 or later.
   */
  readonly intercept?: "nock" | "sockets" | false;
  /** Which requests to other hosts may leave the process. Default `bypass`: all. */
  readonly unhandledRequests?: UnhandledRequests;
  /**
   * Whether the mock explains in a failing test's error what it refused: a mock that a test of Vitest, Jest or node:test makes, or
   * that tests of Vitest or Jest share. Default true. A fixture of this package always does.
   */
  readonly explainFailures?: boolean;
}

/** Options that only a mock in process has. */
export const IN_PROCESS_ONLY = Object.keys(OPTIONS.mock).filter((name) => !(name in OPTIONS.servers));
/** Why a server refuses an option. */
export const IN_PROCESS_HINT = "works in process only, with new MockCloudReco()";

/** Of mocks, whose pages are on loopback. */
const ADVICE: Advice = {
  photographs: "set queryMatcher: featureMatcher, or define which pictures match: mappingMatcher([…])",
  identity: 'set the option queryContentEncoding to "identity"',
  secureContext: "open the page on the machine that runs the test",
};

const PLACES = {
  fixture: "an option of test fixtures, such as withMockCloudReco of mock-cloud-reco/node-test",
  servers: "an option of startServers of mock-cloud-reco/server",
  database: "a field of a database: addCloudDatabase({ … })",
} as const;

const isOnServers = (name: string) => name in OPTIONS.servers || name in OPTIONS.startServers;

/**
 * Refuses options of another function, which are easily passed to the wrong one.
 *
 * @throws InvalidOptionError naming the first of them, and that function.
 */
export function refuseMisplaced(place: "mock" | "servers", options: unknown): void {
  for (const [name, value] of Object.entries(Object(options))) {
    if (value === undefined) continue;
    const option = `options.${name}`;
    const elsewhere = (where: keyof typeof PLACES) =>
      new InvalidOptionError(option, "a value", `no value here: move it, it is ${PLACES[where]}`);
    if (name in OPTIONS.fixture) throw elsewhere("fixture");
    if (place === "mock" && isOnServers(name) && !(name in OPTIONS.mock)) throw elsewhere("servers");
    if (!(isOnServers(name) || name in OPTIONS.common) && DATABASE_FIELDS.includes(name))
      throw elsewhere("database");
    const meant = place === "mock" ? functionNamed(name, value) : undefined;
    if (meant !== undefined)
      throw new InvalidOptionError(option, JSON.stringify(value), `${meant}: names are for servers`);
    if (place === "mock" || !(name in OPTIONS.mock)) continue;
    if (!isOnServers(name)) {
      const given = "an option that servers do not support";
      throw new InvalidOptionError(option, given, `nothing, because it ${IN_PROCESS_HINT}`);
    }
    if (typeof value === "function") {
      const meant = nameOnServers(name, value);
      const wanted = meant === undefined ? "a name" : JSON.stringify(meant);
      throw new InvalidOptionError(option, "a function", `${wanted}, because a function ${IN_PROCESS_HINT}`);
    }
  }
}

/** Options that have a default. */
type Resolved<Name extends keyof MockCloudRecoOptions> = {
  readonly [Field in Name]-?: NonNullable<MockCloudRecoOptions[Field]>;
};

/** Validated options with their defaults. */
export interface ResolvedOptions
  extends Resolved<
    "unhandledRequests" | "explainFailures" | "clock" | "journalCapacity" | "journalBodyBytes"
  > {
  readonly intercept?: MockCloudRecoOptions["intercept"];
  readonly seed?: string | number | undefined;
  /** Creates what makes a mock or server inconsistent, as the option `realism` says. */
  readonly newConsistency: () => Consistency;
  readonly urls: Readonly<Record<ApiName, URL>>;
  readonly profile: Profile;
  readonly answerOptions: ResolvedAnswerOptions;
}

const checkOptions = optionsCheck<MockCloudRecoOptions>(schemasOf({ ...OPTIONS.common, ...OPTIONS.mock }));
const defaults = { ...defaultsOf(OPTIONS.common), ...defaultsOf(OPTIONS.mock) };

const fixtureOptions = z.lazy(() => z.strictObject(optional(schemasOf(OPTIONS.fixture))));
const fixtureDefaults = defaultsOf(OPTIONS.fixture);

/** Suggests the most similar fixture or mock option for an unknown name. */
function refuseUnknown(given: readonly string[]): void {
  const names = Object.keys({ ...OPTIONS.fixture, ...OPTIONS.common, ...OPTIONS.mock });
  const elsewhere = [...Object.keys({ ...OPTIONS.servers, ...OPTIONS.startServers }), ...DATABASE_FIELDS];
  for (const name of given)
    if (!names.includes(name) && !elsewhere.includes(name))
      throw new InvalidOptionError(`options.${name}`, "an unknown name", expectedName(name, names));
}

/**
 * Checks the options of test fixtures, adds their defaults, and separates those of the mock.
 *
 * @throws InvalidOptionError naming the option, its value and what was expected.
 */
export function resolveFixtureOptions(given: object) {
  const isOwn = ([name]: readonly [string, unknown]) => name in OPTIONS.fixture;
  const entries = Object.entries(checked("options", anyObject, given));
  refuseUnknown(entries.map(([name]) => name));
  const own = checked("options", fixtureOptions, Object.fromEntries(entries.filter(isOwn)));
  const mockOptions: MockCloudRecoOptions = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
  return { ...fixtureDefaults, ...withoutUndefined(own), mockOptions };
}

/**
 * Checks the options and adds the defaults.
 *
 * @throws InvalidOptionError or MissingSchemeError for an invalid option.
 */
export function resolveOptions(given: MockCloudRecoOptions, delays?: PendingDelays): ResolvedOptions {
  refuseMisplaced("mock", given);
  return resolveChecked(checkOptions(given), delays);
}

/**
 * Adds the defaults to options that are checked already.
 *
 * @throws MissingSchemeError, or InvalidOptionError for a URL.
 */
export function resolveChecked(given: MockCloudRecoOptions, delays = new PendingDelays()): ResolvedOptions {
  const options = { ...defaults, ...given };
  const { targetUrl, queryUrl, modelTargetUrl = targetUrl, managerUrl, imageCacheBytes, ...others } = options;
  const { intercept, unhandledRequests, explainFailures, clock, seed, realism, ...rest } = others;
  const { journalCapacity, journalBodyBytes, profile, ...answering } = rest;
  const target = parseBaseUrl("options.targetUrl", targetUrl);
  return {
    intercept,
    unhandledRequests,
    explainFailures,
    clock,
    seed,
    newConsistency: () => Realism.from(realism, seed),
    journalCapacity,
    journalBodyBytes,
    urls: {
      target,
      query: parseBaseUrl("options.queryUrl", queryUrl),
      modelTarget: parseBaseUrl("options.modelTargetUrl", modelTargetUrl),
      manager: parseBaseUrl("options.managerUrl", managerUrl),
    },
    profile: profiles[profile],
    answerOptions: {
      ...answering,
      wantedMeasures: wantsOf(answering),
      delay: delays.abortable(answering.delay),
      reportBaseUrl: target.href.replace(/\/$/, ""),
      advice: ADVICE,
    },
  };
}
