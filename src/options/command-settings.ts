import type * as z from "zod/mini";
import { wordsOf } from "../core/schema/zod/values.ts";
import { defaultsOf, type OptionTable } from "./option.ts";
import { OPTIONS } from "./option-table.ts";
import { type Command, flagOf, runsAll, variablesOf } from "./setting-names.ts";
import { SETTINGS } from "./setting-table.ts";

/** Settings of a server in a process of its own; the commands that run all servers have none of them. */
const OF_SEPARATE_SERVERS = ["port", "managerUrl", "managerCertificate"] as const;
/** Settings that are options of the emulator. */
export const EMULATOR_OPTIONS = { ...OPTIONS.servers, ...OPTIONS.common };
/** Settings of the servers around it: addresses, certificates, the state, logs. */
export const SERVER_SETTINGS = { ...OPTIONS.startServers, ...SETTINGS };
export const DEFAULTS = defaultsOf(SERVER_SETTINGS);
/** The default address of a server. */
export const LISTENING: { readonly host: string; readonly port: number } = DEFAULTS;

/** The settings among these rows that a command reads. */
export const settingsIn = (rows: OptionTable, command: Command) =>
  Object.entries(rows).flatMap(([option, row]) => {
    const { setting, readBy = [] } = row;
    const isRead = runsAll(command)
      ? !OF_SEPARATE_SERVERS.some((name) => name === option)
      : readBy.some((role) => role === command);
    if (setting === undefined || !isRead) return [];
    const schema = (row.settingSchema ?? row.schema) as z.ZodMiniType;
    const variables = variablesOf(command, setting, readBy);
    return [
      { option, setting, row, schema, variables, flag: flagOf(setting, row), expected: wordsOf(schema) },
    ];
  });

/** All settings of a command. */
export const settingsOf = (command: Command) =>
  settingsIn({ ...SERVER_SETTINGS, ...EMULATOR_OPTIONS }, command).map(
    ({ setting, variables, flag, row, expected }) => ({
      setting,
      variable: variables[0],
      flag,
      purpose: row.purpose,
      expected,
      unlessGiven: row.defaultWords ?? String(row.default ?? "none"),
    }),
  );

type FlagType = { readonly type: "string" | "boolean" };

/** The options of a command that are settings, as `parseArgs` takes them. */
export const flagsOf = (command: Command): Readonly<Record<string, FlagType>> =>
  Object.fromEntries(
    settingsOf(command).map(({ flag: { name, switchesTo } }) => [
      name,
      { type: switchesTo === undefined ? "string" : "boolean" },
    ]),
  );
