import { formatJournal, type JournalEntry, type MockCloudReco } from "../index.ts";

/** The newest requests are shown, because they usually made the test fail. */
const MAX_SHOWN = 5;

/** The requests of a test that may explain why it failed. */
export interface FailureEvidence {
  /** Number of requests that arrived. */
  readonly arrived: number;
  /** Requests that were refused unexpectedly. */
  readonly refused: readonly JournalEntry[];
  /** Queries that succeeded without a match. */
  readonly unmatched: readonly JournalEntry[];
}

/**
 * Explains why a test may have failed, from what the mock received.
 *
 * @param shown - the test's failure message; requests that it already describes are left out.
 * @returns undefined when the requests explain nothing.
 */
export function explainFailure(
  mock: MockCloudReco,
  evidence: FailureEvidence,
  shown: string,
): string | undefined {
  if (evidence.arrived === 0) {
    const urls = [...new Set(Object.values(mock.urls))].join(", ");
    return `No request reached the mock. It serves ${urls}; check the scheme and the host that the client uses.`;
  }
  const isNew = (entry: JournalEntry) => !shown.includes(formatJournal([entry]));
  const refused = evidence.refused.filter(isNew);
  const unmatched = evidence.unmatched.filter(isNew);
  const paragraphs = [
    ...(refused.length === 0 ? [] : [`The mock refused ${listed(refused, "request", "requests")}`]),
    ...(unmatched.length === 0 ? [] : [`No target matched ${listed(unmatched, "query", "queries")}`]),
  ];
  return paragraphs.length === 0 ? undefined : paragraphs.join("\n");
}

/** Counts requests and lists the newest ones. */
export function listed(entries: readonly JournalEntry[], one: string, many: string): string {
  const left = entries.length - MAX_SHOWN;
  const count = entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
  return `${count}${left > 0 ? `, the last ${MAX_SHOWN} of them` : ""}:\n${formatJournal(entries.slice(-MAX_SHOWN))}`;
}
