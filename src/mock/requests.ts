import * as z from "zod/mini";
import { formatJournal, outcomeOf, summarize } from "../emulator/format-journal.ts";
import type { JournalEntry } from "../emulator/journal.ts";
import { type DatabaseOrName, databaseOrName, nameOfDatabase, operation, service } from "../schema/fault.ts";
import type { EntryFacts } from "../schema/journal-entry.ts";
import { checked } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import { flag, text, wholeNumberFrom } from "../schema/kernel/values.ts";
import type { Service } from "../schema/operation-names.ts";
import { isRefused } from "../schema/page.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/**
 * Conditions on a request. All given fields must match; omitted fields match anything.
 *
 * @example mock.requestsOf({ operation: "query", status: 401 })
 */
export interface RequestFilter
  extends Partial<
    Pick<EntryFacts, "api" | "operation" | "method" | "path" | "status" | "resultCode" | "refusedBy">
  > {
  /** The database that the request's access key belongs to, or its name. */
  readonly database?: DatabaseOrName;
  /**
   * Whether the request was refused: by a check, or because no operation has its method and path. A request that a fault was
   * applied to does not count as refused.
   */
  readonly refused?: boolean;
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
      (refused === undefined || refused === isRefused(entry)),
  );
}

/** Readable text about entries, without secrets. */
export const describeRequests = (entries: readonly JournalEntry[], dropped = 0): string =>
  [
    summarize(entries) + (dropped > 0 ? `, ${dropped} older ones dropped` : ""),
    ...(entries.length > 0 ? [formatJournal(entries)] : []),
  ].join("\n");

/** The refusals that a test causes on purpose. */
export class ExpectedRefusals {
  /** @param expectedInside - refusals that isolated calls, which have ended, expected. */
  constructor(
    private filters: RequestFilter[] = [],
    private readonly expectedInside = new WeakSet<JournalEntry>(),
  ) {}

  /** Returns a copy for an isolated call. */
  fork(): ExpectedRefusals {
    return new ExpectedRefusals([...this.filters], this.expectedInside);
  }

  /** Ends an isolated call: what it expected of its own requests holds for everybody who sees them. */
  end(entries: readonly JournalEntry[]): void {
    for (const filter of this.filters)
      for (const entry of filterEntries(entries, filter)) this.expectedInside.add(entry);
  }

  /** @throws InvalidOptionError for an unknown field of the filter, or a value that cannot occur. */
  add(filter: RequestFilter): void {
    checked("filter", requestFilter, filter);
    this.filters.push({ ...filter });
  }

  clear(): void {
    this.filters = [];
  }

  /** Returns the refused requests that match no expectation. */
  unexpectedIn(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const expected = new Set(this.filters.flatMap((filter) => filterEntries(entries, filter)));
    return entries.filter(
      (entry) => isRefused(entry) && !expected.has(entry) && !this.expectedInside.has(entry),
    );
  }

  /** Returns the expectations that no refused request matches. */
  missingIn(entries: readonly JournalEntry[]): readonly RequestFilter[] {
    return this.filters.filter((filter) => filterEntries(entries, { ...filter, refused: true }).length === 0);
  }
}

const MAX_NAMES = 5;
const LAST_REQUESTS = 2;

/** Describes a mock in at most five lines: its URLs, databases and targets, and the latest requests. Shows no keys. */
export function describeMock(
  {
    urls,
    requests,
  }: { readonly urls: Readonly<Record<Service, string>>; readonly requests: readonly JournalEntry[] },
  store: MemoryStore,
  isStarted: boolean,
): string {
  const databases = [...store.listCloudDatabases(), ...store.listVuMarkDatabases()].map(
    ({ databaseName }) => databaseName,
  );
  const targets = store
    .listCloudDatabases()
    .flatMap(({ databaseName }) => store.listTargets(databaseName).map(({ name }) => name));
  const refused = requests.filter(isRefused).length;
  return [
    `MockCloudReco ${isStarted ? "answers" : "(stopped) answered"} ${[...new Set(Object.values(urls))].join(", ")}`,
    `  ${counted(databases, "database")}; ${counted(targets, "target")}`,
    `  ${requests.length} requests, ${refused} refused${requests.length === 0 ? "" : "; the last:"}`,
    ...requests.slice(-LAST_REQUESTS).map(({ number, method, path, status, resultCode, reason }) => {
      const outcome = outcomeOf({ status, resultCode });
      return `  #${number} ${method} ${path} → ${outcome}${reason === undefined ? "" : `: ${shortened(reason)}`}`;
    }),
  ].join("\n");
}

function counted(names: readonly string[], noun: string): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => JSON.stringify(name))
    .join(", ");
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `${names.length} ${noun}${names.length === 1 ? "" : "s"}${names.length === 0 ? "" : ` (${shown}${more})`}`;
}

const shortened = (reason: string): string => (reason.length <= 120 ? reason : `${reason.slice(0, 120)}…`);
