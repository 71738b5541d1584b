import { BodyBudget, DEFAULT_BODY_BYTES } from "./body-budget.ts";
import type { Operation, Service } from "./operation-names.ts";
import type { RecordedRequest, RecordedResponse } from "./recorded-message.ts";
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
  /** What the client sent: headers, query string and body. Secrets are masked. */
  readonly request: RecordedRequest;
}

/** What a signature was made over: five lines (method, MD5 of the body, content type, date, path). Holds no secret. */
export interface ComparedSignature {
  /** The string that should have been signed. */
  readonly expected: string;
  /** The string that was signed, where a known mistake explains the signature. */
  readonly signed?: string | undefined;
}

/** One request as the journal keeps it. Never shows a secret. */
export interface JournalEntry extends ArrivedRequest {
  /** What the client got; undefined when it got no response. */
  readonly response?: RecordedResponse | undefined;
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
  /** Of a request whose signature does not match: both strings to sign. */
  readonly signature?: ComparedSignature | undefined;
  /** Queries: the nearest 100 targets of the database, and why each did or did not match; the nearest first. */
  readonly considered?: readonly ConsideredTarget[] | undefined;
  /** Queries over more than 100 targets: how many others there are, by reason. */
  readonly otherTargets?: Readonly<Record<string, number>> | undefined;
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

/** What an answer adds to an arrived request. */
export type RequestResult = Omit<JournalEntry, keyof ArrivedRequest>;

/** The latest requests, in the order in which they were answered; counts what it dropped. */
export class Journal {
  readonly events: { readonly [Name in keyof JournalEvents]: Signal<JournalEvents[Name]> };
  /** Something was kept, or everything forgotten. */
  readonly changed = new Signal<undefined>("changed");
  private kept: JournalEntry[] = [];
  private arrived = 0;
  private answered = 0;
  private lost = 0;
  private readonly bodies: BodyBudget;
  private cleared = 0;
  /** Begins anew with every {@link clear}. */
  private era = {};

  /**
   * @param capacity - how many entries are kept, at least 1.
   * @param bodyBytes - how many bytes of bodies are kept, of the newest requests.
   * @param whole - a journal that has the entries of this one too, numbers them, tells of them and bounds their bodies.
   */
  constructor(
    private readonly capacity: number = DEFAULT_CAPACITY,
    bodyBytes: number = DEFAULT_BODY_BYTES,
    private readonly whole?: Journal,
  ) {
    this.bodies = new BodyBudget(bodyBytes);
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
    return Math.max(0, this.answered - this.capacity) + this.lost;
  }

  /** Counts entries that were dropped before they came here. */
  countLost(count: number): void {
    this.lost += count;
  }

  /** How often it was cleared. */
  get generation(): number {
    return this.cleared;
  }

  /** How many entries it had since it was cleared, dropped ones included: the place of the latest. */
  get position(): number {
    return this.answered;
  }

  /** The entries behind a place, as far as they are kept. */
  after(position: number): readonly JournalEntry[] {
    const wanted = Math.min(this.answered - position, this.capacity);
    return wanted > 0 ? this.kept.slice(-wanted) : [];
  }

  clear(): void {
    this.cleared += 1;
    this.kept = [];
    this.arrived = 0;
    this.answered = 0;
    this.lost = 0;
    this.bodies.clear();
    this.era = {};
    this.changed.emit(undefined);
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
    this.bodies.add(request.request.body);
    this.events.request.emit(arrived);
    return (result) => {
      if (result.response !== undefined) this.bodies.add(result.response.body);
      return { ...arrived, ...result };
    };
  }

  private keep(entry: JournalEntry): void {
    this.answered += 1;
    this.kept.push(entry);
    // Dropped in bulk, so that one more entry never costs a copy of all others.
    if (this.kept.length >= 2 * this.capacity) this.kept = this.kept.slice(-this.capacity);
    this.changed.emit(undefined);
  }
}
