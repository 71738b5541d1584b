import type { Operation, Service } from "./operation.ts";

/** What became of one target when a query looked at it. */
export interface ConsideredTarget {
  readonly targetId: string;
  readonly name: string;
  readonly matched: boolean;
  readonly why: string;
}

/** One request as the journal keeps it. Never holds a secret or a body. */
export interface JournalEntry {
  /** Counts every request from 1 on, dropped ones included. */
  readonly number: number;
  /** When the request arrived, by the emulator's clock. */
  readonly time: Date;
  readonly api: Service;
  /** Undefined when no operation is served under that method and path. */
  readonly operation?: Operation | undefined;
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
  /** Undefined when the client got no response (unserved path, cut connection, error of a user's function). */
  readonly status?: number | undefined;
  readonly resultCode?: string | undefined;
  /** Name of the check that refused the request. */
  readonly refusedBy?: string | undefined;
  /** What to change, in one sentence. */
  readonly reason?: string | undefined;
  /** Name of the database whose keys the request named, if it is known. */
  readonly database?: string | undefined;
  /** Real time from arrival to answer, in milliseconds, without the configured response delay. */
  readonly durationMs: number;
  /** Queries: every target of the database, and why it did or did not match. */
  readonly considered?: readonly ConsideredTarget[] | undefined;
}

const DEFAULT_CAPACITY = 1000;

/** The latest requests, oldest first; counts what it dropped. */
export class Journal {
  private kept: JournalEntry[] = [];
  private next = 1;

  /** @param capacity - how many entries are kept, at least 1. */
  constructor(private readonly capacity: number = DEFAULT_CAPACITY) {}

  add(entry: Omit<JournalEntry, "number">): JournalEntry {
    const numbered = { number: this.next, ...entry };
    this.next += 1;
    this.kept.push(numbered);
    // Dropped in bulk, so that one more entry never costs a copy of all others.
    if (this.kept.length >= 2 * this.capacity) this.kept = this.kept.slice(-this.capacity);
    return numbered;
  }

  get entries(): readonly JournalEntry[] {
    return this.kept.slice(-this.capacity);
  }

  /** How many entries were dropped since the start or the last {@link clear}. */
  get dropped(): number {
    return Math.max(0, this.next - 1 - this.capacity);
  }

  clear(): void {
    this.kept = [];
    this.next = 1;
  }
}
