import type { JournalEntry } from "../runtime/journal.ts";
import { JOURNAL_PATH } from "../store/internal-protocol.ts";
import { packJournal } from "../store/journal-codec.ts";
import type { ManagerClient } from "../store/manager-client.ts";

const COLLECTING_MILLISECONDS = 20;
/** Entries that wait for the manager; older ones are dropped. */
const MAX_WAITING = 1000;

/** Hands a server's journal entries to the target manager, many at a time, without making any request wait. */
export class JournalLink {
  private waiting: JournalEntry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly manager: ManagerClient) {}

  add(entry: JournalEntry): void {
    this.waiting.push(entry);
    if (this.waiting.length > 2 * MAX_WAITING) this.waiting = this.waiting.slice(-MAX_WAITING);
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
    const entries = this.waiting;
    if (entries.length === 0) return;
    this.waiting = [];
    try {
      await this.manager.ask("POST", JOURNAL_PATH, packJournal({ dropped: 0, entries }));
    } catch {
      // The manager is away, and a journal in it begins anew with it; what waits goes with the next entry.
      this.waiting = [...entries, ...this.waiting].slice(-MAX_WAITING);
    }
  }
}
