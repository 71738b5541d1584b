import type { ArrivalFacts, EntryFacts, ResultFacts } from "../schema/journal-entry.ts";
import { isRefused } from "../schema/page.ts";
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
  /** The request counts as refused: by a check, or because no operation serves it; follows `response`, if there is one. */
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
  /** By position. */
  private readonly kept = new Map<number, JournalEntry>();
  private arrived = 0;
  private answered = 0;
  private lost = 0;
  private readonly bodies: BodyBudget;
  private cleared = 0;
  /** How many copies continue this journal's numbers. */
  private running = 0;

  /**
   * @param capacity - how many entries are kept, at least 1.
   * @param bodyBytes - how many bytes of bodies are kept, newest first.
   * @param parent - a journal that also receives the entries; it numbers them, emits their events and limits their bodies.
   */
  constructor(
    readonly capacity: number = DEFAULT_JOURNAL_CAPACITY,
    private readonly bodyBytes: number = DEFAULT_BODY_BYTES,
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
      if (isRefused(entry)) this.events.rejected.emit(entry);
    };
  }

  /** Returns an empty journal whose entries are also added to this one, until {@link end}. */
  fork(): Journal {
    this.root.running += 1;
    return new Journal(this.capacity, this.bodyBytes, this);
  }

  end(): void {
    this.root.running -= 1;
  }

  get entries(): readonly JournalEntry[] {
    return [...this.kept.values()];
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
    const wanted = Math.min(this.answered - position, this.kept.size);
    return wanted > 0 ? this.entries.slice(-wanted) : [];
  }

  clear(): void {
    this.cleared += 1;
    this.kept.clear();
    // Numbers are unique in the journal of a running copy, too.
    if (this.running === 0) this.arrived = 0;
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
      else this.release(entry);
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
    this.kept.set(this.answered, entry);
    const oldest = this.kept.get(this.answered - this.capacity);
    if (oldest !== undefined) this.release(oldest);
    this.kept.delete(this.answered - this.capacity);
    this.changed.emit(undefined);
  }

  /** Keeps nothing of an entry. Its bodies are not dropped, because callers may still hold it. */
  private release({ request, response }: JournalEntry): void {
    this.bodies.delete(request.body);
    if (response !== undefined) this.bodies.delete(response.body);
  }

  private get root(): Journal {
    return this.parent?.root ?? this;
  }
}

/** Limits the memory that recorded bodies take: drops the oldest first. */
class BodyBudget {
  /** Oldest first. */
  private readonly kept = new Set<RecordedBody>();
  private bytes = 0;

  /** @param limit - in bytes; 0 keeps no bodies. */
  constructor(private readonly limit: number) {}

  add(body: RecordedBody): void {
    if (body.size === 0 || body.dropped) return;
    this.kept.add(body);
    this.bytes += body.size;
    for (const oldest of this.kept) {
      if (this.bytes <= this.limit) return;
      this.delete(oldest);
      oldest.drop(`the journal keeps the newest ${this.limit} bytes of bodies (option journalBodyBytes)`);
    }
  }

  /** Stops counting a body, without dropping it. */
  delete(body: RecordedBody): void {
    if (this.kept.delete(body)) this.bytes -= body.size;
  }

  /** Stops counting all bodies, without dropping them: callers may still hold some. */
  clear(): void {
    this.kept.clear();
    this.bytes = 0;
  }
}
