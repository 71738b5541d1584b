import { readFileSync } from "node:fs";
import { PROFILE_NAMES } from "../core/profiles.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import {
  countFromOneIn,
  countIn,
  flagIn as flag,
  portIn as port,
  secondsIn as seconds,
  textReadBy,
} from "../schema/kernel/environment.ts";
import { oneOf, text } from "../schema/kernel/values.ts";
import { withoutUndefined } from "../schema/without-undefined.ts";
import type { RedisAddress } from "../store/redis/connect.ts";
import { inProcessOnlySettings } from "./in-process-only.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";
import { MATCHER_NAMES, RATER_NAMES, type ServerOptions } from "./server-options.ts";
import { type Environment, type Setting, SettingsReader } from "./settings-reader.ts";

export const ROLES = ["target-manager", "target-api", "query"] as const;
export type Role = (typeof ROLES)[number];

/** What one server is told by its environment. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly managerUrl: URL | undefined;
  readonly managerCertificate: string | undefined;
  /** Where the state is when no server keeps it. */
  readonly state: RedisAddress | undefined;
  readonly options: ServerOptions;
  readonly logLevel: LogLevel;
  readonly tls: { readonly cert: string; readonly key: string } | "generated" | undefined;
  readonly corsOrigin: string | undefined;
  readonly managerCorsOrigin: string | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  /** Whether the target manager serves its page to browsers. */
  readonly ui: boolean;
  readonly seedFile: string | undefined;
}

/** Settings that are not accepted; the message has one line for each. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

const hostNames = textReadBy(
  "host names without port, separated by commas; .example.com allows all below it",
  (given) => {
    const names = given.split(",").map((name) => name.trim());
    if (names.every((name) => /^\.?[\w-]+(\.[\w-]+)*$/.test(name))) return names;
    throw new TypeError("a name is malformed");
  },
);

const baseUrl = textReadBy(
  "an http or https URL with its scheme and without query, such as http://target-manager:5000",
  (given) => parseBaseUrl("", given),
);

const redisUrl = textReadBy("a redis:// or rediss:// URL, such as redis://state:6379", (given) => {
  const url = new URL(given);
  if (/^rediss?:$/.test(url.protocol) && url.host !== "") return url;
  throw new TypeError("another scheme, or no host");
});

const keyPrefix = textReadBy("letters, digits, dots, hyphens and underscores", (given) => {
  if (/^[\w.-]+$/.test(given)) return given;
  throw new TypeError("another character");
});

const fileContent = textReadBy("the path of a file that can be read", (path) => readFileSync(path, "utf8"));

/**
 * Reads what a server is told by its environment. Settings of the other servers are ignored, so
 * that all may share one environment.
 *
 * @throws InvalidSettingsError with a line for each setting that is not accepted: its name, the value, what is expected.
 */
export function readSettings(role: Role, environment: Environment): ServerSettings {
  const reader = new SettingsReader(environment);
  const settings = settingsOfOne(role, reader);
  throwIfWrong(reader, environment);
  return settings;
}

function settingsOfOne(role: Role, reader: SettingsReader): ServerSettings {
  const isManager = role === "target-manager";
  const state = readState(reader);
  return {
    port: reader.readOr("PORT", port, "port to listen on, like --port", 5000),
    ...readListening(reader),
    managerUrl: isManager || state !== undefined ? undefined : readManagerUrl(reader),
    managerCertificate: isManager
      ? undefined
      : reader.read("TARGET_MANAGER_CERT_FILE", fileContent, "PEM file: trust this manager"),
    state,
    // Without a manager's state, whoever adds a target rates its image.
    options: { ...(state && OPTIONS_OF["target-manager"](reader)), ...OPTIONS_OF[role](reader) },
    seedFile: isManager ? readSeedFile(reader) : undefined,
    ...readManagerAccess(reader, isManager),
  };
}

/** Settings of all three servers in one process. They find each other, and each its own port. */
export type SharedSettings = Omit<ServerSettings, "port" | "managerUrl" | "managerCertificate" | "state">;

/** @throws InvalidSettingsError as {@link readSettings}. */
export function readSharedSettings(environment: Environment): SharedSettings {
  const reader = new SettingsReader(environment);
  const settings = settingsOfAll(reader);
  if (readState(reader) !== undefined)
    reader.wrong.push("STATE_URL: the servers of one process share their state; start each as a process");
  throwIfWrong(reader, environment);
  return settings;
}

function settingsOfAll(reader: SettingsReader): SharedSettings {
  const options = ROLES.map((role) => OPTIONS_OF[role](reader));
  return {
    ...readListening(reader),
    options: Object.assign({}, ...options),
    seedFile: readSeedFile(reader),
    ...readManagerAccess(reader, true),
  };
}

/** Every setting that a server, or `serve`, reads. */
export function settingsOf(command: Role | "serve"): readonly Setting[] {
  const reader = new SettingsReader({});
  if (command === "serve") settingsOfAll(reader);
  else settingsOfOne(command, reader);
  return reader.settings;
}

function throwIfWrong(reader: SettingsReader, environment: Environment): void {
  const wrong = new Set([...reader.wrong, ...inProcessOnlySettings(environment)]);
  if (wrong.size > 0) throw new InvalidSettingsError([...wrong]);
}

function readManagerUrl(reader: SettingsReader): URL | undefined {
  reader.require("TARGET_MANAGER_BASE_URL", baseUrl);
  return reader.read(
    "TARGET_MANAGER_BASE_URL",
    baseUrl,
    "where the target manager is",
    "none: required without STATE_URL",
  );
}

