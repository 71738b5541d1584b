import type { Clock } from "../core/emulator/clock.ts";
import type { Faults } from "../core/emulator/faults.ts";
import type { JournalEntry, JournalEvents } from "../core/emulator/journal.ts";
import type { RequestFilter } from "../core/emulator/request-filter.ts";
import { Emitter } from "../core/general/emitter.ts";
import { fakedFunctions } from "../core/general/real-timers.ts";
import { hasCode, isOfRealism } from "../core/schema/causes/causes.ts";
import { type Finish, type limitsIn, withRemark } from "./surprises.ts";

export interface ExplainedMock {
  readonly clock: Clock;
  readonly urls: Readonly<Record<string, string>>;
  readonly page: { readonly isPaused: boolean };
  readonly requests: readonly JournalEntry[];
  readonly arranged: {
    readonly unusedFaults: Faults["unused"];
    readonly responseDelaySeconds: number;
    readonly processingTargets: number;
    readonly finish: Finish | undefined;
    readonly limits: ReturnType<typeof limitsIn>;
  };
  on<Name extends keyof JournalEvents>(event: Name, listener: (entry: JournalEvents[Name]) => void): unknown;
  requestsOf(filter: RequestFilter, entries?: readonly JournalEntry[]): readonly JournalEntry[];
  unexpectedRefusals(entries: readonly JournalEntry[]): readonly JournalEntry[];
  missingRefusals(entries: readonly JournalEntry[]): readonly RequestFilter[];
}

interface AnsweredRequest {
  readonly mock: ExplainedMock;
  readonly entry: JournalEntry;
}

export const answered = new Emitter<AnsweredRequest>("answered");

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
  /** Functions that clients need and that were fake when the latest request arrived. */
  faked: readonly string[] = [];
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
      this.faked = fakedFunctions();
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

  #addOther({ mock, entry }: AnsweredRequest): void {
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

  /** Served requests whose response may surprise the client; for each cause the last. */
  get noted(): readonly JournalEntry[] {
    const noted = this.#consistent.filter((entry) => hasNote(entry) && !isUnmatchedQuery(entry));
    const latest = [...this.#latest.values()];
    const hasFound = latest.some(({ considered }) => considered?.some(({ matched }) => matched));
    const remarked = latest.flatMap((entry) => withRemark(entry, hasFound) ?? []);
    const all = [...noted, ...remarked].sort((a, b) => a.number - b.number);
    return [...new Map(all.map((entry) => [JSON.stringify(entry.cause), entry])).values()];
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

/** What a failing test is told of them. */
export const INCONSISTENT = "The option realism changed the answer to";
const isInconsistent = ({ cause }: JournalEntry): boolean => hasCode(cause, isOfRealism);

const hasNote = ({ refusedBy, fault, cause }: JournalEntry): boolean =>
  refusedBy === undefined && fault === undefined && cause !== undefined;
