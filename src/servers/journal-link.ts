import type { JournalEntry } from "../core/journal.ts";
import type { SharedState } from "../store/backing.ts";
import { packJournal } from "../store/journal-codec.ts";

const COLLECTING_MILLISECONDS = 20;
/** Entries that wait for the manager; older ones are dropped, and counted. */
const MAX_WAITING = 1000;
/** A piece that is sent at one time ends with the entry that reaches one of these, so that none takes long to make. */
const PIECE = { entries: 100, bodyBytes: 2 ** 20, considered: 2000 };

/** Hands a server's journal entries to the target manager, some at a time, without making any request wait. */
export class JournalLink {
  private waiting: JournalEntry[] = [];
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();

  /** @param onHandedOver - nothing waits any more. */
  constructor(
    private readonly state: Pick<SharedState, "putJournal">,
    private readonly onHandedOver: () => void = () => {},
  ) {}

  add(entry: JournalEntry): void {
    this.waiting.push(entry);
    this.dropOldest(2 * MAX_WAITING);
    this.timer ??= setTimeout(() => void this.flush(), COLLECTING_MILLISECONDS).unref();
  }

  /** Resolves when all entries up to now have arrived, or the manager did not take them. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(() => this.send());
    await this.sending;
  }

  private async send(): Promise<void> {
    while (this.waiting.length > 0) {
      const entries = this.takePiece();
      const { dropped } = this;
      this.dropped = 0;
      try {
        await this.state.putJournal(packJournal({ dropped, entries }));
      } catch {
        // The manager is away, and a journal in it begins anew with it; what waits goes with the next entry.
        this.waiting = [...entries, ...this.waiting];
        this.dropped += dropped;
        this.dropOldest(MAX_WAITING);
        return;
      }
      if (this.waiting.length === 0) this.onHandedOver();
    }
  }

  private takePiece(): readonly JournalEntry[] {
    let [count, bodyBytes, considered] = [0, 0, 0];
    for (const entry of this.waiting) {
      count += 1;
      bodyBytes += (entry.request.body.bytes?.length ?? 0) + (entry.response?.body.bytes?.length ?? 0);
      considered += entry.considered?.length ?? 0;
      if (count >= PIECE.entries || bodyBytes >= PIECE.bodyBytes || considered >= PIECE.considered) break;
    }
    return this.waiting.splice(0, count);
  }

  /** Drops in bulk, so that one more entry never costs a copy of all others. */
  private dropOldest(limit: number): void {
    if (this.waiting.length <= limit) return;
    this.dropped += this.waiting.length - MAX_WAITING;
    this.waiting = this.waiting.slice(-MAX_WAITING);
  }
}
