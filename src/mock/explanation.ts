import type { Clock } from "../emulator/clock.ts";
import type { Faults } from "../emulator/faults.ts";
import { type JournalEntry, type JournalEvents, Signal } from "../emulator/journal.ts";
import { wrapped } from "../emulator/text.ts";
import { isThrownHere } from "./caller.ts";
import { fieldOf, messageIn } from "./errors.ts";
import type { MockPage } from "./page.ts";
import { formatJournal, type RequestFilter } from "./requests.ts";
import {
  explainEarlyFinish,
  explainUnused,
  explainVainFinish,
  type Finish,
  withRemark,
} from "./surprises.ts";
import { explainUnreached, explainUnsent } from "./unreached.ts";

export interface ExplainedMock {
  readonly clock: Clock;
  readonly urls: Readonly<Record<string, string>>;
  readonly page: Pick<MockPage, "report" | "isPaused">;
  readonly requests: readonly JournalEntry[];
  readonly arranged: {
    readonly unusedFaults: Faults["unused"];
    readonly responseDelaySeconds: number;
    readonly finish: Finish | undefined;
  };
  on<Name extends keyof JournalEvents>(event: Name, listener: (entry: JournalEvents[Name]) => void): unknown;
  requestsOf(filter: RequestFilter, entries?: readonly JournalEntry[]): readonly JournalEntry[];
  unexpectedRefusals(entries: readonly JournalEntry[]): readonly JournalEntry[];
  missingRefusals(entries: readonly JournalEntry[]): readonly RequestFilter[];
}

interface Answered {
  readonly mock: ExplainedMock;
  readonly entry: JournalEntry;
}

export const answered = new Signal<{ readonly mock: ExplainedMock; readonly entry: JournalEntry }>(
  "answered",
);

/** The newest requests are shown, because they usually made the test fail. */
const MAX_SHOWN = 5;
const MOST_OF_OTHERS = 100;
const MOST_PATHS = 20;

/** The mocks of fixtures: concurrent tests are not shown each other's requests. */
const fixtures = new WeakSet<ExplainedMock>();

/** Requests that may explain a failure. Collected: the journal is bounded, and a test may reset it. */
export class Evidence {
  readonly #collected: JournalEntry[] = [];
  /** The last response of each path: earlier ones may have been polls. */
  readonly #latest = new Map<string, JournalEntry>();
  /** The latest requests that mocks outside of any fixture answered. */
  readonly ofOthers: JournalEntry[] = [];
  /** Ends collecting them. */
  readonly end: () => void;
  /** The last two readings of the mock's clock: when the test began, and at each request. */
  #readings: readonly number[] = [];
  /** Number of requests that arrived. */
  arrived = 0;
  /** Numbers of the adds that have arrived and have no response yet. */
  readonly #unansweredAdds = new Set<number>();

