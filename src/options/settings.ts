import type * as z from "zod/mini";
import { withoutCredentials } from "../core/schema/base-url.ts";
import { readText } from "../core/schema/zod/problems.ts";
import { wordsOf } from "../core/schema/zod/values.ts";
import {
  DEFAULTS,
  EMULATOR_OPTIONS,
  SERVER_SETTINGS,
  settingsIn,
  settingsOf,
  unreadVariables,
} from "./command-settings.ts";
import type { OptionTable, Role } from "./option.ts";
import { IN_PROCESS_HINT, IN_PROCESS_ONLY } from "./options.ts";
import {
  type Command,
  type Environment,
  PREFIX,
  readFirst,
  readVariable,
  runsAll,
  unknownVariables,
  variableOf,
} from "./setting-names.ts";
import { IMAGE_PORTS } from "./setting-table.ts";

/** The settings of one server, from its environment. */
export type ServerSettings = ReturnType<typeof resolveSettings>;

/** Invalid settings; the message has one line for each. */
export class InvalidSettingsError extends Error {
  override readonly name = "InvalidSettingsError";

  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** Whether a value may be a private key instead of its path. */
const mayBeKey = (given: string): boolean => /PRIVATE KEY|[\r\n]/.test(given) || given.length > LONGEST_PATH;
const LONGEST_PATH = 1024;

/** Names that configured failures of mocks would have as settings. */
const NOT_OF_SERVERS = IN_PROCESS_ONLY.filter((option) => /failure|warning/i.test(option)).map((option) =>
  option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
);

type Values<Table extends OptionTable> = { readonly [Name in keyof Table]?: z.output<Table[Name]["schema"]> };

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** Reads the settings of a command and collects their errors. An empty value counts as none. */
class SettingsReader {
  readonly wrong = new Set<string>();
  private readonly ignored = new Set<string>();
  /** Variables that would count if they were no links to Services of Kubernetes. */
  private readonly links = new Set<string>();

  constructor(
    readonly command: Command,
    private readonly environment: Environment,
    private readonly flags: Flags,
  ) {}

  /** A command-line option wins over an environment variable. */
  private given({ option, flag, variables }: ReturnType<typeof settingsIn>[number]) {
    const ofFlag = this.flags[flag.name];
    const text = ofFlag === true ? flag.switchesTo : ofFlag;
    if (typeof text === "string" && text !== "") return { name: `--${flag.name}`, text };
    const { given, links } = readFirst(this.environment, variables);
    for (const name of links) this.links.add(name);
    const [link] = links;
    if (given !== undefined || link === undefined || this.command !== "serve") return given;
    // The link hides the image's own value.
    const port = Object.entries(IMAGE_PORTS).find(([name]) => name === option)?.[1];
    return port === undefined ? undefined : { name: link, text: String(port) };
  }

  /** Lines about variables that are ignored. */
  get warnings(): readonly string[] {
    const links = [...this.links].join(", ");
    const unread = unreadVariables(this.command, this.environment).join(", ");
    const off = "to turn them off, set enableServiceLinks: false in the pod's spec";
    return [
      ...this.ignored,
      ...(links === "" ? [] : [`ignored links to Services of Kubernetes: ${links}; ${off}`]),
      ...(unread === "" ? [] : [`${this.command} does not read ${unread}`]),
    ];
  }

  nameOf(option: keyof typeof SERVER_SETTINGS): string | undefined {
    const [setting] = settingsIn({ [option]: SERVER_SETTINGS[option] }, this.command);
    return setting && this.given(setting)?.name;
  }

  read<Table extends OptionTable>(rows: Table) {
    const values: Record<string, unknown> = {};
    for (const setting of settingsIn(rows, this.command)) {
      const given = this.given(setting);
      if (given === undefined) continue;
      const { name, text } = given;
      const reading = readText(setting.schema, text);
      if ("value" in reading) values[setting.option] = reading.value;
      else {
        const isSecret = /secret|password|stateUrl/i.test(setting.option) || mayBeKey(text);
        const got = isSecret ? "a value that is not shown" : JSON.stringify(withoutCredentials(text));
        const line = `${name}: expected ${wordsOf(setting.schema)}; got ${got}`;
        if (setting.row.withoutPrefix === "ifValid" && name !== setting.variables[0])
          this.ignored.add(`${line}; ignored: the default counts`);
        else this.wrong.add(line);
      }
    }
    return values as Values<Table>;
  }

