import type { Operation, Service } from "./operation.ts";
import { Signal } from "./signal.ts";

/** What became of one target when a query looked at it. */
export interface ConsideredTarget {
  /** As the API gives it. */
  readonly targetId: string;
  /** As the target was named. */
  readonly name: string;
  /** Whether it is among the matches, before they are cut to the number asked for. */
  readonly matched: boolean;
  /** In words, with the score where there is one. */
  readonly why: string;
}

/** A request that has arrived and has no answer yet. */
export interface ArrivedRequest {
  /** Counts requests in the order of their arrival, from 1 on, dropped ones included. */
  readonly number: number;
  /** When the request arrived, by the emulator's clock. */
  readonly time: Date;
  /** The API that the host serves. */
  readonly api: Service;
  /** Undefined when no operation is served under that method and path. */
  readonly operation?: Operation | undefined;
  /** In upper case. */
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
}

/** One request as the journal keeps it. Never holds a secret or a body. */
export interface JournalEntry extends ArrivedRequest {
  /** Undefined when the client got no response (unserved path, cut connection, error of a user's function). */
  readonly status?: number | undefined;
  /** Of the response, if it has one. */
  readonly resultCode?: string | undefined;
  /** Name of the check that refused the request; `emulator` when a function of the user's, or the emulator itself, failed. */
  readonly refusedBy?: string | undefined;
  /** When a fault was applied to it: `addFault`, or the option that configured it. Not counted as refused. */
  readonly fault?: string | undefined;
  /** What to change, in one sentence; or what the fault did. */
  readonly reason?: string | undefined;
  /** Name of the database whose keys the request named, if it is known. */
  readonly database?: string | undefined;
  /** Real time from arrival to answer, in milliseconds, without the configured response delay. */
  readonly durationMs: number;
  /** Queries: every target of the database, and why it did or did not match; the nearest first. */
  readonly considered?: readonly ConsideredTarget[] | undefined;
}

/** What happens to requests, by event. */
export interface JournalEvents {
  /** A request has arrived. */
  readonly request: ArrivedRequest;
  /** The answer to a request is known, refused or not; a configured delay is still to come. */
  readonly response: JournalEntry;
  /** A check refused the request, or nothing is served there; beside `response` when there is one. */
  readonly rejected: JournalEntry;
}

const DEFAULT_CAPACITY = 1000;
/** How many considered targets all entries hold together; beyond it the oldest queries lose theirs. */
const MAX_CONSIDERED = 50_000;

/** What an answer adds to an arrived request. */
export type RequestResult = Omit<JournalEntry, keyof ArrivedRequest>;

/** The latest requests, in the order in which they were answered; counts what it dropped. */
export class Journal {
  readonly events: { readonly [Name in keyof JournalEvents]: Signal<JournalEvents[Name]> };
  private kept: JournalEntry[] = [];
  private arrived = 0;
  private answered = 0;
  private considered = 0;
  /** Begins anew with every {@link clear}. */
  private era = {};

  /**
   * @param capacity - how many entries are kept, at least 1.
   * @param whole - a journal that has the entries of this one too, numbers them and tells of them.
   */
  constructor(
    private readonly capacity: number = DEFAULT_CAPACITY,
    private readonly whole?: Journal,
  ) {
    this.events = whole?.events ?? {
      request: new Signal("request"),
      response: new Signal("response"),
      rejected: new Signal("rejected"),
    };
  }

  /** Notes a request. The function returned notes its answer, which is kept unless the journal was cleared meanwhile. */
  open(request: Omit<ArrivedRequest, "number">): (result: RequestResult) => void {
    const close = this.note(request);
    return (result) => {
      const entry = close(result);
      if (entry.status !== undefined) this.events.response.emit(entry);
      if (entry.refusedBy !== undefined) this.events.rejected.emit(entry);
    };
  }

  get entries(): readonly JournalEntry[] {
    return this.kept.slice(-this.capacity);
  }

  /** How many entries were dropped since the start or the last {@link clear}. */
  get dropped(): number {
    return Math.max(0, this.answered - this.capacity);
  }

  clear(): void {
    this.kept = [];
    this.arrived = 0;
    this.answered = 0;
    this.considered = 0;
    this.era = {};
  }

  private note(request: Omit<ArrivedRequest, "number">): (result: RequestResult) => JournalEntry {
    const { era } = this;
    const close = this.whole?.note(request) ?? this.arrive(request);
    return (result) => {
      const entry = close(result);
      if (era === this.era) this.keep(entry);
      return entry;
    };
  }

  private arrive(request: Omit<ArrivedRequest, "number">): (result: RequestResult) => JournalEntry {
    this.arrived += 1;
    const arrived: ArrivedRequest = { number: this.arrived, ...request };
    this.events.request.emit(arrived);
    return (result) => ({ ...arrived, ...result });
  }

  private keep(entry: JournalEntry): void {
    this.answered += 1;
    this.kept.push(entry);
    this.considered += entry.considered?.length ?? 0;
    // Dropped in bulk, so that one more entry never costs a copy of all others.
    if (this.kept.length >= 2 * this.capacity) this.kept = this.kept.slice(-this.capacity);
    if (this.considered > MAX_CONSIDERED) this.forgetConsidered();
  }

  /** Keeps the newest queries' lists, half of what is allowed. */
  private forgetConsidered(): void {
    let left = MAX_CONSIDERED / 2;
    this.considered = 0;
    for (const [index, entry] of [...this.kept.entries()].reverse()) {
      const { considered, ...rest } = entry;
      if (considered === undefined) continue;
      left -= considered.length;
      if (left < 0) this.kept[index] = rest;
      else this.considered += considered.length;
    }
  }
}