  /**
   * @param exceptions - requests that may be refused.
   * @param isOfFixture - whether a fixture collects it, which also explains mocks that a test creates by hand.
   */
  constructor(
    private readonly mock: ExplainedMock,
    private readonly exceptions: readonly RequestFilter[],
    isOfFixture = true,
  ) {
    if (isOfFixture) fixtures.add(mock);
    this.end = isOfFixture ? answered.on((request) => this.#addOther(request)) : () => {};
    this.#readClock();
    mock.on("request", ({ operation, number }) => {
      this.#readClock();
      this.arrived += 1;
      if (operation === "addTarget") this.#unansweredAdds.add(number);
    });
    mock.on("rejected", (entry) => this.#collected.push(entry));
    mock.on("response", (entry) => {
      const { refusedBy, fault, method, path } = entry;
      this.#unansweredAdds.delete(entry.number);
      this.#latest.delete(`${method} ${path}`);
      this.#latest.set(`${method} ${path}`, entry);
      const [oldest] = this.#latest.keys();
      if (this.#latest.size > MOST_PATHS && oldest !== undefined) this.#latest.delete(oldest);
      if (refusedBy === undefined && (fault !== undefined || isUnmatchedQuery(entry) || hasNote(entry)))
        this.#collected.push(entry);
    });
  }

  get isAdding(): boolean {
    // The journal also has requests that got no response, such as those that a fault reset.
    const ended = new Set(this.mock.requests.map(({ number }) => number));
    return [...this.#unansweredAdds].some((number) => !ended.has(number));
  }

  /** Whether the mock's clock has not moved since the request before the latest one, or since the test began. */
  get clockStandsStill(): boolean {
    const now = this.mock.clock.now().getTime();
    return this.#readings.every((reading) => reading === now);
  }

  #addOther({ mock, entry }: Answered): void {
    if (!fixtures.has(mock)) this.ofOthers.push(entry);
    if (this.ofOthers.length > MOST_OF_OTHERS) this.ofOthers.shift();
  }

  #readClock(): void {
    try {
      this.#readings = [...this.#readings.slice(-1), this.mock.clock.now().getTime()];
    } catch {
      // The request fails too, and says what is wrong with the clock.
    }
  }

  /** Requests that were refused unexpectedly. */
  get refused(): readonly JournalEntry[] {
    const refused = this.mock.unexpectedRefusals(this.#collected);
    const excepted = new Set(this.exceptions.flatMap((filter) => this.mock.requestsOf(filter, refused)));
    return refused.filter((entry) => !excepted.has(entry));
  }

  /** Requests whose answers the option `realism` changed. */
  get inconsistent(): readonly JournalEntry[] {
    return this.#collected.filter(isInconsistent);
  }

  get unmatched(): readonly JournalEntry[] {
    return this.#consistent.filter(isUnmatchedQuery);
  }

  /** Requests that a fault applied to and that no check refused. */
  get faulted(): readonly JournalEntry[] {
    return this.#consistent.filter(
      (entry) => entry.refusedBy === undefined && entry.fault !== undefined && !isUnmatchedQuery(entry),
    );
  }

  /** Served requests whose response may surprise the client; for each reason the last. */
  get noted(): readonly JournalEntry[] {
    const noted = this.#consistent.filter((entry) => hasNote(entry) && !isUnmatchedQuery(entry));
    const latest = [...this.#latest.values()];
    const hasFound = latest.some(({ considered }) => considered?.some(({ matched }) => matched));
    const remarked = latest.flatMap((entry) => withRemark(entry, hasFound) ?? []);
    const all = [...noted, ...remarked].sort((a, b) => a.number - b.number);
    return [...new Map(all.map((entry) => [entry.reason, entry])).values()];
  }

  /** Forgets the requests so far, because another test has begun. */
  restart(): void {
    this.#collected.length = 0;
    this.#latest.clear();
    this.#unansweredAdds.clear();
    this.arrived = 0;
  }

  get #consistent(): readonly JournalEntry[] {
    return this.#collected.filter((entry) => !isInconsistent(entry));
  }

  get missing(): readonly RequestFilter[] {
    return this.mock.missingRefusals(this.#collected);
  }
}

const isUnmatchedQuery = ({ operation, status, considered, refusedBy }: JournalEntry): boolean =>
  operation === "query" &&
  status === 200 &&
  refusedBy === undefined &&
  !considered?.some(({ matched }) => matched);

/** Whether a test failed because it took too long. */
export const isTimeout = (error: unknown): boolean => /tim(ed|e) ?-?out/i.test(messageIn(error));

/** Whether the test or its client stopped waiting. */
const gaveUp = (error: unknown): boolean => isTimeout(error) || /\babort/i.test(messageIn(error));

/** Whether a request was signed with a key of an earlier test. */
export const isLeftOver = ({ reason }: JournalEntry): boolean =>
  reason?.includes("of a mock that has stopped") === true;

const isInconsistent = ({ reason }: JournalEntry): boolean => reason?.endsWith("(realism)") === true;

/** Whether the journal has a note on a served request. */
const hasNote = ({ refusedBy, fault, reason }: JournalEntry): boolean =>
  refusedBy === undefined && fault === undefined && reason !== undefined;

const PAUSED =
  "The test's time limit ended mock.page.pause(): set MOCK_CLOUD_RECO_PAUSE=1, which lifts the limit of tests with a fixture.";

/**
 * Explains why a test may have failed, from what the mock received.
 *
 * @param error - what the test failed with; requests that its message already describes are left out.
 * @param whyUnreached - why no request could reach the mock when the test ended.
 * @returns undefined when the requests explain nothing.
 */
export function explainFailure(
  mock: ExplainedMock,
  evidence: Pick<
    Evidence,
    "arrived" | "refused" | "inconsistent" | "unmatched" | "faulted" | "noted" | "ofOthers" | "isAdding"
  >,
  error: unknown,
  whyUnreached?: string,
): string | undefined {
  const known = explainUnsent(error) ?? (isTimeout(error) && mock.page.isPaused ? PAUSED : undefined);
  if (known !== undefined) return wrapped(known);
  const shown = messageIn(error);
  const paragraph = (heading: string, entries: readonly JournalEntry[], one: string, many: string) => {
    const left = entries.filter((entry) => !shown.includes(formatJournal([entry])));
    return left.length === 0 ? [] : [`${heading} ${listed(left, one, many)}`];
  };
  const others = paragraph(
    "Another mock of this process, not the fixture's, refused",
    mock.requestsOf({ refused: true }, evidence.ofOthers),
    "request",
    "requests",
  );
  if (evidence.arrived === 0) {
    if (!mayComeFromRequest(error)) return undefined;
    if (evidence.ofOthers.length > 0) return others[0] && wrapped(others[0]);
    if (whyUnreached !== undefined) return wrapped(`No request reached the mock: it ${whyUnreached}.`);
    const { finish } = mock.arranged;
    const unreached = explainUnreached([...new Set(Object.values(mock.urls))]);
    return wrapped([(finish && explainVainFinish(finish)) ?? [], unreached].flat().join("\n"));
  }
  const paragraphs = [
    ...paragraph("The option realism changed the answer to", evidence.inconsistent, "request", "requests"),
    ...paragraph("The mock refused", evidence.refused, "request", "requests"),
    ...paragraph("No target matched", evidence.unmatched, "query", "queries"),
    ...paragraph("A fault of this test applied to", evidence.faulted, "request", "requests"),
    ...paragraph("The mock has a note on", evidence.noted, "request", "requests"),
  ];
  const { unusedFaults, responseDelaySeconds, finish } = mock.arranged;
  const early = finish && explainEarlyFinish(finish, evidence.isAdding, paragraphs.join());
  const all = [
    ...(paragraphs.length > 0 ? paragraphs : others),
    ...(early === undefined ? [] : [early]),
    ...(responseDelaySeconds > 0 && gaveUp(error)
      ? [`Each response waits for ${responseDelaySeconds} s, as the option responseDelaySeconds says.`]
      : []),
    ...unusedFaults.map((unused) => explainUnused(unused, mock.requests)),
  ];
  return all.length === 0 ? undefined : wrapped(all.join("\n"));
}

/** Explains a timeout: the test waits for targets, but the mock's clock does not move. */
export function explainTimeout(
  mock: ExplainedMock,
  { clockStandsStill }: Pick<Evidence, "clockStandsStill">,
  error: unknown,
): string | undefined {
  if (!isTimeout(error) || !clockStandsStill) return undefined;
  const targets = mock.page.report().databases.flatMap((database) => database.targets);
  const processing = targets.filter((target) => "status" in target && target.status === "processing").length;
  if (processing === 0) return undefined;
  const what = processing === 1 ? "1 target is" : `${processing} targets are`;
  return `${what} still processing, but the clock does not move: advance it, or call mock.finishProcessing().`;
}

/** Mistakes before any request: errors of the mock's functions and of JavaScript. */
const MISTAKES = new Set([
  "InvalidOptionError",
  "MissingSchemeError",
  "InvalidSnapshotError",
  "ReferenceError",
  "SyntaxError",
  "RangeError",
]);
const MISTAKE = /is not (a function|a constructor|iterable|defined)|^Cannot (read|set|destructure)/;
const CONNECTION = /fetch|network|socket|connect|request|ECONN|ENOTFOUND|EAI_AGAIN|URL/i;

/** Whether a test may have failed because no request arrived. Not by class: it may be of another realm. */
function mayComeFromRequest(error: unknown): boolean {
  const name = fieldOf(error, "name");
  const message = messageIn(error);
  if (
    MISTAKES.has(String(name)) ||
    MISTAKE.test(message) ||
    message.includes("[MSW]") ||
    isThrownByMock(error)
  )
    return false;
  return name !== "TypeError" || CONNECTION.test(message);
}

/** Whether a function of this package threw an error that is not about a connection. */
function isThrownByMock(error: unknown): boolean {
  if (fieldOf(error, "code") !== undefined || /fetch failed/.test(messageIn(error))) return false;
  return isThrownHere(fieldOf(error, "stack"));
}

/** Counts requests and lists the newest ones. */
export function listed(entries: readonly JournalEntry[], one: string, many: string): string {
  const left = entries.length - MAX_SHOWN;
  const count = entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
  const shown = wrapped(formatJournal(entries.slice(-MAX_SHOWN)));
  return `${count}${left > 0 ? `, the last ${MAX_SHOWN} of them` : ""}:\n${shown}`;
}
