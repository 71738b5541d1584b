import { changed } from "../../src/page/changes.ts";
import type { PageRequests, PageState } from "../../src/page/model.ts";

/** One server-sent event. */
export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Collects the events that a page receives. */
export class Listener implements AsyncDisposable {
  readonly events: ServerSentEvent[] = [];
  private readonly gone = new AbortController();
  private wake = () => {};
  private readonly reading: Promise<void>;

  /** @param source - an address, or what arrives from one. */
  constructor(source: string | AsyncIterable<Uint8Array>, lastId?: string) {
    this.reading = this.read(source, lastId).catch(() => undefined);
  }

  get requests() {
    return this.events.flatMap(({ event, data }) => {
      if (event !== "requests") return [];
      const batch: PageRequests = JSON.parse(data);
      return batch.requests;
    });
  }

  /** The state after each event that concerns it. */
  get states(): readonly PageState[] {
    const states: PageState[] = [];
    for (const { event, data } of this.events) {
      const before = states.at(-1);
      const content = JSON.parse(data);
      if (event === "state") states.push(content);
      if (event === "changes" && before !== undefined) states.push(changed(before, content));
      if (event === "clock" && before !== undefined) states.push({ ...before, clock: content });
    }
    return states;
  }

  get lastId(): string {
    return this.events.findLast(({ id }) => id !== "")?.id ?? "";
  }

  /** Resolves when the condition holds. */
  async until(enough: () => boolean): Promise<void> {
    while (!enough()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gone.abort();
    await this.reading;
  }

  private async open(url: string, lastId: string | undefined): Promise<AsyncIterable<Uint8Array>> {
    const headers = lastId === undefined ? undefined : { "Last-Event-ID": lastId };
    const { body } = await fetch(url, { signal: this.gone.signal, ...(headers && { headers }) });
    if (body === null) throw new Error("no body");
    return body;
  }

  private async read(source: string | AsyncIterable<Uint8Array>, lastId: string | undefined): Promise<void> {
    let rest = "";
    for await (const chunk of typeof source === "string" ? await this.open(source, lastId) : source) {
      const blocks = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string) =>
          block
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2) ?? "";
        if (field("event") !== "")
          this.events.push({ id: field("id"), event: field("event"), data: field("data") });
      }
      this.wake();
    }
  }
}
