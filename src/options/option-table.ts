import * as z from "zod/mini";
import type { AnswerOptions, ConfiguredFailures } from "../core/apis/services.ts";
import { type Clock, isUsableClock, realDelay, systemClock } from "../core/emulator/clock.ts";
import { DEFAULT_BODY_BYTES, DEFAULT_JOURNAL_CAPACITY } from "../core/emulator/journal.ts";
import { DEFAULT_PROFILE, DEFAULT_URLS, PROFILE_NAMES } from "../core/emulator/profiles.ts";
import type { RequestFilter } from "../core/emulator/request-filter.ts";
import { isJsonObject } from "../core/general/json.ts";
import type { TlsFiles } from "../core/http/http-server-options.ts";
import { DEFAULT_IMAGE_CACHE_BYTES } from "../core/images/cache-limit.ts";
import type { ImageMatcher } from "../core/images/matching/comparison.ts";
import { brisqueRater } from "../core/images/on-demand.ts";
import type { TargetRater } from "../core/images/ratings/rating.ts";
import { parseBaseUrl } from "../core/schema/base-url.ts";
import {
  type CloudDatabaseFields,
  requestRateLimits,
  requestsPerSecondLimit,
} from "../core/schema/cloud-database.ts";
import { configuredResponse, configuredResponseFields } from "../core/schema/fault-response.ts";
import { textMatching, textReadBy } from "../core/schema/zod/problems.ts";
import { optional, record } from "../core/schema/zod/record.ts";
import {
  aFunction,
  CLOCK_YEARS,
  deferred,
  jsonObject,
  kind,
  listOf,
  oneOf,
  seconds,
  text,
  textOrNumber,
  trueOrFalse,
  wholeNumber,
  wholeNumberFrom,
} from "../core/schema/zod/values.ts";
import { isUnhandledRequests, type UnhandledRequests } from "../intercept/unhandled-requests.ts";
import { realismOption, realismSetting } from "../realism/options.ts";
import { DEFAULT_MATCHER, DEFAULT_RATER, MATCHER_NAMES, MATCHERS, RATER_NAMES } from "./named.ts";
import {
  API_SERVERS,
  LOG_LEVELS,
  MANAGER,
  type OptionTable,
  option,
  QUERY,
  ROLES,
  TARGET_API,
} from "./option.ts";

const object = <T>(fields: Parameters<typeof record<T>>[0]) => deferred("an object", () => record<T>(fields));

/** Any value: `parseBaseUrl` checks it, because a missing scheme has its own error class. */
const anyBaseUrl = kind(
  "a base URL",
  z.custom<string>(() => true),
);
const BASE_URL = "an http or https URL with its scheme and without query, such as http://target-manager:5000";
/** The text of a base URL, in a setting. */
export const baseUrl = textReadBy(BASE_URL, (given) => parseBaseUrl("", given));
export const port = wholeNumberFrom(0, 65535);
const hostName = textMatching("a host name without port", /^\.?[\w-]+(\.[\w-]+)*$/);
const origin = textMatching(
  "an origin, such as https://app.example, or *",
  /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+)$/i,
);
const matcherName = oneOf(...MATCHER_NAMES);

const usableClock = deferred(`an object whose now() returns a Date ${CLOCK_YEARS}`, () =>
  z.custom<Clock>(isUsableClock),
);

type Ports = Partial<Readonly<Record<"target" | "query" | "manager", number>>>;
type Hosts = Partial<Readonly<Record<"target" | "query" | "manager", string>>>;

/** Checked when the database is added. */
const databaseFields = kind("an object", z.custom<CloudDatabaseFields>(isJsonObject));

const NO_PORTS: Ports = {};
const NO_HOSTS: Hosts = {};
const MODEL_TARGET_CLIENT = { id: "client-id", secret: "client-secret" };
const MODEL_TARGET_USER = { name: "user@example.com", password: "password" };
const PROCESSING = "processing time of targets, reports and datasets";

