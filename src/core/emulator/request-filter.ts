import * as z from "zod/mini";
import { type CauseCode, hasCode } from "../schema/causes/causes.ts";
import { apiName, type DatabaseOrName, databaseOrName, nameOfDatabase, operation } from "../schema/fault.ts";
import { causeCode, type EntryFacts } from "../schema/journal-entry.ts";
import { isRefused } from "../schema/protocol.ts";
import { checked } from "../schema/zod/problems.ts";
import { optional, record } from "../schema/zod/record.ts";
import { text, trueOrFalse, wholeNumberFrom } from "../schema/zod/values.ts";
import type { JournalEntry } from "./journal.ts";

/**
 * Conditions on a request. All given fields must match; omitted fields match anything.
 *
 * @example mock.requestsOf({ operation: "query", cause: "signature.other-key" })
 */
export interface RequestFilter
  extends Partial<
    Pick<EntryFacts, "api" | "operation" | "method" | "path" | "status" | "resultCode" | "refusedBy">
  > {
  /** The code of its cause, or of one of its further causes. */
  readonly cause?: CauseCode;
  /** The database that the request's access key belongs to, or its name. */
  readonly database?: DatabaseOrName;
  /**
   * Whether the request was refused: by a check, or because no operation has its method and path. A request that a fault was
   * applied to does not count as refused.
   */
  readonly refused?: boolean;
}

/** Checks a filter that a user gives. */
export const requestFilter = z.lazy(() =>
  record<RequestFilter>(
    optional({
      api: apiName,
      operation,
      cause: causeCode,
      database: databaseOrName,
      method: text,
      path: text,
      status: wholeNumberFrom(100, 599),
      resultCode: text,
      refused: trueOrFalse,
      refusedBy: text,
    }),
  ),
);

/**
 * Returns the entries that match a filter, in their order.
 *
 * @throws InvalidOptionError for an unknown field, or a value that cannot occur.
 */
export function filterEntries(
  entries: readonly JournalEntry[],
  filter: RequestFilter,
): readonly JournalEntry[] {
  const { database, refused, cause, ...fields } = checked("filter", requestFilter, filter);
  const wanted = Object.entries({ ...fields, database: nameOfDatabase(database) });
  return entries.filter(
    (entry) =>
      wanted.every(([field, value]) => value === undefined || entry[field as keyof JournalEntry] === value) &&
      (refused === undefined || refused === isRefused(entry)) &&
      (cause === undefined || hasCode(entry.cause, (code) => code === cause)),
  );
}
