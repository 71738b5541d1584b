import { nearest } from "../core/schema/zod/problems.ts";
import { trueOrFalse } from "../core/schema/zod/values.ts";
import { type Option, ROLES } from "./option.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server in a process of its own, or the commands that run all three servers. */
export const COMMANDS = ["serve", "exec", ...ROLES] as const;
export type Command = (typeof COMMANDS)[number];

export const runsAll = (command: Command): boolean => command === "serve" || command === "exec";

export interface SettingFlag {
  /** `log-level` of `--log-level`. */
  readonly name: string;
  /** As help shows it, such as `--port N`. */
  readonly usage: string;
  /** The value of a switch. Other options take a value. */
  readonly switchesTo?: "true" | "false";
}

export function flagOf(setting: string, { schema, default: unlessGiven, usage }: Option): SettingFlag {
  if (usage !== undefined) return { name: usage.replace(/^--| .*/g, ""), usage };
  const name = setting.toLowerCase().replaceAll("_", "-");
  if (schema !== trueOrFalse) return { name, usage: `--${name} VALUE` };
  return unlessGiven === true
    ? { name: `no-${name}`, usage: `--no-${name}`, switchesTo: "false" }
    : { name, usage: `--${name}`, switchesTo: "true" };
}

/** The tested program shares the environment of `serve` and `exec`, and may have its own HOST, PORT or LOG_LEVEL. */
export const PREFIX = "MOCK_CLOUD_RECO_";

/** The environment variable of a setting. */
export const variableOf = (command: Command, setting: string): string =>
  runsAll(command) ? PREFIX + setting : setting;

/** The environment variables of a setting; the first wins. */
export function variablesOf(
  command: Command,
  { setting, withoutPrefix }: { readonly setting: string } & Pick<Option, "withoutPrefix">,
): readonly [string, ...string[]] {
  const first = variableOf(command, setting);
  return command === "serve" && withoutPrefix !== undefined ? [first, setting] : [first];
}

/** Variables with the prefix that are no settings. */
const OTHER_VARIABLES = ["MOCK_CLOUD_RECO_PAUSE"];

/** Kubernetes describes each Service to every container: `QUERY_PORT=tcp://10.96.0.13:5001` is the Service named query. */
const isServiceLink = (value: string): boolean => /^(tcp|udp|sctp):\/\/\S+:\d+$/.test(value);
/** Other variables of a Service named mock-cloud-reco. */
const DESCRIBES_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/;

/** The value of a variable. An empty one counts as none, and so does a link to a Service. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? "";
  return value === "" || isServiceLink(value) ? undefined : value;
}

/** The first of these variables that has a value, and those before it that are links to Services. */
export function readFirst(environment: Environment, names: readonly string[]) {
  const links: string[] = [];
  for (const name of names) {
    const text = readVariable(environment, name);
    if (text !== undefined) return { given: { name, text }, links };
    if (environment[name]) links.push(name);
  }
  return { links };
}

/** One line for each variable that has the prefix and is no setting. */
export const unknownVariables = (environment: Environment, settings: readonly string[]): readonly string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !OTHER_VARIABLES.includes(name))
    .filter((name) => !DESCRIBES_SERVICE.test(name) && readVariable(environment, name) !== undefined)
    .map((name) => ({ name, setting: name.slice(PREFIX.length) }))
    .filter(({ setting }) => !settings.includes(setting))
    .map(({ name, setting }) => {
      const meant = nearest(setting, settings);
      return `${name}: unknown setting${meant === undefined ? "" : `; did you mean ${PREFIX}${meant}?`}`;
    });
