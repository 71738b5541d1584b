import type { JournalEntry } from "../core/emulator/journal.ts";
import { filterEntries, type RequestFilter, requestFilter } from "../core/emulator/request-filter.ts";
import { isRefused } from "../core/schema/protocol.ts";
import { checked } from "../core/schema/zod/problems.ts";

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
