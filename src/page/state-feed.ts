import type { MovableClock } from "../emulator/clock.ts";
import { yieldToEventLoop } from "../emulator/scheduling.ts";
import type { PageLists, PageState } from "./model.ts";
import type { PageContext, PageStateReader, StateItems } from "./state.ts";

/** How many bytes of changes are kept for pages that receive them slowly; those further behind receive the whole state. */
const MAX_KEPT_BYTES = 2 ** 20;
/** How many characters of the state are encoded in one turn of the event loop. */
const PIECE_CHARACTERS = 2 ** 16;

/** What a page has of the state. */
export interface Seen {
  readonly version: number;
  readonly clock: string;
}

/** The state as pages receive it: the whole of it first, then what changed. Serialised once for all pages. */
export class StateFeed {
  private items: StateItems | undefined;
  private version = 0;
  /** Changes events, oldest first, each leading to its version. */
  private changes: { readonly version: number; readonly bytes: Buffer }[] = [];
  /** Everything after the state's head, of one version. */
  private whole: { readonly version: number; readonly pieces: Promise<readonly Buffer[]> } | undefined;

  constructor(
    private readonly reader: PageStateReader,
    private readonly clock: MovableClock,
    private readonly context: Pick<PageContext, "urls" | "pause">,
  ) {}

  /** Reads what changed. Must not run more than once at a time. */
  async refresh(): Promise<void> {
    const after = await this.reader.read();
    const before = this.items;
    const changes = before && changesJson(before, after);
    if (changes === "{}") return;
    this.items = after;
    this.version += 1;
    if (changes === undefined) return;
    this.changes.push({ version: this.version, bytes: event("changes", changes) });
    let bytes = 0;
    const first = this.changes.findLastIndex((each) => {
      bytes += each.bytes.length;
      return bytes > MAX_KEPT_BYTES;
    });
    this.changes = this.changes.slice(first + 1);
  }

  /** Whether a page misses nothing. */
  isCurrent(seen: Seen | undefined): boolean {
    return seen?.version === this.version && seen.clock === this.clockSetting;
  }

  /** What a page misses, as events in pieces, and what it has then. */
  async *since(seen: Seen | undefined): AsyncGenerator<Buffer, Seen> {
    const { version, items, clockSetting: clock } = this;
    const missing = this.changes.filter((change) => change.version > (seen?.version ?? 0));
    if (items !== undefined && (seen === undefined || missing.length !== version - seen.version)) {
      if (this.whole?.version !== version) this.whole = { version, pieces: serialisedLists(items) };
      const { pieces } = this.whole;
      yield Buffer.from(`event: state\ndata: ${JSON.stringify(this.head()).slice(0, -1)}`);
      yield* await pieces;
      yield Buffer.from("}\n\n");
    } else {
      for (const { bytes } of missing) yield bytes;
      if (seen?.clock !== clock) yield event("clock", JSON.stringify(this.head().clock));
    }
    return { version, clock };
  }

  /** What is not in lists. */
  private head(): Omit<PageState, keyof PageLists> {
    const { clock, context } = this;
    return {
      urls: context.urls(),
      clock: { now: clock.now().getTime(), frozen: clock.isFrozen, lead: clock.lead },
      paused: context.pause !== undefined,
    };
  }

  /** Does not change when only time passes. */
  private get clockSetting(): string {
    return JSON.stringify(this.clock.setting);
  }
}

async function serialisedLists(items: StateItems): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const [list, values] of items) {
    text += `,${JSON.stringify(list)}:[`;
    let separator = "";
    for (const json of values.values()) {
      text += separator + json;
      separator = ",";
      if (text.length < PIECE_CHARACTERS) continue;
      pieces.push(Buffer.from(text));
      text = "";
      await yieldToEventLoop();
    }
    text += "]";
  }
  return [...pieces, Buffer.from(text)];
}

/** As `PageChanges`. */
function changesJson(before: StateItems, after: StateItems): string {
  const lists = [...after].flatMap(([list, values]) => {
    const changes = listChanges(before.get(list) ?? new Map(), values);
    return changes === undefined ? [] : [`${JSON.stringify(list)}:${changes}`];
  });
  return `{${lists.join(",")}}`;
}

function listChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string | undefined {
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const changed = [...after].filter(([key, json]) => before.get(key) !== json);
  if (removed.length === 0 && changed.length === 0) return undefined;
  const json = (keys: readonly string[], items: typeof changed) =>
    `{"removed":${JSON.stringify(keys)},"changed":[${items.map(([, item]) => item).join(",")}]}`;
  const order = [...new Set([...before.keys(), ...after.keys()])].filter((key) => after.has(key));
  const isInPlace = [...after.keys()].every((key, index) => key === order[index]);
  return isInPlace ? json(removed, changed) : json([...before.keys()], [...after]);
}

/** Ends a block of an event stream. */
export const line = (content: string): Buffer => Buffer.from(`${content}\n\n`);

/** Serialised JSON has no line breaks, so it fits on one `data` line. */
export const event = (name: string, json: string, id?: string): Buffer =>
  line([...(id === undefined ? [] : [`id: ${id}`]), `event: ${name}`, `data: ${json}`].join("\n"));
