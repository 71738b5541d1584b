import type * as z from "zod/mini";
import { defaultsOf, type OptionTable } from "./option.ts";
import { OPTIONS } from "./option-table.ts";
import {
  COMMANDS,
  type Command,
  type Environment,
  flagOf,
  readVariable,
  runsAll,
  variablesOf,
} from "./setting-names.ts";
import { SETTINGS } from "./setting-table.ts";

/** Settings of a server in a process of its own; the commands that run all servers have none of them. */
const OF_SEPARATE_SERVERS = ["port", "managerUrl", "managerCertificate"] as const;
/** Settings that are options of the emulator. */
export const EMULATOR_OPTIONS = { ...OPTIONS.servers, ...OPTIONS.common };
/** Settings of the servers around it: addresses, certificates, the state, logs. */
export const SERVER_SETTINGS = { ...OPTIONS.startServers, ...SETTINGS };
export const DEFAULTS = defaultsOf(SERVER_SETTINGS);

/** The settings among these rows that a command reads. */
export const settingsIn = (rows: OptionTable, command: Command) =>
  Object.entries(rows).flatMap(([option, row]) => {
    const { setting, readBy = [] } = row;
    const isRead = runsAll(command)
      ? !OF_SEPARATE_SERVERS.some((name) => name === option)
      : readBy.some((role) => role === command);
    if (setting === undefined || !isRead) return [];
    const schema = (row.settingSchema ?? row.schema) as z.ZodMiniType;
    const variables = variablesOf(command, { ...row, setting });
    return [{ option, setting, row, schema, variables, flag: flagOf(setting, row) }];
  });

const settings = new Map<Command, ReturnType<typeof settingsIn>>();

export function settingsOf(command: Command): ReturnType<typeof settingsIn> {
  const known = settings.get(command) ?? settingsIn({ ...SERVER_SETTINGS, ...EMULATOR_OPTIONS }, command);
  settings.set(command, known);
  return known;
}

/** The options of a command that are settings, as `parseArgs` takes them. */
export const flagsOf = (
  command: Command,
): Readonly<Record<string, { readonly type: "string" | "boolean" }>> =>
  Object.fromEntries(
    settingsOf(command).map(({ flag: { name, switchesTo } }) => [
      name,
      { type: switchesTo === undefined ? "string" : "boolean" },
    ]),
  );

/** Any program may have them. */
const COMMON_NAMES = ["HOST", "PORT", "LOG_LEVEL", "UI"];

/**
 * Describes the variables that are set for another command, as a list. Servers in processes of their own may share an environment, so
 * only names with the prefix are reported to them.
 */
export function unreadVariables(command: Command, environment: Environment): readonly string[] {
  const own = settingsOf(command);
  const readOwn = new Set(own.flatMap(({ variables }) => variables));
  const others = runsAll(command) ? COMMANDS : (["exec"] as const);
  const settings = new Map(
    others
      .flatMap(settingsOf)
      .filter(({ setting }) => !COMMON_NAMES.includes(setting))
      .flatMap(({ setting, variables }) => variables.map((variable) => [variable, setting] as const)),
  );
  return [...settings]
    .filter(([variable]) => !readOwn.has(variable) && readVariable(environment, variable) !== undefined)
    .map(([variable, setting]) => {
      const named = own.find((each) => each.setting === setting);
      if (named !== undefined) return `${variable} (it reads ${named.variables[0]})`;
      const readers = COMMANDS.filter((each) =>
        settingsOf(each).some(({ variables }) => variables.includes(variable)),
      );
      return `${variable} (only ${readers.join(" and ")} read it)`;
    });
}
