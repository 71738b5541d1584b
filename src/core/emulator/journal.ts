import { type InspectOptions, inspect } from "node:util";
import { Emitter } from "../general/emitter.ts";
import { realMilliseconds } from "../general/real-timers.ts";
import { bounded } from "../general/text.ts";
import { type AnyCause, type Cause, type CauseCode, sentenceOf } from "../schema/causes/causes.ts";
import type {
  AnswerFacts,
  EntryFacts,
  FoundFacts,
  RequestFacts,
  ResultFacts,
} from "../schema/journal-entry.ts";
import { isRefused } from "../schema/protocol.ts";
import type { RecordedBody, RecordedRequest, RecordedResponse } from "./recorded-message.ts";

/** A request that has arrived and is not answered yet. */
interface ArrivedRequest extends RequestFacts {
  /** When the request arrived, by the emulator's clock. */
  readonly time: Date;
  /** Headers, query string and body as the client sent them. Secrets are masked. */
  readonly request: RecordedRequest;
}

export interface RequestResult extends ResultFacts {
  /** The response to the client; undefined if it got none. */
  readonly response?: RecordedResponse | undefined;
}

/** A result as it is given to the journal, which adds the sentence of its cause. */
interface GivenResult extends AnswerFacts, FoundFacts {
  readonly response?: RecordedResponse | undefined;
  readonly cause?: AnyCause | undefined;
  /** Default: measured. */
  readonly durationMs?: number;
}

export type CloseEntry = (result: GivenResult) => void;

/** A request as recorded in the journal. Contains no secrets. */
export interface JournalEntry extends ArrivedRequest, RequestResult {}

