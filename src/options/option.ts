import type * as z from "zod/mini";

/** The three servers. */
export const ROLES = ["target-manager", "target-api", "query"] as const;
export type Role = (typeof ROLES)[number];
export const MANAGER: readonly Role[] = ["target-manager"];
export const TARGET_API: readonly Role[] = ["target-api"];
export const QUERY: readonly Role[] = ["query"];
/** The servers of the emulated service, in front of the emulator that the target manager has. */
export const API_SERVERS = ["target-api", "query"] as const satisfies readonly Role[];

/** From no request to every request. `warn`: refused requests and failures; `error`: only failures. */
export const LOG_LEVELS = ["silent", "error", "warn", "info"] as const;
/** Which requests are logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How requests are logged: as JSON, a line each, or as readable lines. */
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** One option for checks, settings, help and the guide. Its docstring is in the public interface. */
export interface Option {
  readonly schema: z.core.$ZodType;
  /** Its value unless given. */
  readonly default?: unknown;
  /** One sentence, without an end. */
  readonly purpose: string;
  /** The environment variable of servers. */
  readonly setting?: string;
  /**
   * Whether `serve` reads the setting without the prefix too. `ifValid`: another program may have such a variable, whose value is no
   * error. Hardly any has these names, which say how the service answers and who may ask.
   */
  readonly withoutPrefix?: "always" | "ifValid";
  /** The servers that read the setting in a process of their own. Default: none. */
  readonly readBy?: readonly Role[];
  /** The default in words, where no value says it. */
  readonly defaultWords?: string;
  /** Reads the setting if {@link schema} does not read text. */
  readonly settingSchema?: z.core.$ZodType;
  /** The setting as an option of the commands, unless it is named as the setting. */
  readonly usage?: string;
}

export type OptionTable = Readonly<Record<string, Option>>;

export const option = <Schema extends z.core.$ZodType, const More extends Partial<Option> = object>(
  schema: Schema,
  purpose: string,
  more?: More,
) => ({ schema, purpose, ...more }) as { readonly schema: Schema; readonly purpose: string } & More;

export const schemasOf = <Table extends OptionTable>(rows: Table) =>
  mapped(rows, ([name, { schema }]) => [[name, schema]]) as {
    readonly [Name in keyof Table]: Table[Name]["schema"];
  };

type Defaulted<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Table];
export const defaultsOf = <Table extends OptionTable>(rows: Table) =>
  mapped(rows, ([name, row]) => ("default" in row ? [[name, row.default]] : [])) as {
    readonly [Name in Defaulted<Table>]: Table[Name] extends { readonly default: infer Value }
      ? Value
      : never;
  };

const mapped = (rows: OptionTable, entriesOf: (row: [string, Option]) => [string, unknown][]): object =>
  Object.fromEntries(Object.entries(rows).flatMap(entriesOf));
