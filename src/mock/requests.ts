import * as z from "zod/mini";
import { factsOf, type JournalEntry } from "../core/emulator/journal.ts";
import { visible } from "../core/general/visible.ts";
import {
  apiName,
  type DatabaseOrName,
  databaseOrName,
  nameOfDatabase,
  operation,
} from "../core/schema/fault.ts";
import { type EntryFacts, type ListedRequest, listedEntry } from "../core/schema/journal-entry.ts";
import { type ApiName, isRefused, isRefusedOrFailed } from "../core/schema/protocol.ts";
import { checked } from "../core/schema/zod/problems.ts";
import { optional, record } from "../core/schema/zod/record.ts";
import { text, trueOrFalse, wholeNumberFrom } from "../core/schema/zod/values.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";

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
      api: apiName,
      operation,
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
  const { database, refused, ...fields } = checked("filter", requestFilter, filter);
  const wanted = Object.entries({ ...fields, database: nameOfDatabase(database) });
  return entries.filter(
    (entry) =>
      wanted.every(([field, value]) => value === undefined || entry[field as keyof JournalEntry] === value) &&
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

  /** Ends an isolated call: its expected refusals stay expected in the outer journal. */
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
  }: { readonly urls: Readonly<Record<ApiName, string>>; readonly requests: readonly JournalEntry[] },
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
  ]
    .map(visible)
    .join("\n");
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

function ofListed(given: ListedRequest): Partial<EntryFacts> {
  const names = listedEntry.fieldNames();
  // A later version of the manager may list more.
  const known = Object.entries(given).filter(([name]) => names.includes(name));
  const { request, response, ...facts } = checked("entry", listedEntry.schema, Object.fromEntries(known));
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value ?? undefined]));
}

/** How many considered targets of one query are printed. */
const MAX_TARGETS = 10;

/**
 * Formats journal entries as readable text: a line for each request; below it, who refused it and what to change, and
 * for a query why each target did or did not match, nearest first.
 *
 * @param entries - of a mock, of servers, or as the target manager lists them.
 * @throws InvalidOptionError for what is no entry of the target manager's list, naming its first invalid field.
 * @example console.log(formatJournal(mock.requests));
 * @example console.log(formatJournal((await (await fetch("http://localhost:5000/requests")).json()).requests));
 */
export function formatJournal(entries: readonly (JournalEntry | ListedRequest)[]): string {
  return entries
    .map((entry) => formatEntry("refused_by" in entry ? ofListed(entry) : factsOf(entry)))
    .join("\n");
}

/** Counts the entries, and those that were refused or failed. */
function summarize(entries: readonly JournalEntry[]): string {
  const unhappy = entries.filter(isRefusedOrFailed);
  const requests = entries.length === 1 ? "1 request" : `${entries.length} requests`;
  return `${requests}, ${unhappy.length === 0 ? "none" : unhappy.length} refused`;
}

/** The status and the result code, as text. */
const outcomeOf = ({ status, resultCode }: Partial<EntryFacts>): string =>
  status === undefined ? "no response" : [status, resultCode].filter(Boolean).join(" ");

function formatEntry({
  number,
  time,
  api: _api,
  method,
  path,
  operation,
  status,
  resultCode,
  database,
  refusedBy,
  fault,
  reason,
  durationMs: _duration,
  considered,
  otherTargets,
  signature: _inReason,
  ...others
}: Partial<EntryFacts>): string {
  const source = refusedBy ?? fault;
  const facts = [operation, database === undefined ? undefined : `database ${JSON.stringify(database)}`];
  const shownFacts = facts.filter((fact) => fact !== undefined).join(", ");
  return [
    `#${number} ${new Date(time ?? 0).toISOString()} ${method} ${path} → ${outcomeOf({ status, resultCode })}${shownFacts === "" ? "" : ` (${shownFacts})`}`,
    ...(reason === undefined ? [] : [`   ${source === undefined ? "" : `${source}: `}${reason}`]),
    ...formatConsidered(considered, otherTargets),
    ...Object.entries(others).map(([name, value]) => `   ${name}: ${JSON.stringify(value)}`),
  ]
    .map(visible)
    .join("\n");
}

function formatConsidered(
  targets: EntryFacts["considered"],
  otherTargets: EntryFacts["otherTargets"] = {},
): string[] {
  if (targets === undefined) return [];
  if (targets.length === 0) return ["   the database has no targets"];
  const others = Object.values(otherTargets).reduce((total, count) => total + count, 0);
  const left = targets.length + others - MAX_TARGETS;
  return [
    ...targets.slice(0, MAX_TARGETS).map(({ matched, name, targetId, why }) => {
      return `   ${matched ? "✓" : "✗"} ${JSON.stringify(name)} (${targetId}): ${why}`;
    }),
    ...(left > 0 ? [`   and ${left} more targets`] : []),
  ];
}
