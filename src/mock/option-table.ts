import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import type { AnswerOptions, ConfiguredFailures } from "../apis/services.ts";
import { DEFAULT_BODY_BYTES } from "../emulator/body-budget.ts";
import { type Clock, realDelay, systemClock } from "../emulator/clock.ts";
import { DEFAULT_JOURNAL_CAPACITY } from "../emulator/journal.ts";
import { DEFAULT_PROFILE, DEFAULT_URLS, PROFILE_NAMES } from "../emulator/profiles.ts";
import { DEFAULT_IMAGE_CACHE_BYTES } from "../images/cache-limit.ts";
import type { ImageMatcher } from "../images/matching/comparison.ts";
import { DEFAULT_MATCHER, MATCHER_NAMES, MATCHERS } from "../images/matching/matchers.ts";
import { brisqueRater, DEFAULT_RATER, RATER_NAMES } from "../images/ratings/raters.ts";
import type { TargetRater } from "../images/ratings/rating.ts";
import { isUnhandledRequests, type UnhandledRequests } from "../intercept/unhandled-requests.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import {
  type CloudDatabaseFields,
  requestRateLimits,
  requestsPerSecondLimit,
} from "../schema/cloud-database.ts";
import { configuredResponse, configuredResponseFields } from "../schema/configured-response.ts";
import { textMatching, textReadBy } from "../schema/kernel/environment.ts";
import { InvalidOptionError } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import {
  aFunction,
  deferred,
  flag,
  isJsonObject,
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
import type { TlsFiles } from "../servers/http/http-server.ts";
import type { Delay } from "./pending-delays.ts";
import type { RequestFilter } from "./request-filter.ts";

/** The three servers. */
export const ROLES = ["target-manager", "target-api", "query"] as const;
export type Role = (typeof ROLES)[number];
const MANAGER: readonly Role[] = ["target-manager"];
const TARGET_API: readonly Role[] = ["target-api"];
const QUERY: readonly Role[] = ["query"];
const SERVICES: readonly Role[] = ["target-api", "query"];

/** From no request to every request. `warn`: refused requests and failures; `error`: only failures. */
export const LOG_LEVELS = ["silent", "error", "warn", "info"] as const;
/** Which requests are logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What checks, settings, help and the guide say about an option. Its docstring is in the public interface. */
export interface Option {
  readonly schema: z.core.$ZodType;
  /** Its value unless given. */
  readonly default?: unknown;
  /** One sentence, without an end. */
  readonly says: string;
  /** The environment variable of servers, and the servers that read it. */
  readonly setting?: { readonly [name: string]: readonly Role[] };
  /** The default in words, where no value says it. */
  readonly defaultWords?: string;
  /** What reads the setting, where {@link schema} does not read text. */
  readonly settingSchema?: z.core.$ZodType;
  /** The same as an option of the commands. */
  readonly flag?: string;
}

type Rows = Readonly<Record<string, Option>>;

const option = <Schema extends z.core.$ZodType, const More extends Partial<Option> = object>(
  schema: Schema,
  says: string,
  more?: More,
) => ({ schema, says, ...more }) as { readonly schema: Schema; readonly says: string } & More;

const object = <T>(fields: Parameters<typeof record<T>>[0]) => deferred("an object", () => record<T>(fields));

/** Any value: `parseBaseUrl` checks it, because a missing scheme has its own error class. */
const anyBaseUrl = kind(
  "a base URL",
  z.custom<string>(() => true),
);
const BASE_URL = "an http or https URL with its scheme and without query, such as http://target-manager:5000";
const baseUrl = textReadBy(BASE_URL, (given) => parseBaseUrl("", given));
const redisUrl = textReadBy("a redis:// or rediss:// URL, such as redis://state:6379", (given) => {
  const url = new URL(given);
  if (/^rediss?:$/.test(url.protocol) && url.host !== "") return url;
  throw new TypeError("another scheme, or no host");
});
const fileContent = textReadBy("the path of a file that can be read", (path) => readFileSync(path, "utf8"));
const port = wholeNumberFrom(0, 65535);
const hostName = textMatching("a host name without port", /^\.?[\w-]+(\.[\w-]+)*$/);
const matcherName = oneOf(...MATCHER_NAMES);

type Ports = Partial<Readonly<Record<"target" | "query" | "manager", number>>>;

/** Checked when the database is added. */
const databaseFields = kind("an object", z.custom<CloudDatabaseFields>(isJsonObject));

const NO_PORTS: Ports = {};
const MODEL_TARGET_CLIENT = { id: "client-id", secret: "client-secret" };
const MODEL_TARGET_USER = { name: "user@example.com", password: "password" };

const PROCESSING = "processing time of targets, reports and datasets";

/** Options that are the same for mocks and servers. */
const common = {
  profile: option(
    oneOf(...PROFILE_NAMES),
    "behaviour: the emulator's specification, or that observed of the real service",
    { default: DEFAULT_PROFILE, setting: { SERVICE_PROFILE: SERVICES } },
  ),
  queryContentEncoding: option(
    oneOf("gzip", "identity"),
    "content encoding of query responses; identity for clients that do not decode gzip",
    { default: "gzip", setting: { QUERY_CONTENT_ENCODING: SERVICES } },
  ),
  responseDelaySeconds: option(seconds, "wait before every response except the target manager's", {
    default: 0,
    setting: { RESPONSE_DELAY_SECONDS: SERVICES },
  }),
  requestsPerSecondLimit: option(
    requestsPerSecondLimit,
    "requests per second of databases that are added without a limit",
    { default: null },
  ),
  requestRateLimits: option(requestRateLimits, "rate limits of databases that are added without limits", {
    default: null,
  }),
  modelTargetTrainingAllowanceExceeded: option(flag, "creating a dataset fails", {
    default: false,
    setting: { MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED: TARGET_API },
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
  clock: option(withMethod<Clock>("now", "(): Date"), "source of the time, for example a `ManualClock`", {
    default: systemClock,
  }),
  seed: option(textOrNumber, "makes ids, keys, random ratings and fault probabilities repeatable"),
  imageCacheBytes: option(
    wholeNumber,
    "memory for prepared images, shared by all mocks and servers of a process",
    { defaultWords: String(DEFAULT_IMAGE_CACHE_BYTES), setting: { IMAGE_CACHE_BYTES: ROLES } },
  ),
  journalCapacity: option(wholeNumberFrom(1), "maximum number of requests in the journal", {
    default: DEFAULT_JOURNAL_CAPACITY,
    setting: { JOURNAL_CAPACITY: MANAGER },
  }),
  journalBodyBytes: option(
    wholeNumber,
    "memory for the bodies in the journal; the oldest are dropped first",
    { default: DEFAULT_BODY_BYTES, setting: { JOURNAL_BODY_BYTES: MANAGER } },
  ),
} satisfies Rows;

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
    aFunction<Delay>("(seconds, signal) => Promise<void>"),
    "waits for `responseDelaySeconds` and the delays of faults",
    { default: realDelay, defaultWords: "a real wait" },
  ),
  intercept: option(
    kind('"nock", "sockets" or false', z.union([z.enum(["nock", "sockets"]), z.literal(false)])),
    "how requests reach the mock: through nock, only through sockets, or (`false`) only through `mock.fetch`",
    { default: "nock" },
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
} satisfies Rows;

/** Options of servers: those that mocks do not have, or not the same. */
const servers = {
  processingTimeSeconds: option(seconds, PROCESSING, {
    default: 2,
    setting: { PROCESSING_TIME_SECONDS: TARGET_API },
  }),
  targetRater: option(oneOf(...RATER_NAMES), mock.targetRater.says, {
    default: DEFAULT_RATER,
    setting: { TARGET_RATER: MANAGER },
  }),
  queryMatcher: option(matcherName, mock.queryMatcher.says, {
    default: DEFAULT_MATCHER,
    setting: { QUERY_IMAGE_MATCHER: QUERY },
  }),
  duplicatesMatcher: option(matcherName, mock.duplicatesMatcher.says, {
    default: DEFAULT_MATCHER,
    setting: { DUPLICATES_IMAGE_MATCHER: TARGET_API },
  }),
  serviceBaseUrl: option(anyBaseUrl, "base URL of report downloads", {
    settingSchema: textReadBy(BASE_URL, (given) => parseBaseUrl("", given).href),
    defaultWords: `serve: the target API's URL; alone: ${DEFAULT_URLS.target}`,
    setting: { SERVICE_BASE_URL: TARGET_API },
  }),
} satisfies Rows;

const LOGGED = "which requests are logged; warn: refused ones and failures";

/** Options of `startServers` only. */
const startServers = {
  host: option(text, "address to listen on", {
    default: "127.0.0.1",
    setting: { HOST: ROLES },
    flag: "--host ADDRESS",
  }),
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
  corsOrigin: option(text, "lets pages of that origin use the target and query API, * for any", {
    setting: { CORS_ALLOW_ORIGIN: ROLES },
  }),
  managerCorsOrigin: option(text, "lets pages of that origin use the target manager, * for any", {
    setting: { MANAGER_CORS_ALLOW_ORIGIN: MANAGER },
  }),
  allowedHosts: option(
    kind(
      "host names without port, several separated by commas; .example.com allows all below it",
      listOf(hostName),
    ),
    "host names of the target manager, besides localhost and IP addresses",
    { setting: { ALLOWED_HOSTS: MANAGER } },
  ),
  ui: option(flag, "whether the target manager serves its page", { default: true, setting: { UI: MANAGER } }),
  seedFile: option(text, "file of initial databases, targets and credentials", {
    setting: { SEED_FILE: MANAGER },
    flag: "--seed FILE",
  }),
  stateFile: option(text, "file that keeps the state", {
    setting: { STATE_FILE: MANAGER },
    flag: "--state FILE",
  }),
} satisfies Rows;

/** Settings of servers that are no options of `startServers`, or only parts of them, or not the same. */
const settings = {
  logLevel: option(oneOf(...LOG_LEVELS), LOGGED, { default: "info", setting: { LOG_LEVEL: ROLES } }),
  port: option(port, "port to listen on", { default: 5000, setting: { PORT: ROLES }, flag: "--port N" }),
  managerUrl: option(baseUrl, "URL of the target manager", {
    defaultWords: "none: required without STATE_URL",
    setting: { TARGET_MANAGER_BASE_URL: SERVICES },
  }),
  managerCertificate: option(fileContent, "PEM file: trust this certificate of the manager", {
    setting: { TARGET_MANAGER_CERT_FILE: SERVICES },
  }),
  stateUrl: option(redisUrl, "Redis or Valkey that keeps the state (needs iovalkey)", {
    setting: { STATE_URL: ROLES },
  }),
  statePrefix: option(
    textMatching("letters, digits, dots, hyphens and underscores", /^[\w.-]+$/),
    "prefix of the keys there",
    { default: "mock-cloud-reco", setting: { STATE_PREFIX: ROLES } },
  ),
  stateCertificate: option(fileContent, "PEM file: trust this certificate of a rediss:// server", {
    setting: { STATE_CERT_FILE: ROLES },
  }),
  certificate: option(fileContent, "PEM file: serve HTTPS with this certificate", {
    setting: { TLS_CERT_FILE: ROLES },
  }),
  certificateKey: option(fileContent, "PEM file: the certificate's key", {
    setting: { TLS_KEY_FILE: ROLES },
  }),
  generateCertificate: option(flag, "serve HTTPS with a generated certificate", {
    default: false,
    setting: { TLS_GENERATE: ROLES },
  }),
  clientId: option(text, "user name of the fixed OAuth 2.0 client", {
    default: MODEL_TARGET_CLIENT.id,
    setting: { MODEL_TARGET_CLIENT_ID: TARGET_API },
  }),
  clientSecret: option(text, "password of that client", {
    default: MODEL_TARGET_CLIENT.secret,
    setting: { MODEL_TARGET_CLIENT_SECRET: TARGET_API },
  }),
  userName: option(text, "user name of the fixed user of the password grant", {
    default: MODEL_TARGET_USER.name,
    setting: { MODEL_TARGET_USERNAME: TARGET_API },
  }),
  password: option(text, "password of that user", {
    default: MODEL_TARGET_USER.password,
    setting: { MODEL_TARGET_PASSWORD: TARGET_API },
  }),
} satisfies Rows;

/** Options of test fixtures only. */
const fixture = {
  database: option(databaseFields, "fields of the test's database", {
    default: {},
    defaultWords: "generated keys",
  }),
  failOnRefusedRequests: option(flag, "whether a test fails when the mock refused a request", {
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
} satisfies Rows;

/**
 * Every option, once, by where it can be given. The types of the public interfaces and these rows do not compile unless they
 * agree; the checks, defaults, settings, the commands' help and the guide's table are derived.
 */
export const OPTIONS = { common, mock, servers, startServers, settings, fixture };

/** The schema of each option. */
export const fieldsOf = <Table extends Rows>(rows: Table) =>
  mapped(rows, ([name, { schema }]) => [[name, schema]]) as {
    readonly [Name in keyof Table]: Table[Name]["schema"];
  };

type Defaulted<Table extends Rows> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Table];
/** The default of each option that has one. */
export const defaultsOf = <Table extends Rows>(rows: Table) =>
  mapped(rows, ([name, row]) => ("default" in row ? [[name, row.default]] : [])) as {
    readonly [Name in Defaulted<Table>]: Table[Name] extends { readonly default: infer Value }
      ? Value
      : never;
  };

const mapped = (rows: Rows, entriesOf: (row: [string, Option]) => [string, unknown][]): object =>
  Object.fromEntries(Object.entries(rows).flatMap(entriesOf));

/** Options that only a mock in process has. */
export const IN_PROCESS_ONLY = Object.keys(OPTIONS.mock).filter((name) => !(name in OPTIONS.servers));
/** Why a server refuses an option. */
export const IN_PROCESS_HINT = "works in process only, with new MockCloudReco()";

const PLACES = {
  fixture: "test fixtures, such as withMockCloudReco of mock-cloud-reco/node-test",
  servers: "startServers of mock-cloud-reco/server",
} as const;

/**
 * Refuses options of another function, which are easily passed to the wrong one.
 *
 * @throws InvalidOptionError naming the first of them, and that function.
 */
export function refuseMisplaced(place: "mock" | "servers", options: unknown): void {
  const onServers = { ...OPTIONS.servers, ...OPTIONS.startServers };
  for (const [name, value] of Object.entries(Object(options))) {
    if (value === undefined) continue;
    const option = `options.${name}`;
    const elsewhere = (where: keyof typeof PLACES) =>
      new InvalidOptionError(option, "a value", `nothing here, because it is an option of ${PLACES[where]}`);
    if (name in OPTIONS.fixture) throw elsewhere("fixture");
    if (place === "mock" && name in onServers && !(name in OPTIONS.mock)) throw elsewhere("servers");
    if (place === "mock" || !(name in OPTIONS.mock)) continue;
    if (!(name in onServers)) {
      const given = "an option that servers do not support";
      throw new InvalidOptionError(option, given, `nothing, because it ${IN_PROCESS_HINT}`);
    }
    if (typeof value === "function")
      throw new InvalidOptionError(option, "a function", `a name, because a function ${IN_PROCESS_HINT}`);
  }
}