/** Options that are the same for mocks and servers. */
const common = {
  profile: option(
    oneOf(...PROFILE_NAMES),
    "behaviour: without the traces of the real service's infrastructure, or as observed at the real service",
    {
      default: DEFAULT_PROFILE,
      setting: "SERVICE_PROFILE",
      withoutPrefix: "ifValid",
      readBy: API_SERVERS,
      usage: "--profile NAME",
    },
  ),
  queryContentEncoding: option(
    oneOf("gzip", "identity"),
    "content encoding of query responses; gzip under profile vuforia only if accepted; identity for clients that do not decode it",
    { default: "gzip", setting: "QUERY_CONTENT_ENCODING", withoutPrefix: "ifValid", readBy: API_SERVERS },
  ),
  responseDelaySeconds: option(seconds, "wait before every response except the target manager's", {
    default: 0,
    setting: "RESPONSE_DELAY_SECONDS",
    withoutPrefix: "ifValid",
    readBy: API_SERVERS,
  }),
  requestsPerSecondLimit: option(
    requestsPerSecondLimit,
    "requests to the target API per second, of databases that are added without a limit",
    { default: null },
  ),
  requestRateLimits: option(
    requestRateLimits,
    "rate limits of the target API, of databases that are added without limits",
    {
      default: null,
    },
  ),
  modelTargetTrainingAllowanceExceeded: option(trueOrFalse, "creating a dataset fails", {
    default: false,
    setting: "MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
  modelTargetClient: option(
    object<AnswerOptions["modelTargetClient"]>({ id: text, secret: text }),
    "the fixed OAuth 2.0 client",
    { default: MODEL_TARGET_CLIENT },
  ),
  modelTargetUser: option(
    object<AnswerOptions["modelTargetUser"]>({ name: text, password: text }),
    "the fixed user of the password grant",
    { default: MODEL_TARGET_USER },
  ),
  clock: option(usableClock, "source of the time, for example a `ManualClock`", {
    default: systemClock,
  }),
  seed: option(textOrNumber, "makes ids, keys, random ratings and fault probabilities repeatable"),
  realism: option(
    realismOption,
    "changes are seen late, limits are loose and gateways fail, as at the real service",
    {
      default: false,
      settingSchema: realismSetting,
      setting: "REALISM",
      readBy: MANAGER,
      usage: "--realism VALUE",
    },
  ),
  imageCacheBytes: option(
    wholeNumber,
    "memory for prepared images, shared by all mocks and servers of a process",
    { defaultWords: String(DEFAULT_IMAGE_CACHE_BYTES), setting: "IMAGE_CACHE_BYTES", readBy: ROLES },
  ),
  journalCapacity: option(wholeNumberFrom(1), "maximum number of requests in the journal", {
    default: DEFAULT_JOURNAL_CAPACITY,
    setting: "JOURNAL_CAPACITY",
    readBy: MANAGER,
  }),
  journalBodyBytes: option(
    wholeNumber,
    "memory for the bodies in the journal; the oldest are dropped first",
    { default: DEFAULT_BODY_BYTES, setting: "JOURNAL_BODY_BYTES", readBy: MANAGER },
  ),
} satisfies OptionTable;

/** Options of `new MockCloudReco()`: those that servers do not have, or not the same. */
const mock = {
  processingTimeSeconds: option(seconds, PROCESSING, { default: 0.5 }),
  targetUrl: option(anyBaseUrl, "base URL of the target API", { default: DEFAULT_URLS.target }),
  queryUrl: option(anyBaseUrl, "base URL of the query API", { default: DEFAULT_URLS.query }),
  modelTargetUrl: option(anyBaseUrl, "base URL of OAuth 2.0 and the Model Target API", {
    defaultWords: "`targetUrl`",
  }),
  managerUrl: option(anyBaseUrl, "base URL of the target manager", { default: DEFAULT_URLS.manager }),
  queryMatcher: option(
    aFunction<ImageMatcher>("(queryImage, targetImage, target) => number | null"),
    "decides which targets a query finds",
    { default: MATCHERS[DEFAULT_MATCHER] },
  ),
  duplicatesMatcher: option(
    aFunction<ImageMatcher>("(image, otherImage, other) => number | null"),
    "decides which targets are duplicates",
    { default: MATCHERS[DEFAULT_MATCHER] },
  ),
  targetRater: option(aFunction<TargetRater>("(image) => whole number from 0 to 5"), "rates added images", {
    default: brisqueRater,
  }),
  delay: option(
    aFunction<(seconds: number, signal: AbortSignal) => Promise<void>>("(seconds, signal) => Promise<void>"),
    "waits for `responseDelaySeconds` and the delays of faults",
    { default: realDelay, defaultWords: "a real wait" },
  ),
  intercept: option(
    kind('"nock", "sockets" or false', z.union([z.enum(["nock", "sockets"]), z.literal(false)])),
    "how requests reach the mock: through nock, only through sockets, or (`false`) only through `mock.fetch`",
    { defaultWords: '`"nock"`, or `"sockets"` beside nock 15' },
  ),
  unhandledRequests: option(
    kind(
      '"bypass", "error", "error-except-loopback", a list of allowed hosts and patterns, or a function ' +
        "(host) => boolean",
      z.custom<UnhandledRequests>(isUnhandledRequests),
    ),
    "which requests to other hosts may leave the process: all, none, those to this machine, or a list or function",
    { default: "bypass" },
  ),
  explainFailures: option(
    trueOrFalse,
    "the error of a failing test in Vitest, Jest or node:test says what the mock refused",
    {
      default: true,
    },
  ),
  cloudQueryFailure: option(configuredResponse, "response to every query, sent unchanged"),
  modelTargetFailure: option(
    deferred("an object", () =>
      record<NonNullable<ConfiguredFailures["modelTargetFailure"]>>({
        ...configuredResponseFields,
        ...optional({ phases: listOf(oneOf("create", "status", "download", "delete")) }),
      }),
    ),
    "response to the Model Target requests of some phases, sent unchanged",
  ),
  modelTargetGenerationFailure: option(
    object<NonNullable<ConfiguredFailures["modelTargetGenerationFailure"]>>(optional({ message: text })),
    "makes every dataset fail",
  ),
  modelTargetGenerationWarning: option(
    object<NonNullable<ConfiguredFailures["modelTargetGenerationWarning"]>>(
      optional({ message: text, details: listOf(jsonObject) }),
    ),
    "makes every dataset end with a warning",
  ),
  instanceGenerationFailure: option(
    oneOf("QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"),
    "result code with which every VuMark instance request fails",
  ),
} satisfies OptionTable;

/** Options of servers: those that mocks do not have, or not the same. */
const servers = {
  processingTimeSeconds: option(seconds, PROCESSING, {
    default: 2,
    setting: "PROCESSING_TIME_SECONDS",
    withoutPrefix: "ifValid",
    readBy: [...MANAGER, ...TARGET_API],
  }),
  targetRater: option(oneOf(...RATER_NAMES), mock.targetRater.purpose, {
    default: DEFAULT_RATER,
    setting: "TARGET_RATER",
    withoutPrefix: "ifValid",
    readBy: MANAGER,
  }),
  queryMatcher: option(matcherName, mock.queryMatcher.purpose, {
    default: DEFAULT_MATCHER,
    setting: "QUERY_IMAGE_MATCHER",
    withoutPrefix: "ifValid",
    readBy: QUERY,
  }),
  duplicatesMatcher: option(matcherName, mock.duplicatesMatcher.purpose, {
    default: DEFAULT_MATCHER,
    setting: "DUPLICATES_IMAGE_MATCHER",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
  serviceBaseUrl: option(anyBaseUrl, "base URL of report downloads", {
    settingSchema: textReadBy(BASE_URL, (given) => parseBaseUrl("", given).href),
    defaultWords: `serve: the target API's URL; alone: ${DEFAULT_URLS.target}`,
    setting: "SERVICE_BASE_URL",
    withoutPrefix: "ifValid",
    readBy: TARGET_API,
  }),
} satisfies OptionTable;

export const LOGGED = "which requests are logged; warn: refused ones and failures";

/** Options of `startServers` only. */
const startServers = {
  host: option(text, "address to listen on", {
    default: "127.0.0.1",
    setting: "HOST",
    readBy: ROLES,
    usage: "--host ADDRESS",
  }),
  hosts: option(
    deferred("an object", () => record<Hosts>(optional({ target: text, query: text, manager: text }))),
    "addresses of servers that listen on their own",
    { default: NO_HOSTS, defaultWords: "`host`" },
  ),
  ports: option(
    deferred("an object", () => record<Ports>(optional({ target: port, query: port, manager: port }))),
    "ports of the three servers",
    { default: NO_PORTS, defaultWords: "free ones" },
  ),
  logLevel: option(oneOf(...LOG_LEVELS), LOGGED, { default: "silent" }),
  tls: option(
    deferred('"generated", or an object with cert and key as PEM text', () =>
      z.union([z.literal("generated"), record<TlsFiles>({ cert: text, key: text })]),
    ),
    "serves HTTPS with a generated certificate, or with your own",
  ),
  corsOrigin: option(origin, "lets pages of that origin use the target and query API, * for any", {
    setting: "CORS_ALLOW_ORIGIN",
    withoutPrefix: "ifValid",
    readBy: ROLES,
  }),
  managerCorsOrigin: option(origin, "lets pages of that origin use the target manager, * for any", {
    setting: "MANAGER_CORS_ALLOW_ORIGIN",
    withoutPrefix: "ifValid",
    readBy: MANAGER,
  }),
  allowedHosts: option(
    kind(
      "host names without port, several separated by commas; .example.com allows all below it",
      listOf(hostName),
    ),
    "host names of the target manager, besides IP addresses and names of private networks",
    { setting: "ALLOWED_HOSTS", withoutPrefix: "ifValid", readBy: MANAGER },
  ),
  ui: option(trueOrFalse, "whether the target manager serves its page", {
    default: true,
    setting: "UI",
    readBy: MANAGER,
  }),
  seedFile: option(text, "file of initial databases, targets and credentials", {
    setting: "SEED_FILE",
    readBy: MANAGER,
    usage: "--seed FILE",
  }),
  stateFile: option(text, "file that keeps the state", {
    setting: "STATE_FILE",
    readBy: MANAGER,
    usage: "--state FILE",
  }),
} satisfies OptionTable;

/** Options of test fixtures only. */
const fixture = {
  database: option(databaseFields, "fields of the test's database", {
    default: {},
    defaultWords: "generated keys",
  }),
  failOnRefusedRequests: option(trueOrFalse, "whether a test fails when the mock refused a request", {
    default: false,
  }),
  // Each filter is checked where it is used.
  except: option(
    kind(
      "a filter, or a list of filters",
      z.custom<RequestFilter | readonly RequestFilter[]>((given) => typeof given === "object"),
    ),
    "requests that may be refused without failing a test",
    { default: [] },
  ),
  report: option(oneOf("on-failure"), "writes an HTML report of a failed test"),
  reportFolder: option(text, "folder of the reports", { default: "mock-cloud-reco-reports" }),
} satisfies OptionTable;

/** Every option, by where it can be given; twice where mocks and servers differ. The public interfaces document them. */
export const OPTIONS = { common, mock, servers, startServers, fixture };
