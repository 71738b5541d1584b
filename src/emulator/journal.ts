import type { ArrivalFacts, EntryFacts, ResultFacts } from "../schema/journal-entry.ts";
import type { RecordedBody } from "./recorded-body.ts";
import type { RecordedRequest, RecordedResponse } from "./recorded-message.ts";
import { Signal } from "./signal.ts";

/** A request that has arrived and is not answered yet. */
export interface ArrivedRequest extends Omit<ArrivalFacts, "time"> {
  /** When the request arrived, by the emulator's clock. */
  readonly time: Date;
  /** What the client sent: headers, query string and body. Secrets are masked. */
  readonly request: RecordedRequest;
}

/** What the response adds to an arrived request. */
export interface RequestResult extends ResultFacts {
  /** What the client got; undefined when it got no response. */
  readonly response?: RecordedResponse | undefined;
}

/** A request as recorded in the journal. Contains no secrets. */
export interface JournalEntry extends ArrivedRequest, RequestResult {}

/** An entry without its messages, as plain data. */
export function factsOf({ request, response, ...facts }: JournalEntry): EntryFacts {
  return { ...facts, time: facts.time.getTime() };
}

/** The payload of each event. */
export interface JournalEvents {
  /** A request has arrived. */
  readonly request: ArrivedRequest;
  /** The response to a request is known, refused or not; any configured delay follows. */
  readonly response: JournalEntry;
  /** A check refused the request, or no operation serves it; follows `response`, if there is one. */
  readonly rejected: JournalEntry;
}

/** How many requests a journal keeps by default. */
export const DEFAULT_JOURNAL_CAPACITY = 1000;

/** How many bytes of bodies a journal keeps by default. */
export const DEFAULT_BODY_BYTES = 16 * 1024 * 1024;

/** Keeps the latest requests in the order in which they were answered, and counts dropped ones. */
export class Journal {
  readonly events: { readonly [Name in keyof JournalEvents]: Signal<JournalEvents[Name]> };
  /** Emitted when an entry was added, or the journal was cleared. */
  readonly changed = new Signal<undefined>("changed");
  private kept: JournalEntry[] = [];
  private arrived = 0;
  private answered = 0;
  private lost = 0;
  private readonly bodies: BodyBudget;
  private cleared = 0;

  /**
   * @param capacity - how many entries are kept, at least 1.
   * @param bodyBytes - how many bytes of bodies are kept, newest first.
   * @param parent - a journal that also receives the entries; it numbers them, emits their events and limits their bodies.
   */
  constructor(
    readonly capacity: number = DEFAULT_JOURNAL_CAPACITY,
    bodyBytes: number = DEFAULT_BODY_BYTES,
    private readonly parent?: Journal,
  ) {
    this.bodies = new BodyBudget(bodyBytes);
    this.events = parent?.events ?? {
      request: new Signal("request"),
      response: new Signal("response"),
      rejected: new Signal("rejected"),
    };
  }

  /** Records a request. The returned function records its result, unless the journal was cleared in the meantime. */
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

  /** Counts entries that were dropped before they reached this journal. */
  countLost(count: number): void {
    this.lost += count;
  }

  /** How often it was cleared. */
  get generation(): number {
    return this.cleared;
  }

  /** How many entries were added since the last {@link clear}, dropped ones included. */
  get position(): number {
    return this.answered;
  }

  /** The entries after a position, as far as they are kept. */
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
    this.changed.emit(undefined);
  }

  private note(request: Omit<ArrivedRequest, "number">): (result: RequestResult) => JournalEntry {
    const { cleared } = this;
    const close = this.parent?.note(request) ?? this.arrive(request);
    return (result) => {
      const entry = close(result);
      if (cleared === this.cleared) this.keep(entry);
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
    // Dropped in bulk, so that adding an entry rarely copies all others.
    if (this.kept.length >= 2 * this.capacity) this.kept = this.kept.slice(-this.capacity);
    this.changed.emit(undefined);
  }
}

/** Limits the memory that recorded bodies take: drops the oldest first. */
class BodyBudget {
  private kept: RecordedBody[] = [];
  /** Index of the oldest body that is not dropped. Those before it are removed in bulk. */
  private first = 0;
  private bytes = 0;

  /** @param limit - in bytes; 0 keeps no bodies. */
  constructor(private readonly limit: number) {}

  add(body: RecordedBody): void {
    if (body.size === 0 || body.dropped) return;
    this.kept.push(body);
    this.bytes += body.size;
    while (this.bytes > this.limit) this.dropOldest();
    if (this.first > 1000 && this.first * 2 > this.kept.length) {
      this.kept = this.kept.slice(this.first);
      this.first = 0;
    }
  }

  /** Stops counting all bodies without dropping them: callers may still hold some. */
  clear(): void {
    this.kept = [];
    this.first = 0;
    this.bytes = 0;
  }

  private dropOldest(): void {
    const oldest = this.kept[this.first];
    this.first += 1;
    if (oldest === undefined) return;
    this.bytes -= oldest.size;
    oldest.drop(`the journal keeps the newest ${this.limit} bytes of bodies (option journalBodyBytes)`);
  }
}