  /** Reports a setting as missing if it is not given. */
  require(option: keyof typeof SERVER_SETTINGS): void {
    for (const setting of settingsIn({ [option]: SERVER_SETTINGS[option] }, this.command))
      if (this.given(setting) === undefined)
        this.wrong.add(`${setting.variables[0]}: expected ${wordsOf(setting.schema)}; not given`);
  }

  /** Reports a setting that its command cannot have, if it is given. */
  refuse(setting: string, why: string): void {
    const name = variableOf(this.command, setting);
    for (const [given, lines] of [
      [name, this.wrong],
      [setting, runsAll(this.command) ? this.ignored : this.wrong],
    ] as const)
      if (readVariable(this.environment, given) !== undefined) lines.add(`${given}: ${why}`);
  }

  refuseUnknown(): void {
    if (!runsAll(this.command)) return;
    const known = settingsOf(this.command).map(({ setting }) => setting);
    for (const line of unknownVariables(this.environment, [...known, ...NOT_OF_SERVERS]))
      this.wrong.add(line);
  }
}

/**
 * Reads a server's settings. Ignores settings of other servers, which may share the environment; only the server that keeps the
 * state can have STATE_URL.
 *
 * @throws InvalidSettingsError with a line for each invalid setting.
 */
export const readSettings = (role: Role, environment: Environment, flags: Flags = {}): ServerSettings =>
  resolveSettings(new SettingsReader(role, environment, flags));

/** As {@link readSettings}, for three servers in one process; also refuses unknown variables with the prefix. */
export function readSharedSettings(
  environment: Environment,
  flags: Flags = {},
  command: "serve" | "exec" = "serve",
) {
  const {
    port: _port,
    managerUrl: _url,
    managerCertificate: _certificate,
    ...shared
  } = resolveSettings(new SettingsReader(command, environment, flags));
  return shared;
}

/** Reads all settings of a command, and checks them together. */
function resolveSettings(reader: SettingsReader) {
  const { command } = reader;
  const given: Values<typeof SERVER_SETTINGS> = reader.read(SERVER_SETTINGS);
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
  const options = reader.read(EMULATOR_OPTIONS);
  if (/^rediss?:/.test(own.stateFile ?? "")) {
    const name = reader.nameOf("stateFile") ?? "";
    const other = name.startsWith("--") ? `${name}-url` : name.replace("FILE", "URL");
    reader.wrong.add(`${name}: expected the path of a file; for Redis or Valkey, use ${other}`);
  } else if (own.stateFile !== undefined && stateUrl !== undefined)
    reader.wrong.add(
      `${reader.nameOf("stateFile")}: remove it; ${reader.nameOf("stateUrl")} already says where the state is kept`,
    );
  if (command === "target-api" || command === "query")
    reader.refuse(
      "STATE_URL",
      `remove it; the ${command} server keeps no state: set STATE_URL of target-manager or, to replicate all servers, ${PREFIX}STATE_URL of serve`,
    );
  for (const setting of NOT_OF_SERVERS)
    reader.refuse(setting, `servers do not support this; it ${IN_PROCESS_HINT}`);
  reader.refuseUnknown();
  if (reader.wrong.size > 0) throw new InvalidSettingsError([...reader.wrong]);
  return {
    ...own,
    warnings: reader.warnings,
    state: stateUrl && { stateUrl, statePrefix, stateCertificate },
    tls:
      certificate !== undefined && certificateKey !== undefined
        ? { cert: certificate, key: certificateKey }
        : generateCertificate
          ? ("generated" as const)
          : undefined,
    options:
      command === "target-api" || runsAll(command)
        ? {
            ...options,
            modelTargetClient: { id: clientId, secret: clientSecret },
            modelTargetUser: { name: userName, password },
          }
        : options,
  };
}
