import * as z from "zod/mini";
import type { JournalEntry } from "../core/journal.ts";
import {
  isOperation,
  OPERATION_NAMES,
  type Operation,
  SERVICES,
  type Service,
} from "../core/operation-names.ts";
import { checked } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import { flag, kind, oneOf, text, wholeNumberFrom } from "../schema/kernel/values.ts";

/** A database of a mock, or its name. */
export type DatabaseOrName =
  | string
  | {
      /** As the database was named. */
      readonly databaseName: string;
    };

/** What a request must be like; what is not given does not matter. */
export interface RequestFilter {
  /** The API that was asked. */
  readonly api?: Service;
  /** What was asked for. */
  readonly operation?: Operation;
  /** The database whose keys the request named, or its name. */
  readonly database?: DatabaseOrName;
  /** In upper case. */
  readonly method?: string;
  /** Exactly, without query string. */
  readonly path?: string;
  /** Of the response. */
  readonly status?: number;
  /** Of the response. */
  readonly resultCode?: string;
  /** Whether a check refused it, or nothing was served there. */
  readonly refused?: boolean;
  /** Name of the check that refused it. */
  readonly refusedBy?: string;
}

export const operation = kind(OPERATION_NAMES, z.custom<Operation>(isOperation));
export const databaseOrName = kind(
  "a database or its name",
  z.custom<DatabaseOrName>((value) => typeof nameOfDatabase(value) === "string"),
);
export const service = oneOf(...SERVICES);

const requestFilter = z.lazy(() =>
  record<RequestFilter>(
    optional({
      api: service,
      operation,
      database: databaseOrName,
      method: text,
      path: text,
      status: wholeNumberFrom(100, 599),
      resultCode: text,
      refused: flag,
      refusedBy: text,
    }),
  ),
);

export function nameOfDatabase(database: unknown): unknown {
  return typeof database === "object" && database !== null ? Reflect.get(database, "databaseName") : database;
}

/** @throws InvalidOptionError naming a field that does not exist or whose value cannot occur. */
export function checkFilter(filter: RequestFilter): void {
  checked("filter", requestFilter, filter);
}

/**
 * The entries that fit a filter, in their order.
 *
 * @throws InvalidOptionError naming a field that does not exist or whose value cannot occur.
 */
export function filterEntries(
  entries: readonly JournalEntry[],
  filter: RequestFilter,
): readonly JournalEntry[] {
  const { database, refused, ...fields } = checked("filter", requestFilter, filter);
  const wanted = Object.entries({ ...fields, database: nameOfDatabase(database) });
  return entries.filter(
    (entry) =>
      wanted.every(([field, value]) => value === undefined || Reflect.get(entry, field) === value) &&
      (refused === undefined || refused === (entry.refusedBy !== undefined)),
  );
}
