import type { Journal } from "../core/emulator/journal.ts";
import { JournalReceiver, unpackJournal } from "./journal-codec.ts";
import type { JournalLink } from "./journal-link.ts";
import type { RedisBacking } from "./redis-backing.ts";

/** Copies the requests of other managers into this manager's journal. */
export class JournalFeed {
  isReading = false;
  private latest = "0-0";
  private clears = "0";
  private reading: Promise<void> = Promise.resolve();
  private readonly receiver: JournalReceiver;

  /** @param link - entries that this manager has not published yet. */
  constructor(
    private readonly state: RedisBacking,
    private readonly journal: Journal,
    private readonly link: JournalLink,
  ) {
    this.receiver = new JournalReceiver(journal);
  }

  /** Publishes this manager's entries. Resolves when the journal has every entry published so far. */
  read(): Promise<void> {
    this.reading = this.reading.catch(() => {}).then(() => this.follow());
    return this.reading;
  }

  private async follow(): Promise<void> {
    await this.state.readClock();
    const { journalClears: clears } = this.state;
    const wasCleared = clears !== this.clears;
    // Published before they are shown: other managers then show them even if this one is killed.
    await this.link.flush();
    if (wasCleared) {
      // The stream has this manager's own entries since then.
      this.journal.clear();
      this.latest = "0-0";
    }
    this.clears = clears;
    const { pieces, latest } = await this.state.readJournal(this.latest, wasCleared);
    this.latest = latest;
    const pages = await Promise.all(pieces.map(unpackJournal));
    this.isReading = true;
    try {
      for (const page of pages) this.receiver.receive(page);
    } finally {
      this.isReading = false;
    }
  }
}