const readSeedFile = (reader: SettingsReader) =>
  reader.read("SEED_FILE", text, "databases, targets and credentials to start with, like --seed");

const readListening = (reader: SettingsReader) => ({
  host: reader.readOr("HOST", text, "address to listen on, like --host", "127.0.0.1"),
  logLevel: reader.readOr(
    "LOG_LEVEL",
    oneOf(...LOG_LEVELS),
    "what is logged; warn: refused requests",
    "info",
  ),
  tls: readTls(reader),
  corsOrigin: reader.read(
    "CORS_ALLOW_ORIGIN",
    text,
    "let browsers use the target and query API from pages of that origin, * for any",
  ),
});

function readState(reader: SettingsReader): RedisAddress | undefined {
  const stateUrl = reader.read(
    "STATE_URL",
    redisUrl,
    "Redis or Valkey that keeps the state (needs iovalkey)",
  );
  const statePrefix = reader.readOr(
    "STATE_PREFIX",
    keyPrefix,
    "what the keys there begin with",
    "mock-cloud-reco",
  );
  return stateUrl && { stateUrl, statePrefix };
}

const readManagerAccess = (reader: SettingsReader, isManager: boolean) => ({
  managerCorsOrigin: isManager
    ? reader.read(
        "MANAGER_CORS_ALLOW_ORIGIN",
        text,
        "let browsers use the target manager from pages of that origin, * for any",
      )
    : undefined,
  allowedHosts: isManager
    ? reader.read("ALLOWED_HOSTS", hostNames, "names of the target manager beside localhost and addresses")
    : undefined,
  ui: isManager ? reader.readOr("UI", flag, "whether the target manager serves its page", true) : false,
});

/** A cache that is the process's own: all three servers have one where they are one process. */
const cacheOptions = (reader: SettingsReader) => ({
  imageCacheBytes: reader.read("IMAGE_CACHE_BYTES", countIn, "memory for prepared images", 256 * 2 ** 20),
});

const commonOptions = (reader: SettingsReader) => ({
  ...cacheOptions(reader),
  profile: reader.read(
    "SERVICE_PROFILE",
    oneOf(...PROFILE_NAMES),
    "the emulator's own specification, or what the real service was observed to do",
    "neutral",
  ),
  queryContentEncoding: reader.read(
    "QUERY_CONTENT_ENCODING",
    oneOf("gzip", "identity"),
    "of query responses",
    "gzip",
  ),
  responseDelaySeconds: reader.read(
    "RESPONSE_DELAY_SECONDS",
    seconds,
    "wait before every response but the target manager's",
    0,
  ),
});

const OPTIONS_OF: Readonly<Record<Role, (reader: SettingsReader) => ServerOptions>> = {
  "target-manager": (reader) =>
    withoutUndefined({
      ...cacheOptions(reader),
      targetRater: reader.read(
        "TARGET_RATER",
        oneOf(...RATER_NAMES),
        "gives an added image its tracking rating",
        "brisque",
      ),
      journalCapacity: reader.read(
        "JOURNAL_CAPACITY",
        countFromOneIn,
        "requests that the journal keeps",
        1000,
      ),
      journalBodyBytes: reader.read(
        "JOURNAL_BODY_BYTES",
        countIn,
        "bytes of bodies that the journal keeps",
        16 * 2 ** 20,
      ),
    }),
  query: (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      queryMatcher: reader.read(
        "QUERY_IMAGE_MATCHER",
        oneOf(...MATCHER_NAMES),
        "what a query finds",
        "structural_similarity",
      ),
    }),
  "target-api": (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      duplicatesMatcher: reader.read(
        "DUPLICATES_IMAGE_MATCHER",
        oneOf(...MATCHER_NAMES),
        "what counts as a duplicate",
        "structural_similarity",
      ),
      processingTimeSeconds: reader.read(
        "PROCESSING_TIME_SECONDS",
        seconds,
        "processing time of targets, reports and datasets",
        2,
      ),
      modelTargetTrainingAllowanceExceeded: reader.read(
        "MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED",
        flag,
        "creating a dataset fails",
        "false",
      ),
      serviceBaseUrl: reader.read(
        "SERVICE_BASE_URL",
        baseUrl,
        "base of report downloads",
        "serve: the target API's URL; alone: https://vws.vuforia.com",
      )?.href,
      modelTargetClient: {
        id: reader.readOr(
          "MODEL_TARGET_CLIENT_ID",
          text,
          "user name of the fixed OAuth 2.0 client",
          "client-id",
        ),
        secret: reader.readOr("MODEL_TARGET_CLIENT_SECRET", text, "its password", "client-secret"),
      },
      modelTargetUser: {
        name: reader.readOr(
          "MODEL_TARGET_USERNAME",
          text,
          "the fixed user of the password grant",
          "user@example.com",
        ),
        password: reader.readOr("MODEL_TARGET_PASSWORD", text, "that user's password", "password"),
      },
    }),
};

function readTls(reader: SettingsReader): ServerSettings["tls"] {
  const cert = reader.read("TLS_CERT_FILE", fileContent, "PEM file: serve HTTPS with this certificate");
  const key = reader.read("TLS_KEY_FILE", fileContent, "PEM file: the certificate's key");
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) reader.require("TLS_KEY_FILE", fileContent);
  if (key !== undefined) reader.require("TLS_CERT_FILE", fileContent);
  return reader.readOr("TLS_GENERATE", flag, "serve HTTPS with a certificate made now", false)
    ? "generated"
    : undefined;
}
