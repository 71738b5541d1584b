import { factsOf, type Journal, type JournalEntry } from "../emulator/journal.ts";
import { PAGE_HEADER } from "../schema/page.ts";
import type { PageRequest, PageRequests } from "./model.ts";

/** How long requests are collected before they are sent. */
const COLLECTING_MILLISECONDS = 50;
/** How often the state is checked for changes that no request made. */
const POLLING_MILLISECONDS = 1000;
/** Proxies close a connection that is silent for longer. */
const HEARTBEAT_MILLISECONDS = 15_000;
/** Maximum number of requests in one event. */
const MAX_REQUESTS = 500;
/** How long a browser waits before it reconnects. */
const RETRY_MILLISECONDS = 500;

/** A place in the journal: how often the journal was cleared, and how many entries it has had since. */
interface Place {
  readonly generation: number;
  readonly position: number;
}

/** Sends the state and the requests to pages as server-sent events: each request once, in order. */
export class RequestFeed {
  /**
   * @param epoch - identifies this run of the server; places in the journal of another run are invalid.
   * @param readState - returns the state as JSON, and a fingerprint; the state is sent when its fingerprint changes.
   */
  constructor(
    private readonly journal: Journal,
    private readonly epoch: string,
    private readonly readState: () => Promise<{ readonly json: string; readonly fingerprint: string }>,
  ) {}

  /**
   * Yields events until the signal aborts.
   *
   * @param lastId - the id of the last request that the page received; later requests are sent first.
   */
  async *events(lastId: string | undefined, signal: AbortSignal): AsyncGenerator<Buffer> {
    yield line(`retry: ${RETRY_MILLISECONDS}`);
    const known = lastId === undefined || lastId === "" ? undefined : this.placeOf(lastId);
    if (known === undefined && lastId !== undefined && lastId !== "") yield this.clearEvent();
    let place = known ?? { generation: this.journal.generation, position: 0 };
    let sent = "";
    let lastByte = performance.now();
    while (!signal.aborted) {
      const { json, fingerprint } = await this.readState();
      if (fingerprint !== sent) {
        sent = fingerprint;
        yield event("state", json);
        lastByte = performance.now();
      }
      if (place.generation !== this.journal.generation) {
        place = { generation: this.journal.generation, position: 0 };
        yield this.clearEvent();
      }
      while (!signal.aborted && place.position < this.journal.position) {
        const from = Math.max(place.position, this.journal.position - this.journal.entries.length);
        const entries = this.journal.after(from).slice(0, MAX_REQUESTS);
        const batch: PageRequests = {
          missed: from - place.position,
          requests: entries.map((entry, index) => summaryOf(entry, this.idAt(from + index + 1))),
        };
        place = { ...place, position: from + entries.length };
        yield event("requests", JSON.stringify(batch), this.idAt(place.position));
        lastByte = performance.now();
      }
      if (performance.now() - lastByte > HEARTBEAT_MILLISECONDS) {
        yield line(":");
        lastByte = performance.now();
      }
      await this.waitForNews(place, signal);
    }
  }

  /** The entry with that id; undefined when it is no longer kept. */
  find(id: string): JournalEntry | undefined {
    const place = this.placeOf(id);
    if (place?.generation !== this.journal.generation || place.position < 1) return undefined;
    const first = this.journal.position - this.journal.entries.length + 1;
    return place.position < first ? undefined : this.journal.entries[place.position - first];
  }

  private idAt(position: number): string {
    return `${this.epoch}.${this.journal.generation}.${position}`;
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

  private async waitForNews({ generation, position }: Place, signal: AbortSignal): Promise<void> {
    const isNew = () => this.journal.generation !== generation || this.journal.position !== position;
    if (!isNew()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          stop();
          signal.removeEventListener("abort", done);
          resolve();
        };
        const stop = this.journal.changed.on(done);
        const timer = setTimeout(done, POLLING_MILLISECONDS);
        signal.addEventListener("abort", done);
        if (signal.aborted) done();
      });
    }
    if (isNew() && !signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, COLLECTING_MILLISECONDS));
  }
}

/** A request for the list, without what may be long. */
function summaryOf(entry: JournalEntry, id: string): PageRequest {
  const { signature, considered, otherTargets, ...summary } = factsOf(entry);
  return { id, fromPage: entry.api === "manager" && PAGE_HEADER in entry.request.headers, ...summary };
}

const line = (content: string): Buffer => Buffer.from(`${content}\n\n`);

/** Serialized JSON has no line breaks, so it fits on one `data` line. */
const event = (name: string, json: string, id?: string): Buffer =>
  line([...(id === undefined ? [] : [`id: ${id}`]), `event: ${name}`, `data: ${json}`].join("\n"));
