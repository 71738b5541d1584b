import { readFileSync } from "node:fs";
import type * as z from "zod/mini";
import {
  defaultsOf,
  LOG_LEVELS,
  MANAGER,
  option,
  ROLES,
  type Role,
  type Rows,
  SERVICES,
  TARGET_API,
} from "../mock/option.ts";
import { baseUrl, LOGGED, OPTIONS, port } from "../mock/option-table.ts";
import { IN_PROCESS_HINT, IN_PROCESS_ONLY } from "../mock/options.ts";
import { withoutCredentials } from "../schema/base-url.ts";
import { readText, textMatching, textReadBy } from "../schema/forms/problems.ts";
import { flag, oneOf, text, wordsOf } from "../schema/forms/values.ts";
import { LOG_FORMATS } from "./log.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of one server, from its environment. */
export type ServerSettings = ReturnType<typeof read>;

/** Invalid settings; the message has one line for each. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** Whether a value may be a private key itself where the path of its file is expected. */
const mayBeKey = (given: string): boolean => /PRIVATE KEY|[\r\n]/.test(given) || given.length > LONGEST_PATH;
const LONGEST_PATH = 1024;

const redisUrl = textReadBy("a redis:// or rediss:// URL, such as redis://state:6379", (given) => {
  const url = new URL(given);
  if (/^rediss?:$/.test(url.protocol) && url.host !== "") return url;
  throw new TypeError("another scheme, or no host");
});
const fileContent = textReadBy("the path of a file that can be read", (path) => readFileSync(path, "utf8"));
const { modelTargetClient, modelTargetUser } = OPTIONS.common;

/** The settings of `serve` alone are read by no server in a process of its own. */
const SERVE_ONLY: readonly Role[] = [];

/** Settings of servers that are no options of `startServers`, or only parts of them, or not the same. */
const SETTINGS = {
  logLevel: option(oneOf(...LOG_LEVELS), LOGGED, { default: "info", setting: { LOG_LEVEL: ROLES } }),
  logFormat: option(oneOf(...LOG_FORMATS), "how requests are logged", {
    defaultWords: "text on a terminal, otherwise json",
    setting: { LOG_FORMAT: ROLES },
  }),
  port: option(port, "port to listen on", { default: 5000, setting: { PORT: ROLES }, flag: "--port N" }),
  targetPort: option(port, "port of the target API, like --target-port", {
    defaultWords: "any free port",
    setting: { TARGET_PORT: SERVE_ONLY },
  }),
  queryPort: option(port, "port of the query API, like --query-port", {
    defaultWords: "any free port",
    setting: { QUERY_PORT: SERVE_ONLY },
  }),
  managerPort: option(port, "port of the target manager, like --manager-port", {
    defaultWords: "any free port",
    setting: { MANAGER_PORT: SERVE_ONLY },
  }),
  managerUrl: option(baseUrl, "URL of the target manager", {
    defaultWords: "none: required",
    setting: { TARGET_MANAGER_BASE_URL: SERVICES },
  }),
  managerCertificate: option(fileContent, "PEM file: trust this certificate of the manager", {
    setting: { TARGET_MANAGER_CERT_FILE: SERVICES },
  }),
  stateUrl: option(redisUrl, "Redis or Valkey that keeps the state (needs iovalkey)", {
    setting: { STATE_URL: MANAGER },
  }),
  statePrefix: option(
    textMatching("letters, digits, dots, hyphens and underscores", /^[\w.-]+$/),
    "prefix of the keys there",
    { default: "mock-cloud-reco", setting: { STATE_PREFIX: MANAGER } },
  ),
  stateCertificate: option(fileContent, "PEM file: trust this certificate of a rediss:// server", {
    setting: { STATE_CERT_FILE: MANAGER },
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
    default: modelTargetClient.default.id,
    setting: { MODEL_TARGET_CLIENT_ID: TARGET_API },
  }),
  clientSecret: option(text, "password of that client", {
    default: modelTargetClient.default.secret,
    setting: { MODEL_TARGET_CLIENT_SECRET: TARGET_API },
  }),
  userName: option(text, "user name of the fixed user of the password grant", {
    default: modelTargetUser.default.name,
    setting: { MODEL_TARGET_USERNAME: TARGET_API },
  }),
  password: option(text, "password of that user", {
    default: modelTargetUser.default.password,
    setting: { MODEL_TARGET_PASSWORD: TARGET_API },
  }),
} satisfies Rows;

/** Settings of a server in a process of its own. */
const ALONE = ["port", "managerUrl", "managerCertificate"] as const;
const SERVER_OPTIONS = { ...OPTIONS.servers, ...OPTIONS.common };
const OTHERS = { ...OPTIONS.startServers, ...SETTINGS };
const DEFAULTS = defaultsOf(OTHERS);
/** Where a server listens unless told otherwise. */
export const LISTENING: { readonly host: string; readonly port: number } = DEFAULTS;

type Command = Role | "serve";

/** The environment variables that a command reads, with their options. */
const settingsIn = (rows: Rows, command: Command) =>
  Object.entries(rows).flatMap(([option, row]) => {
    const isRead = (roles: readonly Role[]) =>
      command === "serve" ? !ALONE.some((alone) => alone === option) : roles.includes(command);
    const names = Object.entries(row.setting ?? {}).filter(([, roles]) => isRead(roles));
    const schema = (row.settingSchema ?? row.schema) as z.ZodMiniType;
    return names.map(([name]) => ({ option, name, row, schema, expected: wordsOf(schema) }));
  });

