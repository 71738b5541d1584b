import { formatJournal, type JournalEntry, type MockCloudReco, type RequestFilter } from "../index.ts";

/** The newest requests are shown, because they usually made the test fail. */
const MAX_SHOWN = 5;

/** The requests of a test that may explain why it failed: collected, because the journal is bounded and a test may reset it. */
export class Evidence {
  readonly #collected: JournalEntry[] = [];
  /** Number of requests that arrived. */
  arrived = 0;

  /** @param exceptions - requests that may be refused. */
  constructor(
    private readonly mock: MockCloudReco,
    private readonly exceptions: readonly RequestFilter[],
  ) {
    mock.on("request", () => {
      this.arrived += 1;
    });
    mock.on("rejected", (entry) => this.#collected.push(entry));
    mock.on("response", (entry) => {
      const { refusedBy, fault } = entry;
      if (refusedBy === undefined && (fault !== undefined || isUnmatchedQuery(entry) || hasNote(entry)))
        this.#collected.push(entry);
    });
  }

  /** Requests that were refused unexpectedly. */
  get refused(): readonly JournalEntry[] {
    const refused = this.mock.unexpectedRefusals(this.#collected);
    const excepted = new Set(this.exceptions.flatMap((filter) => this.mock.requestsOf(filter, refused)));
    return refused.filter((entry) => !excepted.has(entry));
  }

  /** Queries that succeeded without a match. */
  get unmatched(): readonly JournalEntry[] {
    return this.#collected.filter(isUnmatchedQuery);
  }

  /** Requests that a fault applied to and that no check refused. */
  get faulted(): readonly JournalEntry[] {
    return this.#collected.filter(
      (entry) => entry.refusedBy === undefined && entry.fault !== undefined && !isUnmatchedQuery(entry),
    );
  }

  /** Served requests whose response may surprise the client; for each reason the last. */
  get noted(): readonly JournalEntry[] {
    const noted = this.#collected.filter((entry) => hasNote(entry) && !isUnmatchedQuery(entry));
    return [...new Map(noted.map((entry) => [entry.reason, entry])).values()];
  }

  /** Expected refusals that did not occur. */
  get missing(): readonly RequestFilter[] {
    return this.mock.missingRefusals(this.#collected);
  }
}

/** Whether a request is a query that succeeded without a match. */
const isUnmatchedQuery = ({ operation, status, considered, refusedBy }: JournalEntry): boolean =>
  operation === "query" &&
  status === 200 &&
  refusedBy === undefined &&
  !considered?.some(({ matched }) => matched);

/** Whether the journal has something to say about a request that was served. */
const hasNote = ({ refusedBy, fault, reason }: JournalEntry): boolean =>
  refusedBy === undefined && fault === undefined && reason !== undefined;

/**
 * Explains why a test may have failed, from what the mock received.
 *
 * @param error - what the test failed with; requests that its message already describes are left out.
 * @returns undefined when the requests explain nothing.
 */
export function explainFailure(
  mock: MockCloudReco,
  evidence: Pick<Evidence, "arrived" | "refused" | "unmatched" | "faulted" | "noted">,
  error: unknown,
): string | undefined {
  const shown = messageIn(error);
  if (evidence.arrived === 0) {
    if (!mayComeFromRequest(error)) return undefined;
    const urls = [...new Set(Object.values(mock.urls))].join(", ");
    return `No request reached the mock. It serves ${urls}; check the scheme and the host that the client uses.`;
  }
  const paragraph = (heading: string, entries: readonly JournalEntry[], one: string, many: string) => {
    const left = entries.filter((entry) => !shown.includes(formatJournal([entry])));
    return left.length === 0 ? [] : [`${heading} ${listed(left, one, many)}`];
  };
  const paragraphs = [
    ...paragraph("The mock refused", evidence.refused, "request", "requests"),
    ...paragraph("No target matched", evidence.unmatched, "query", "queries"),
    ...paragraph("A fault of this test applied to", evidence.faulted, "request", "requests"),
    ...paragraph("The mock served, with a remark,", evidence.noted, "request", "requests"),
  ];
  return paragraphs.length === 0 ? undefined : paragraphs.join("\n");
}

export function messageIn(error: unknown): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message : "";
}

/** Mistakes in a program, which happen before any request: errors of the mock's own functions, and of JavaScript. */
const MISTAKES = new Set([
  "InvalidOptionError",
  "MissingSchemeError",
  "InvalidSnapshotError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
]);
const CONNECTION = /fetch|network|socket|connect|request|ECONN|ENOTFOUND|EAI_AGAIN|URL/i;

/** Whether a test may have failed because no request arrived; not by name of the class, which may be of another realm. */
function mayComeFromRequest(error: unknown): boolean {
  const name = typeof error === "object" && error !== null ? String(Reflect.get(error, "name")) : "";
  const message = messageIn(error);
  if (MISTAKES.has(name) || message.includes("[MSW]")) return false;
  return name !== "TypeError" || CONNECTION.test(message);
}

/** Counts requests and lists the newest ones. */
export function listed(entries: readonly JournalEntry[], one: string, many: string): string {
  const left = entries.length - MAX_SHOWN;
  const count = entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
  return `${count}${left > 0 ? `, the last ${MAX_SHOWN} of them` : ""}:\n${formatJournal(entries.slice(-MAX_SHOWN))}`;
}
