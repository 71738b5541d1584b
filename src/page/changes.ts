import { once } from "node:events";
import { delayWhileConnected, type MovableClock } from "../core/emulator/clock.ts";
import type { SharedFaults } from "../core/emulator/faults.ts";
import type { Journal } from "../core/emulator/journal.ts";
import { GLOBAL, type Store } from "../core/store/store.ts";

const PAUSE_SECONDS = 0.25;
/** How often to look for changes without a request, by other processes or by code of this one. */
const POLLING_SECONDS = 1;
/** Proxies close a connection that is silent for longer. */
const HEARTBEAT_MILLISECONDS = 15_000;
const RETRY_MILLISECONDS = 500;

const line = (content: string): Buffer => Buffer.from(`${content}\n\n`);
const CHANGED = line("event: changed\ndata:");

export interface Changing {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly journal: Journal;
  readonly faults: SharedFaults;
  /** Loads changes of other processes. */
  readonly beforeReading?: (() => Promise<void>) | undefined;
}

/** Notifies pages of changes; they then read their view again (decision 0010). */
export class Changes {
  private count = 0;
  private last: string | undefined;
  /** Of the journal, when it was last read. */
  private position = "";
  private looking: Promise<void> | undefined;
  /** Ends when the next event may follow. */
  private pause: Promise<void> | undefined;

  constructor(private readonly parts: Changing) {}

  /** Yields server-sent events until the signal aborts: the first one at once, for pages that reconnect. */
  async *events(signal: AbortSignal): AsyncGenerator<Buffer> {
    yield line(`retry: ${RETRY_MILLISECONDS}`);
    this.last ??= await this.mark();
    let told = -1;
    let lastByte = performance.now();
    while (!signal.aborted) {
      if (told !== this.count) {
        told = this.count;
        yield CHANGED;
      } else if (performance.now() - lastByte > HEARTBEAT_MILLISECONDS) yield line(":");
      else {
        await this.look(signal);
        continue;
      }
      lastByte = performance.now();
    }
  }

  /** Waits for the next change, once for all pages. */
  private async look(signal: AbortSignal): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    const settled = new AbortController();
    await Promise.race([this.looking, once(signal, "abort", { signal: settled.signal })]).finally(() =>
      settled.abort(),
    );
  }

  private async lookOnce(): Promise<void> {
    await this.pause;
    await this.untilAnswered(this.parts.journal);
    this.position = positionOf(this.parts.journal);
    const mark = await this.mark();
    if (mark === this.last) return;
    this.last = mark;
    this.count += 1;
    this.pause = delayWhileConnected(PAUSE_SECONDS);
  }

  private async untilAnswered(journal: Journal): Promise<void> {
    if (positionOf(journal) !== this.position) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        stop();
        resolve();
      };
      const stop = journal.changed.on(end);
      void delayWhileConnected(POLLING_SECONDS).then(end);
    });
  }

  /** Differs whenever a view does, except for changes by time alone. */
  private async mark(): Promise<string> {
    const { store, clock, journal, faults, beforeReading } = this.parts;
    await beforeReading?.();
    const [databases, global, added] = await Promise.all([
      store.revision(),
      store.read({ key: GLOBAL, answer: (records) => records?.revision }),
      faults.list(),
    ]);
    const { shift } = clock;
    return `${positionOf(journal)} ${JSON.stringify([shift, added, global])} ${databases}`;
  }
}

const positionOf = ({ generation, position }: Journal): string => `${generation}.${position}`;