/** How help describes every setting that a server or `serve` reads. */
export const settingsOf = (command: Command) =>
  settingsIn({ ...OTHERS, ...SERVER_OPTIONS }, command).map(({ name, row, expected }) => ({
    name,
    purpose: row.flag === undefined ? row.says : `${row.says}, like ${row.flag.split(" ", 1)[0]}`,
    expected,
    unlessGiven: row.defaultWords ?? String(row.default ?? "none"),
    says: row.says,
    flag: row.flag,
  }));

/** The name of a command's option: `--seed FILE` is `seed`. */
const flagName = (flag: string): string => flag.replace(/^--| .*/g, "");

/** Options of the servers' commands that are the same as settings, for `parseArgs`. */
export const FLAGS = Object.fromEntries(
  settingsOf("target-manager").flatMap(({ flag }) =>
    flag === undefined ? [] : [[flagName(flag), { type: "string" as const }]],
  ),
) as Readonly<Record<"port" | "host" | "seed" | "state" | "realism", { readonly type: "string" }>>;

/** The environment, with the given options instead of their settings. */
export const withFlags = (
  environment: Environment,
  values: Readonly<Record<string, unknown>>,
): Environment => ({
  ...environment,
  ...Object.fromEntries(
    settingsOf("target-manager").flatMap(({ flag, name }) => {
      const value = flag === undefined ? undefined : values[flagName(flag)];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  ),
});

type Values<Table extends Rows> = { readonly [Name in keyof Table]?: z.output<Table[Name]["schema"]> };

/** Reads settings and collects their errors. An empty value counts as none. */
class SettingsReader {
  readonly wrong = new Set<string>();

  constructor(readonly environment: Environment) {}

  has(name: string): boolean {
    return (this.environment[name] ?? "") !== "";
  }

  read<Table extends Rows>(rows: Table, command: Command) {
    const values: Record<string, unknown> = {};
    for (const { option, name, schema, expected } of settingsIn(rows, command)) {
      if (!this.has(name)) continue;
      const given = this.environment[name] ?? "";
      const reading = readText(schema, given);
      if ("value" in reading) values[option] = reading.value;
      else {
        const isSecret = /secret|password|state_url/i.test(name) || mayBeKey(given);
        const got = isSecret ? "a value that is not shown" : JSON.stringify(withoutCredentials(given));
        this.wrong.add(`${name}: expected ${expected}; got ${got}`);
      }
    }
    return values as Values<Table>;
  }

  /** Reports a setting as missing if it is not given. */
  require(option: keyof typeof OTHERS): void {
    for (const { name, expected } of settingsIn({ [option]: OTHERS[option] }, "target-api"))
      if (!this.has(name)) this.wrong.add(`${name}: expected ${expected}; not given`);
  }
}

/**
 * Reads the settings of a server from its environment. Settings of the other servers are ignored, so that all servers can
 * share one environment, except for STATE_URL, which only the server that keeps the state can have.
 *
 * @throws InvalidSettingsError with a line for each invalid setting: its name, what was expected, and its value.
 */
export const readSettings = (role: Role, environment: Environment): ServerSettings =>
  read(role, new SettingsReader(environment));

/**
 * Reads the settings of all three servers in one process, which know each other's addresses and have their own ports.
 *
 * @throws InvalidSettingsError as {@link readSettings}.
 */
export function readSharedSettings(environment: Environment) {
  const {
    port: _port,
    managerUrl: _url,
    managerCertificate: _certificate,
    ...shared
  } = read("serve", new SettingsReader(environment));
  return shared;
}

function read(command: Command, reader: SettingsReader) {
  const given: Values<typeof OTHERS> = reader.read(OTHERS, command);
  const { stateUrl, statePrefix, stateCertificate, certificate, certificateKey, ...others } = {
    ...DEFAULTS,
    ...given,
  };
  const {
    clientId,
    clientSecret,
    userName,
    password,
    generateCertificate,
    ports: _ports,
    hosts: _hosts,
    ...own
  } = others;
  if (command === "target-api" || command === "query") reader.require("managerUrl");
  if (certificate !== undefined) reader.require("certificateKey");
  if (certificateKey !== undefined) reader.require("certificate");
  const options = reader.read(SERVER_OPTIONS, command);
  if (own.stateFile !== undefined && stateUrl !== undefined)
    reader.wrong.add("STATE_FILE (--state): expected none, because STATE_URL says where the state is kept");
  if ((command === "target-api" || command === "query") && reader.has("STATE_URL"))
    reader.wrong.add(
      `STATE_URL: remove it; the ${command} server keeps no state: set STATE_URL of the target manager or, to replicate all servers, of serve`,
    );
  for (const name of IN_PROCESS_ONLY.filter((option) => /failure|warning/i.test(option)).map(upperCase))
    if (reader.has(name)) reader.wrong.add(`${name}: servers do not support this; it ${IN_PROCESS_HINT}`);
  if (reader.wrong.size > 0) throw new InvalidSettingsError([...reader.wrong]);
  return {
    ...own,
    state: stateUrl && { stateUrl, statePrefix, stateCertificate },
    tls:
      certificate !== undefined && certificateKey !== undefined
        ? { cert: certificate, key: certificateKey }
        : generateCertificate
          ? ("generated" as const)
          : undefined,
    options:
      command === "target-api" || command === "serve"
        ? {
            ...options,
            modelTargetClient: { id: clientId, secret: clientSecret },
            modelTargetUser: { name: userName, password },
          }
        : options,
  };
}

/** The environment variable that an option would have if servers supported it. */
const upperCase = (option: string): string =>
  option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
