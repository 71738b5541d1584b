import type { JournalEntry } from "../emulator/journal.ts";
import { checkFilter, filterEntries, type RequestFilter } from "./request-filter.ts";

/** The refusals that a test causes on purpose. */
export class ExpectedRefusals {
  private filters: RequestFilter[] = [];

  /** @throws InvalidOptionError for an unknown field of the filter, or a value that cannot occur. */
  add(filter: RequestFilter): void {
    checkFilter(filter);
    this.filters.push({ ...filter });
  }

  clear(): void {
    this.filters = [];
  }

  /** Returns the refused requests that match no expectation. */
  unexpectedIn(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const expected = new Set(this.filters.flatMap((filter) => filterEntries(entries, filter)));
    return entries.filter((entry) => entry.refusedBy !== undefined && !expected.has(entry));
  }

  /** Returns the expectations that no refused request matches. */
  missingIn(entries: readonly JournalEntry[]): readonly RequestFilter[] {
    return this.filters.filter((filter) => filterEntries(entries, { ...filter, refused: true }).length === 0);
  }
}
