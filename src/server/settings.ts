import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseBaseUrl } from "../base-url.ts";
import { withoutUndefined } from "../domain/without-undefined.ts";
import { PROFILE_NAMES } from "../profiles.ts";
import { inProcessOnlySettings } from "./in-process-only.ts";
import { LOG_LEVELS, type LogLevel } from "./request-log.ts";
import { MATCHER_NAMES, RATER_NAMES, type ServerOptions } from "./server-options.ts";

export const ROLES = ["target-manager", "target-api", "query"] as const;
export type Role = (typeof ROLES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** What one server is told by its environment. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly managerUrl: URL | undefined;
  readonly managerCertificate: string | undefined;
  readonly options: ServerOptions;
  readonly logLevel: LogLevel;
  readonly tls: { readonly cert: string; readonly key: string } | "generated" | undefined;
  readonly corsOrigin: string | undefined;
  readonly seedFile: string | undefined;
}

/** Settings that are not accepted; the message has one line for each. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** A schema for each kind of setting; its description completes "accepted is …". */
const words = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values).describe(values.join(" or "));

const text = z.string().describe("some text");

const seconds = z
  .string()
  .regex(/^(\d+\.?\d*|\.\d+)$/)
  .transform(Number)
  .describe("a number of seconds, 0 or more");

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65535)
  .describe("a whole number from 0 to 65535");

const flag = z
  .stringbool({ truthy: ["true", "1", "yes"], falsy: ["false", "0", "no"] })
  .describe("true, false, 1, 0, yes or no");

const baseUrl = readBy((given) => parseBaseUrl("", given)).describe(
  "an http or https URL with its scheme and without query, such as http://target-manager:5000",
);

const fileContent = readBy((path) => readFileSync(path, "utf8")).describe(
  "the path of a file that can be read",
);

/** Text that a function reads; what it throws at is not accepted. */
function readBy<T>(read: (given: string) => T) {
  return z.string().transform((given, context): T => {
    try {
      return read(given);
    } catch {
      context.addIssue("not readable");
      return z.NEVER;
    }
  });
}

/** Reads settings and collects what is wrong with them; an empty value is as good as none. */
class Reader {
  readonly wrong: string[] = [];

  constructor(private readonly environment: Environment) {}

  read<T>(name: string, setting: z.ZodType<T>): T | undefined {
    const given = this.environment[name] ?? "";
    if (given === "") return undefined;
    const { success, data } = setting.safeParse(given);
    if (success) return data;
    this.wrong.push(`${name}: got ${JSON.stringify(given)}; accepted is ${setting.description}`);
    return undefined;
  }

  require<T>(name: string, setting: z.ZodType<T>): T | undefined {
    if ((this.environment[name] ?? "") === "")
      this.wrong.push(`${name}: not given; accepted is ${setting.description}`);
    return this.read(name, setting);
  }
}

/**
 * Reads what a server is told by its environment (protocol section 11). Settings of the other servers are ignored, so
 * that all may share one environment.
 *
 * @throws InvalidSettingsError with a line for each setting that is not accepted: its name, the value, what is accepted.
 */
export function readSettings(role: Role, environment: Environment): ServerSettings {
  const reader = new Reader(environment);
  const isManager = role === "target-manager";
  const settings: ServerSettings = {
    ...readListening(reader),
    port: reader.read("PORT", port) ?? 5000,
    managerUrl: isManager ? undefined : reader.require("TARGET_MANAGER_BASE_URL", baseUrl),
    managerCertificate: isManager ? undefined : reader.read("TARGET_MANAGER_CERT_FILE", fileContent),
    options: OPTIONS_OF[role](reader),
    seedFile: isManager ? reader.read("SEED_FILE", text) : undefined,
  };
  throwIfWrong(reader, environment);
  return settings;
}

/** Settings of all three servers in one process. They find each other, and each its own port. */
export type SharedSettings = Omit<ServerSettings, "port" | "managerUrl" | "managerCertificate">;

/** @throws InvalidSettingsError as {@link readSettings}. */
export function readSharedSettings(environment: Environment): SharedSettings {
  const reader = new Reader(environment);
  const options = ROLES.map((role) => OPTIONS_OF[role](reader));
  const settings: SharedSettings = {
    ...readListening(reader),
    options: Object.assign({}, ...options),
    seedFile: reader.read("SEED_FILE", text),
  };
  throwIfWrong(reader, environment);
  return settings;
}

function throwIfWrong(reader: Reader, environment: Environment): void {
  const wrong = new Set([...reader.wrong, ...inProcessOnlySettings(environment)]);
  if (wrong.size > 0) throw new InvalidSettingsError([...wrong]);
}

const readListening = (reader: Reader) => ({
  host: reader.read("HOST", text) ?? "127.0.0.1",
  logLevel: reader.read("LOG_LEVEL", words(...LOG_LEVELS)) ?? "info",
  tls: readTls(reader),
  corsOrigin: reader.read("CORS_ALLOW_ORIGIN", text),
});

const commonOptions = (reader: Reader) => ({
  profile: reader.read("SERVICE_PROFILE", words(...PROFILE_NAMES)),
  queryContentEncoding: reader.read("QUERY_CONTENT_ENCODING", words("gzip", "identity")),
  responseDelaySeconds: reader.read("RESPONSE_DELAY_SECONDS", seconds),
});

const OPTIONS_OF: Readonly<Record<Role, (reader: Reader) => ServerOptions>> = {
  "target-manager": (reader) =>
    withoutUndefined({ targetRater: reader.read("TARGET_RATER", words(...RATER_NAMES)) }),
  query: (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      queryMatcher: reader.read("QUERY_IMAGE_MATCHER", words(...MATCHER_NAMES)),
    }),
  "target-api": (reader) =>
    withoutUndefined({
      ...commonOptions(reader),
      duplicatesMatcher: reader.read("DUPLICATES_IMAGE_MATCHER", words(...MATCHER_NAMES)),
      processingTimeSeconds: reader.read("PROCESSING_TIME_SECONDS", seconds),
      modelTargetTrainingAllowanceExceeded: reader.read("MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED", flag),
      serviceBaseUrl: reader.read("SERVICE_BASE_URL", baseUrl)?.href,
      modelTargetClient: {
        id: reader.read("MODEL_TARGET_CLIENT_ID", text) ?? "client-id",
        secret: reader.read("MODEL_TARGET_CLIENT_SECRET", text) ?? "client-secret",
      },
      modelTargetUser: {
        name: reader.read("MODEL_TARGET_USERNAME", text) ?? "user@example.com",
        password: reader.read("MODEL_TARGET_PASSWORD", text) ?? "password",
      },
    }),
};

function readTls(reader: Reader): ServerSettings["tls"] {
  const cert = reader.read("TLS_CERT_FILE", fileContent);
  const key = reader.read("TLS_KEY_FILE", fileContent);
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) reader.require("TLS_KEY_FILE", fileContent);
  if (key !== undefined) reader.require("TLS_CERT_FILE", fileContent);
  return reader.read("TLS_GENERATE", flag) === true ? "generated" : undefined;
}
