import * as z from "zod/mini";
import { formatJournal, summarize } from "../emulator/format-journal.ts";
import type { JournalEntry } from "../emulator/journal.ts";
import { type DatabaseOrName, databaseOrName, nameOfDatabase, operation, service } from "../schema/fault.ts";
import { checked } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import { flag, text, wholeNumberFrom } from "../schema/kernel/values.ts";
import type { Operation, Service } from "../schema/operation-names.ts";

/**
 * Conditions on a request. All given fields must match; omitted fields match anything.
 *
 * @example mock.requestsOf({ operation: "query", status: 401 })
 */
export interface RequestFilter {
  /** The requested API. */
  readonly api?: Service;
  /** The requested operation. */
  readonly operation?: Operation;
  /** The database that the request's access key belongs to, or its name. */
  readonly database?: DatabaseOrName;
  /** HTTP method, in upper case. */
  readonly method?: string;
  /** The exact path, without query string. */
  readonly path?: string;
  /** Status of the response, 100 to 599. */
  readonly status?: number;
  /** Result code of the response. */
  readonly resultCode?: string;
  /** Whether the request was refused: by a check, or because no operation has its method and path. */
  readonly refused?: boolean;
  /** Name of the check that refused the request. */
  readonly refusedBy?: string;
}

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

/** @throws InvalidOptionError for an unknown field, or a value that cannot occur. */
export function checkFilter(filter: RequestFilter): void {
  checked("filter", requestFilter, filter);
}

/**
 * Returns the entries that match a filter, in their order.
 *
 * @throws InvalidOptionError for an unknown field, or a value that cannot occur.
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

/** Readable text about entries, without secrets. */
export const describeRequests = (entries: readonly JournalEntry[], dropped = 0): string =>
  [
    summarize(entries) + (dropped > 0 ? `, ${dropped} older ones dropped` : ""),
    ...(entries.length > 0 ? [formatJournal(entries)] : []),
  ].join("\n");
