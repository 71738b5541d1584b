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

  constructor(url: string, lastId?: string) {
    this.reading = this.read(url, lastId).catch(() => undefined);
  }

  get requests() {
    return this.events.flatMap(({ event, data }) => {
      if (event !== "requests") return [];
      const batch: PageRequests = JSON.parse(data);
      return batch.requests;
    });
  }

  get states(): PageState[] {
    return this.events.filter(({ event }) => event === "state").map(({ data }) => JSON.parse(data));
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

  private async read(url: string, lastId: string | undefined): Promise<void> {
    const headers = lastId === undefined ? undefined : { "Last-Event-ID": lastId };
    const response = await fetch(url, { signal: this.gone.signal, ...(headers && { headers }) });
    let rest = "";
    for await (const chunk of response.body ?? []) {
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
