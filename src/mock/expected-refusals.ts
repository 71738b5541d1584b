import type { JournalEntry } from "../core/journal.ts";
import { checkFilter, filterEntries, type RequestFilter } from "./request-filter.ts";

/** Which refusals a test means to cause. */
export class ExpectedRefusals {
  private filters: RequestFilter[] = [];

  /** @throws InvalidOptionError naming a field of the filter that does not exist or whose value cannot occur. */
  add(filter: RequestFilter): void {
    checkFilter(filter);
    this.filters.push({ ...filter });
  }

  clear(): void {
    this.filters = [];
  }

  /** Of these requests, those that were refused although nobody expected it. */
  unexpectedIn(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const expected = new Set(this.filters.flatMap((filter) => filterEntries(entries, filter)));
    return entries.filter((entry) => entry.refusedBy !== undefined && !expected.has(entry));
  }

  /** Expectations that none of these requests fulfils. */
  missingIn(entries: readonly JournalEntry[]): readonly RequestFilter[] {
    return this.filters.filter((filter) => filterEntries(entries, { ...filter, refused: true }).length === 0);
  }
}
