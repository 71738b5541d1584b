import { once } from "node:events";
import { LRUCache } from "lru-cache";
import { delayWhileConnected } from "../emulator/clock.ts";
import { factsOf, type Journal, type JournalEntry } from "../emulator/journal.ts";
import { PAGE_HEADER } from "../schema/protocol.ts";
import type { PageRequest, PageRequests } from "./model.ts";
import { event, line, type Seen, type StateFeed } from "./state-feed.ts";

/** How long requests are collected before they are sent. */
const COLLECTING_SECONDS = 0.05;
/** How often the state is checked for changes that no request made. */
const POLLING_SECONDS = 1;
/** Proxies close a connection that is silent for longer. */
const HEARTBEAT_MILLISECONDS = 15_000;
/** Maximum number of requests in one event. */
const MAX_REQUESTS = 200;
/** How many events of requests are kept: pages that are open at once mostly receive the same ones. */
const KEPT_BATCHES = 8;
/** How long a browser waits before it reconnects. */
const RETRY_MILLISECONDS = 500;

/** A place in the journal: how often the journal was cleared, and how many entries it has had since. */
interface Place {
  readonly generation: number;
  readonly position: number;
}

/** Requests as an event, and the position after them. */
interface Batch {
  readonly until: number;
  readonly bytes: Buffer;
}

/**
 * Sends the state and the requests to pages as server-sent events: each request once, in order. Whatever the number of pages,
 * both are read and serialised once, and pages that are up to date receive the same bytes.
 */
export class PageFeed {
  /** Up to where the journal is sent. */
  private place: Place;
  private readonly batches = new LRUCache<string, Batch>({ max: KEPT_BATCHES });
  private reading: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  /** How many pages wait for something new. */
  private waiting = 0;
  /** The next reading of something new, for which they all wait. */
  private news: Promise<void> | undefined;

  /** @param epoch - identifies this run of the server; places in the journal of another run are invalid. */
  constructor(
    private readonly journal: Journal,
    private readonly epoch: string,
    private readonly state: StateFeed,
    private readonly beforeReading: () => Promise<void> = async () => {},
  ) {
    this.place = { generation: journal.generation, position: 0 };
  }

  /**
   * Yields events until the signal aborts.
   *
   * @param lastId - the id of the last request that the page received, empty if none; later requests are sent first.
   */
  async *events(lastId: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    yield line(`retry: ${RETRY_MILLISECONDS}`);
    const known = this.placeOf(lastId);
    if (known === undefined && lastId !== "") yield this.clearEvent();
    let place = known ?? { generation: this.journal.generation, position: 0 };
    let seen: Seen | undefined;
    let lastByte = performance.now();
    await this.refresh();
    while (!signal.aborted) {
      if (!this.state.isCurrent(seen)) seen = yield* this.state.since(seen);
      else if (place.generation !== this.place.generation) {
        place = { generation: this.place.generation, position: 0 };
        yield this.clearEvent();
      } else if (this.isBehind(place)) {
        const { until, bytes } = this.batchAfter(place.position);
        place = { ...place, position: until };
        yield bytes;
      } else if (performance.now() - lastByte > HEARTBEAT_MILLISECONDS) yield line(":");
      else {
        await this.untilNews(signal);
        continue;
      }
      lastByte = performance.now();
    }
  }

  /** The entry with that id; undefined when it is no longer kept. */
  find(id: string): JournalEntry | undefined {
    const place = this.placeOf(id);
    return place?.generation === this.journal.generation ? this.journal.at(place.position) : undefined;
  }

  private isBehind({ generation, position }: Place): boolean {
    const { place, journal } = this;
    // What was cleared since it was read is not sent any more.
    const isKept = generation === place.generation && generation === journal.generation;
    return isKept && position < place.position;
  }

  /** The requests after a position, at least one. */
  private batchAfter(position: number): Batch {
    const { journal } = this;
    const key = this.idAt(position);
    const until = Math.min(this.place.position, Math.max(position, journal.firstPosition - 1) + MAX_REQUESTS);
    const known = this.batches.get(key);
    if (known?.until === until) return known;
    const requests: PageRequest[] = [];
    for (let at = position + 1; at <= until; at += 1) {
      const entry = journal.at(at);
      if (entry !== undefined) requests.push(summaryOf(entry, this.idAt(at)));
    }
    const content: PageRequests = { missed: until - position - requests.length, requests };
    const batch = { until, bytes: event("requests", JSON.stringify(content), this.idAt(until)) };
    this.batches.set(key, batch);
    return batch;
  }

  private idAt(position: number): string {
    return `${this.epoch}.${this.place.generation}.${position}`;
  }

  private placeOf(id: string): Place | undefined {
    const [epoch, generation, position] = id.split(".");
    const place = { generation: Number(generation), position: Number(position) };
    return epoch === this.epoch && Number.isInteger(place.generation) && Number.isInteger(place.position)
      ? place
      : undefined;
  }

  private clearEvent(): Buffer {
    return event("clear", "{}", this.idAt(0));
  }

  /** Reads the state and the journal, once for all who ask at the same time. */
  private refresh(): Promise<void> {
    this.next ??= this.reading.then(() => {
      this.next = undefined;
      const reading = this.read();
      this.reading = reading.catch(() => {});
      return reading;
    });
    return this.next;
  }

  private async read(): Promise<void> {
    await this.beforeReading();
    await this.state.refresh();
    const { generation, position } = this.journal;
    this.place = { generation, position };
  }

  /** Resolves when what changed is read, or the signal aborts. */
  private async untilNews(signal: AbortSignal): Promise<void> {
    this.news ??= this.untilChange()
      .then(() => (this.waiting > 0 ? this.refresh() : undefined))
      .finally(() => {
        this.news = undefined;
      });
    this.waiting += 1;
    const settled = new AbortController();
    try {
      await Promise.race([this.news, once(signal, "abort", { signal: settled.signal })]);
    } finally {
      this.waiting -= 1;
      settled.abort();
    }
  }

  /** Resolves when a request was answered, or when it is time to look for other changes. */
  private async untilChange(): Promise<void> {
    const { journal, place } = this;
    const isNew = () => journal.generation !== place.generation || journal.position !== place.position;
    if (!isNew())
      await new Promise<void>((resolve) => {
        const end = () => {
          stop();
          resolve();
        };
        const stop = journal.changed.on(end);
        void delayWhileConnected(POLLING_SECONDS).then(end);
      });
    if (isNew()) await delayWhileConnected(COLLECTING_SECONDS);
  }
}

/** A request for the list, without what may be long. */
function summaryOf(entry: JournalEntry, id: string): PageRequest {
  const { signature, considered, otherTargets, ...summary } = factsOf(entry);
  return { id, fromPage: entry.api === "manager" && PAGE_HEADER in entry.request.headers, ...summary };
}
