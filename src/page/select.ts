import type { RequestFacts, ResultFacts } from "../core/schema/journal-entry.ts";
import { isRefusedOrFailed } from "../core/schema/protocol.ts";
import type { FoundTarget } from "./model.ts";

/* Which rows a list shows, and in which order. Imports no library: reports select in the browser. */

/** Maximum number of rows in a list; a search finds the others. */
export const MAX_ROWS = 1000;
export const MAX_METADATA_SHOWN = 4096;

export interface SelectedRows<Row> {
  readonly rows: readonly Row[];
  /** Number of matching rows, of which the list shows at most {@link MAX_ROWS}. */
  readonly total: number;
}

export interface ListFilter {
  readonly api: string;
  readonly operation: string;
  /** Only requests that were refused or failed. */
  readonly refused: boolean;
  readonly search: string;
  /** Also the page's own requests. */
  readonly own: boolean;
}

export const listFilter = (parameters: URLSearchParams): ListFilter => ({
  api: parameters.get("api") ?? "",
  operation: parameters.get("operation") ?? "",
  refused: parameters.has("refused"),
  search: wanted(parameters),
  own: parameters.has("own"),
});

const wanted = (parameters: URLSearchParams): string => (parameters.get("search") ?? "").trim().toLowerCase();

const contains = (text: string | undefined, search: string): boolean =>
  text?.toLowerCase().includes(search) === true;

/** An entry of the journal or of a report. */
type ListedEntry = RequestFacts & ResultFacts;

export const passesAll = ({ api, operation, refused, search }: ListFilter): boolean =>
  api === "" && operation === "" && !refused && search === "";

export function passes(request: ListedEntry, { api, operation, refused, search }: ListFilter): boolean {
  if (api !== "" && request.api !== api) return false;
  if (operation !== "" && request.operation !== operation) return false;
  if (refused && !isRefusedOrFailed(request)) return false;
  if (search === "") return true;
  const { method, path, status, resultCode, reason, database, refusedBy, fault } = request;
  return [`${method} ${path}`, String(status ?? ""), resultCode, reason, database, refusedBy, fault].some(
    (value) => contains(value, search),
  );
}

/** The SHA-256 of a target's image, by its database; null when it was deleted. */
export type ImageOf = (database: string, targetId: string) => string | null;

/** The first target that a query found; null: it found none; undefined: it is no query, or was refused. */
export function foundIn({ operation, status, considered }: ListedEntry) {
  if (operation !== "query" || status !== 200 || considered === undefined) return undefined;
  return considered.find(({ matched }) => matched) ?? null;
}

export function withFound<Row extends object>(
  row: Row,
  entry: ListedEntry,
  imageOf: ImageOf,
): Row & { readonly found?: FoundTarget | null } {
  const found = foundIn(entry);
  if (found === undefined) return row;
  if (found === null) return { ...row, found };
  const { name, targetId } = found;
  return { ...row, found: { name, image: imageOf(entry.database ?? "", targetId) } };
}

export const SORTS = [
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
  ["name", "Name"],
  ["rating", "Best rating first"],
  ["worst", "Worst rating first"],
  ["status", "Status"],
] as const;

export const sortOf = (parameters: URLSearchParams): (typeof SORTS)[number][0] =>
  SORTS.find(([value]) => value === parameters.get("sort"))?.[0] ?? "newest";

interface NamedTarget {
  readonly targetId: string;
  readonly name: string;
  readonly applicationMetadata: string | null;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** @param targets - oldest first. */
export function selectTargets<Target extends NamedTarget>(
  targets: readonly Target[],
  parameters: URLSearchParams,
  at: { readonly rating: (target: Target) => number; readonly status: (target: Target) => string },
): SelectedRows<Target> {
  const search = wanted(parameters);
  const found = search === "" ? targets : targets.filter((target) => isMeant(target, search));
  const { rating, status } = at;
  const sorted = {
    newest: () => found.slice(-MAX_ROWS).reverse(),
    oldest: () => found,
    name: () => [...found].sort((a, b) => compare(a.name, b.name)),
    rating: () => [...found].sort((a, b) => rating(b) - rating(a)),
    worst: () => [...found].sort((a, b) => rating(a) - rating(b)),
    status: () => [...found].sort((a, b) => compare(status(a), status(b))),
  }[sortOf(parameters)]();
  return { rows: sorted.slice(0, MAX_ROWS), total: found.length };
}

function isMeant({ name, targetId, applicationMetadata }: NamedTarget, search: string): boolean {
  if (contains(name, search) || contains(targetId, search)) return true;
  if (applicationMetadata === null) return false;
  const metadata = decodedMetadata(applicationMetadata.slice(0, MAX_METADATA_SHOWN));
  return "text" in metadata && contains(metadata.text, search);
}

/** The newest {@link MAX_ROWS} databases whose name contains the text. */
export function selectDatabases<Database extends { readonly databaseName: string }>(
  databases: readonly Database[],
  parameters: URLSearchParams,
): SelectedRows<Database> {
  const search = wanted(parameters);
  const found =
    search === "" ? databases : databases.filter(({ databaseName }) => contains(databaseName, search));
  return { rows: found.slice(-MAX_ROWS), total: found.length };
}

/** Decodes metadata to text, or returns its size when it is not text. */
export function decodedMetadata(base64: string): { readonly text: string } | { readonly bytes: number } {
  let binary: string;
  try {
    binary = atob(base64.slice(0, base64.length - (base64.length % 4)));
  } catch {
    return { bytes: Math.floor((base64.length * 3) / 4) };
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }) };
  } catch {
    return { bytes: bytes.length };
  }
}
