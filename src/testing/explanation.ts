import { formatJournal, type JournalEntry, type MockCloudReco } from "../index.ts";

/** How many requests of a kind are shown; the newest, which mostly are what made the test fail. */
const MOST_SHOWN = 5;

/** What of a test's requests may explain that it failed. */
export interface Suspects {
  /** All requests that arrived. */
  readonly arrived: number;
  /** Refused, and not expected to be. */
  readonly refused: readonly JournalEntry[];
  /** Queries that were answered and found nothing. */
  readonly fruitless: readonly JournalEntry[];
}

/**
 * Why a test may have failed, as the mock sees it.
 *
 * @param shown - what the failure says already; requests that are in it are left out.
 * @returns undefined when there is nothing to say.
 */
export function explainFailure(mock: MockCloudReco, suspects: Suspects, shown: string): string | undefined {
  if (suspects.arrived === 0) {
    const urls = [...new Set(Object.values(mock.urls))].join(", ");
    return `No request reached the mock. It answers ${urls}; another scheme or host (http:// for https://, say) is not among them.`;
  }
  const isNew = (entry: JournalEntry) => !shown.includes(formatJournal([entry]));
  const refused = suspects.refused.filter(isNew);
  const fruitless = suspects.fruitless.filter(isNew);
  const paragraphs = [
    ...(refused.length === 0 ? [] : [`The mock refused ${listed(refused, "request", "requests")}`]),
    ...(fruitless.length === 0 ? [] : [`Nothing was found by ${listed(fruitless, "query", "queries")}`]),
  ];
  return paragraphs.length === 0 ? undefined : paragraphs.join("\n");
}

/** How many there are, and the newest of them. */
export function listed(entries: readonly JournalEntry[], one: string, many: string): string {
  const left = entries.length - MOST_SHOWN;
  const count = entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
  return `${count}${left > 0 ? `, the last ${MOST_SHOWN} of them` : ""}:\n${formatJournal(entries.slice(-MOST_SHOWN))}`;
}