/** Adds the sentence of an entry's cause, which is made when it is asked for. The given object may become the entry. */
export function recorded(
  given: ArrivedRequest & GivenResult & { readonly durationMs: number },
): JournalEntry {
  const { cause } = given;
  // Nearly every entry: copied once.
  if (cause === undefined) return Object.assign(given, { cause, reason: undefined });
  const entry: JournalEntry = {
    ...given,
    cause: cause as Cause,
    get reason() {
      return bounded(sentenceOf(cause));
    },
  };
  // Printed by console.log, with its reason. Hidden from copies and comparisons.
  const print = (depth: number, options: InspectOptions) =>
    depth < 0 ? "[Object]" : inspect({ ...entry }, options);
  return Object.defineProperty(entry, inspect.custom, { value: print });
}

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
  readonly events: { readonly [Name in keyof JournalEvents]: Emitter<JournalEvents[Name]> };
  /** Emitted with every entry, also of requests that get no response. */
  readonly recorded: Emitter<JournalEntry>;
  /** Emitted when an entry was added, or the journal was cleared. */
  readonly changed = new Emitter<undefined>("changed");
  private readonly kept = new Map<number, JournalEntry>();
  private arrived = 0;
  private answered = 0;
  private lost = 0;
  private readonly bodies: BodyBudget;
  /** Number of times that this journal and its copies were cleared; counted in the root. */
  private clears = 0;
  /** The value of `clears` when this journal was last cleared. */
  private cleared = 0;
  /** Number of copies that continue this journal's numbers. */
  private running = 0;
  private readonly root: Journal;

  /**
   * @param capacity - how many entries are kept.
   * @param bodyBytes - how many bytes of bodies are kept, newest first.
   * @param parent - a journal that also receives the entries; it numbers them, emits their events and limits their bodies.
   * @param remarks - those that an entry has since the last clear.
   */
  constructor(
    readonly capacity: number = DEFAULT_JOURNAL_CAPACITY,
    private readonly bodyBytes: number = DEFAULT_BODY_BYTES,
    private readonly parent?: Journal,
    private readonly remarks = new Set<CauseCode>(),
  ) {
    this.root = parent?.root ?? this;
    this.bodies = new BodyBudget(bodyBytes);
    this.recorded = parent?.recorded ?? new Emitter("recorded");
    this.events = parent?.events ?? {
      request: new Emitter("request"),
      response: new Emitter("response"),
      rejected: new Emitter("rejected"),
    };
  }

  /**
   * Records a request. The returned function records its result, unless the journal was cleared meanwhile. It measures the
   * duration if none is given.
   */
  open(request: Omit<ArrivedRequest, "number">): CloseEntry {
    const started = realMilliseconds();
    const { root } = this;
    root.arrived += 1;
    const number = root.arrived;
    const arrived: ArrivedRequest = { number, ...request };
    root.bodies.add(request.request.body);
    this.events.request.emit(arrived);
    const opened = root.clears;
    return (result) => {
      if (result.response !== undefined) root.bodies.add(result.response.body);
      const entry = recorded({ number, ...request, durationMs: realMilliseconds() - started, ...result });
      for (let journal: Journal | undefined = this; journal !== undefined; journal = journal.parent) {
        if (journal.cleared <= opened) journal.keep(entry);
        else journal.release(entry);
      }
      this.recorded.emit(entry);
      if (entry.status !== undefined) this.events.response.emit(entry);
      if (isRefused(entry)) this.events.rejected.emit(entry);
    };
  }

  /** Returns an empty journal whose entries are also added to this one, until {@link end}. */
  fork(): Journal {
    this.root.running += 1;
    return new Journal(this.capacity, this.bodyBytes, this);
  }

  /** Returns a journal that keeps the entry of one request, without its bodies. */
  ofOneRequest(): Journal {
    return new Journal(1, 0, this, this.remarks);
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

  /** Counts entries that never reached this journal. */
  countLost(count: number): void {
    this.lost += count;
  }

  /** Returns a remark that an entry gets once, until the journal is cleared. */
  once(remark: AnyCause): AnyCause | undefined {
    if (this.remarks.has(remark.code)) return undefined;
    this.remarks.add(remark.code);
    return remark;
  }

  get generation(): number {
    return this.cleared;
  }

  /** How many entries were added since the last {@link clear}, dropped ones included. */
  get position(): number {
    return this.answered;
  }

  /** Position of the oldest kept entry; positions start at 1. */
  get firstPosition(): number {
    return this.answered - this.kept.size + 1;
  }

  at(position: number): JournalEntry | undefined {
    return this.kept.get(position);
  }

  /** The kept entries after a position. */
  after(position: number): readonly JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (let next = Math.max(position + 1, this.firstPosition); next <= this.answered; next += 1) {
      const entry = this.kept.get(next);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** The newest entries, newest first; those of its parent if it has none, as in the journal of one request. */
  newest(count: number): readonly JournalEntry[] {
    const { kept } = this.answered === 0 && this.parent !== undefined ? this.parent : this;
    return [...kept.values()].slice(-count).reverse();
  }

  clear(): void {
    const { root } = this;
    root.clears += 1;
    this.cleared = root.clears;
    this.kept.clear();
    // Numbers are unique in the journal of a running copy, too.
    if (this.running === 0) this.arrived = 0;
    this.answered = 0;
    this.lost = 0;
    this.remarks.clear();
    this.bodies.clear();
    this.changed.emit(undefined);
  }

  private keep(entry: JournalEntry): void {
    this.answered += 1;
    this.kept.set(this.answered, entry);
    const oldest = this.kept.get(this.answered - this.capacity);
    if (oldest !== undefined) this.release(oldest);
    this.kept.delete(this.answered - this.capacity);
    this.changed.emit(undefined);
  }

  /** Stops counting an entry's bodies. It does not drop them: callers may still hold the entry. */
  private release({ request, response }: JournalEntry): void {
    this.bodies.delete(request.body);
    if (response !== undefined) this.bodies.delete(response.body);
  }
}

class BodyBudget {
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

  delete(body: RecordedBody): void {
    if (this.kept.delete(body)) this.bytes -= body.size;
  }

  /** Drops no body: callers may still hold some. */
  clear(): void {
    this.kept.clear();
    this.bytes = 0;
  }
}
