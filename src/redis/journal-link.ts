import type { JournalEntry } from "../core/emulator/journal.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { packJournal } from "./journal-codec.ts";
import type { RedisBacking } from "./redis-backing.ts";

const COLLECTING_MILLISECONDS = 20;
const RETRY_MILLISECONDS = 1000;
/** Maximum number of entries waiting for Redis; older ones are dropped and counted. */
const MAX_WAITING = 1000;
/** A batch ends at one of these limits, so that none takes long to serialize. */
const BATCH = { entries: 100, bodyBytes: 2 ** 20, considered: 2000 };

interface WaitingEntry {
  readonly entry: JournalEntry;
  /** Counts this manager's entries. */
  readonly number: number;
  readonly clears: string;
}

/** Publishes a manager's journal entries in Redis in batches, without delaying requests. */
export class JournalLink {
  private readonly sender = systemRandom.hex(16);
  private waiting: WaitingEntry[] = [];
  private added = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly state: Pick<RedisBacking, "putJournal" | "journalClears">) {}

  add(entry: JournalEntry): void {
    this.added += 1;
    this.waiting.push({ entry, number: this.added, clears: this.state.journalClears });
    this.dropOldest(2 * MAX_WAITING);
    this.sendIn(COLLECTING_MILLISECONDS);
  }

  /** Resolves when Redis has received all entries added so far, or is unavailable. */
  async flush(): Promise<void> {
    realTimers.clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(() => this.send());
    await this.sending;
  }

  private sendIn(milliseconds: number): void {
    this.timer ??= realTimers.setTimeout(() => void this.flush(), milliseconds).unref();
  }

  private async send(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      const [{ number: first, clears } = { number: 0, clears: "" }] = batch;
      const entries = batch.map(({ entry }) => entry);
      const { sender, dropped } = this;
      this.dropped = 0;
      try {
        await this.state.putJournal(packJournal({ sender, first, dropped, entries }), clears);
      } catch {
        // Redis is unavailable, or its answer was lost. Numbers tell readers what they already have.
        this.waiting = [...batch, ...this.waiting];
        this.dropped += dropped;
        this.dropOldest(MAX_WAITING);
        this.sendIn(RETRY_MILLISECONDS);
        return;
      }
    }
  }

  private takeBatch(): WaitingEntry[] {
    let [count, bodyBytes, considered] = [0, 0, 0];
    for (const { entry, clears } of this.waiting) {
      if (clears !== this.waiting[0]?.clears) break;
      count += 1;
      bodyBytes += (entry.request.body.bytes?.length ?? 0) + (entry.response?.body.bytes?.length ?? 0);
      considered += entry.considered?.length ?? 0;
      if (count >= BATCH.entries || bodyBytes >= BATCH.bodyBytes || considered >= BATCH.considered) break;
    }
    return this.waiting.splice(0, count);
  }

  /** Drops in bulk: otherwise each added entry would copy all others. */
  private dropOldest(limit: number): void {
    if (this.waiting.length <= limit) return;
    this.dropped += this.waiting.length - MAX_WAITING;
    this.waiting = this.waiting.slice(-MAX_WAITING);
  }
}
