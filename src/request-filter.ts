import {
  aBoolean,
  checkShape,
  databaseOrName,
  nameOfDatabase,
  oneOf,
  type Shape,
  someText,
  wholeNumber,
} from "./option-values.ts";
import type { JournalEntry } from "./runtime/journal.ts";
import { isOperation, OPERATION_NAMES, type Operation, SERVICES, type Service } from "./runtime/operation.ts";

/** What a request must be like; what is not given does not matter. */
export interface RequestFilter {
  /** The API that was asked. */
  readonly api?: Service;
  /** What was asked for. */
  readonly operation?: Operation;
  /** The database whose keys the request named, or its name. */
  readonly database?:
    | string
    | {
        /** As the database was named. */
        readonly databaseName: string;
      };
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

const filterShape: Shape = {
  fields: {
    api: oneOf(...SERVICES),
    operation: { accepted: OPERATION_NAMES, accepts: isOperation },
    database: databaseOrName,
    method: someText,
    path: someText,
    status: wholeNumber(100, 599),
    resultCode: someText,
    refused: aBoolean,
    refusedBy: someText,
  },
};

/**
 * The entries that fit a filter, in their order.
 *
 * @throws InvalidOptionError naming a field that does not exist or whose value cannot occur.
 */
export function entriesLike(
  entries: readonly JournalEntry[],
  filter: RequestFilter,
): readonly JournalEntry[] {
  checkShape("filter", filter, filterShape);
  const { database, refused, ...fields } = filter;
  const wanted = Object.entries({ ...fields, database: nameOfDatabase(database) });
  return entries.filter(
    (entry) =>
      wanted.every(([field, value]) => value === undefined || Reflect.get(entry, field) === value) &&
      (refused === undefined || refused === (entry.refusedBy !== undefined)),
  );
}
