import type {
  PageDatabase,
  PageDatabases,
  PageFaults,
  PageModels,
  PageRequests,
  PageState,
} from "./page-data.ts";

/** What all views of a page show. */
export interface SeenState extends Omit<PageState, "requests">, PageModels {
  readonly cloudDatabases: readonly PageDatabase[];
  readonly faults: PageFaults["faults"];
}

/** Reads what a page reads. */
export async function readPage<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const content: T = JSON.parse(await response.text());
  return content;
}

/** A page: listens to events, and after each reads everything that views show. */
export class Listener implements AsyncDisposable {
  /** The names of the events. */
  readonly events: string[] = [];
  /** When each event arrived, in milliseconds. */
  readonly times: number[] = [];
  readonly states: SeenState[] = [];
  requests: PageRequests["requests"] = [];
  private readonly gone = new AbortController();
  private wake = () => {};
  private readonly reading: Promise<void>;

  /** @param url - the address of the events. */
  constructor(private readonly url: string) {
    this.reading = this.listen().catch(() => undefined);
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

  private async read(): Promise<void> {
    const at = this.url.replace(/events$/, "");
    const [{ requests: _, ...state }, { databases }, { faults }, models, listed] = await Promise.all([
      readPage<PageState>(`${at}state`),
      readPage<PageDatabases>(`${at}databases`),
      readPage<PageFaults>(`${at}faults`),
      readPage<PageModels>(`${at}models`),
      readPage<PageRequests>(`${at}requests?own=1`),
    ]);
    const cloudDatabases = databases.filter((database) => database.kind === "cloud");
    this.states.push({ ...state, ...models, cloudDatabases, faults });
    this.requests = listed.requests;
    this.wake();
  }

  private async listen(): Promise<void> {
    const { body } = await fetch(this.url, { signal: this.gone.signal });
    if (body === null) throw new Error("no body");
    let rest = "";
    let reading: Promise<void> = Promise.resolve();
    for await (const chunk of body) {
      const blocks = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block)?.[1];
        if (name === undefined) continue;
        this.events.push(name);
        this.times.push(performance.now());
        reading = reading.then(() => this.read()).catch(() => {});
      }
    }
  }
}
