import { readFileSync } from "node:fs";
import { flagIn as flag, portIn as port, textReadBy } from "../schema/kernel/environment.ts";
import { oneOf, text } from "../schema/kernel/values.ts";
import type { RedisAddress } from "../store/redis/connect.ts";
import { inProcessOnlySettings } from "./in-process-only.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";
import { baseUrl, OPTIONS_OF, ROLES, type Role } from "./option-settings.ts";
import type { ServerOptions } from "./server-options.ts";
import { type Environment, type Setting, SettingsReader } from "./settings-reader.ts";

/** The settings of one server, from its environment. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly managerUrl: URL | undefined;
  readonly managerCertificate: string | undefined;
  /** The address of the Redis that keeps the state; undefined: the target manager keeps it. */
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
  /** The file that keeps the state. */
  readonly stateFile: string | undefined;
}

/** Invalid settings; the message has one line for each. */
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
    throw new TypeError("malformed name");
  },
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
 * Reads the settings of a server from its environment. Settings of the other servers are ignored, so that all servers can
 * share one environment.
 *
 * @throws InvalidSettingsError with a line for each invalid setting: its name, what was expected, and its value.
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
      : reader.read(
          "TARGET_MANAGER_CERT_FILE",
          fileContent,
          "PEM file: trust this certificate of the manager",
        ),
    state,
    // With state in Redis, the server that adds a target rates its image.
    options: { ...(state && OPTIONS_OF["target-manager"](reader)), ...OPTIONS_OF[role](reader) },
    seedFile: isManager ? readSeedFile(reader) : undefined,
    stateFile: isManager ? readStateFile(reader, state) : undefined,
    ...readManagerAccess(reader, isManager),
  };
}

/** Settings of all three servers in one process, which know each other's addresses and have their own ports. */
export type SharedSettings = Omit<ServerSettings, "port" | "managerUrl" | "managerCertificate">;

/** @throws InvalidSettingsError as {@link readSettings}. */
export function readSharedSettings(environment: Environment): SharedSettings {
  const reader = new SettingsReader(environment);
  const settings = settingsOfAll(reader);
  throwIfWrong(reader, environment);
  return settings;
}

function settingsOfAll(reader: SettingsReader): SharedSettings {
  const options = ROLES.map((role) => OPTIONS_OF[role](reader));
  const state = readState(reader);
  return {
    ...readListening(reader),
    state,
    options: Object.assign({}, ...options),
    seedFile: readSeedFile(reader),
    stateFile: readStateFile(reader, state),
    ...readManagerAccess(reader, true),
  };
}

/** Every setting that a server or `serve` reads. */
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
    "URL of the target manager",
    "none: required without STATE_URL",
  );
}

const readSeedFile = (reader: SettingsReader) =>
  reader.read("SEED_FILE", text, "file of initial databases, targets and credentials, like --seed");

function readStateFile(reader: SettingsReader, state: RedisAddress | undefined): string | undefined {
  const path = reader.read("STATE_FILE", text, "file that keeps the state, like --state");
  if (path !== undefined && state !== undefined)
    reader.wrong.push("STATE_FILE (--state): expected none, because STATE_URL says where the state is kept");
  return path;
}

const readListening = (reader: SettingsReader) => ({
  host: reader.readOr("HOST", text, "address to listen on, like --host", "127.0.0.1"),
  logLevel: reader.readOr(
    "LOG_LEVEL",
    oneOf(...LOG_LEVELS),
    "which requests are logged; warn: refused ones and failures",
    "info",
  ),
  tls: readTls(reader),
  corsOrigin: reader.read(
    "CORS_ALLOW_ORIGIN",
    text,
    "lets pages of that origin use the target and query API, * for any",
  ),
});

function readState(reader: SettingsReader): RedisAddress | undefined {
  const stateUrl = reader.read(
    "STATE_URL",
    redisUrl,
    "Redis or Valkey that keeps the state (needs iovalkey)",
  );
  const statePrefix = reader.readOr("STATE_PREFIX", keyPrefix, "prefix of the keys there", "mock-cloud-reco");
  const stateCertificate = reader.read(
    "STATE_CERT_FILE",
    fileContent,
    "PEM file: trust this certificate of a rediss:// server",
  );
  return stateUrl && { stateUrl, statePrefix, stateCertificate };
}

const readManagerAccess = (reader: SettingsReader, isManager: boolean) => ({
  managerCorsOrigin: isManager
    ? reader.read(
        "MANAGER_CORS_ALLOW_ORIGIN",
        text,
        "lets pages of that origin use the target manager, * for any",
      )
    : undefined,
  allowedHosts: isManager
    ? reader.read(
        "ALLOWED_HOSTS",
        hostNames,
        "host names of the target manager, besides localhost and IP addresses",
      )
    : undefined,
  ui: isManager ? reader.readOr("UI", flag, "whether the target manager serves its page", true) : false,
});

function readTls(reader: SettingsReader): ServerSettings["tls"] {
  const cert = reader.read("TLS_CERT_FILE", fileContent, "PEM file: serve HTTPS with this certificate");
  const key = reader.read("TLS_KEY_FILE", fileContent, "PEM file: the certificate's key");
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) reader.require("TLS_KEY_FILE", fileContent);
  if (key !== undefined) reader.require("TLS_CERT_FILE", fileContent);
  return reader.readOr("TLS_GENERATE", flag, "serve HTTPS with a generated certificate", false)
    ? "generated"
    : undefined;
}
