import type { Journal, JournalEntry } from "../core/emulator/journal.ts";
import { isRefused, PAGE_HEADER } from "../core/schema/protocol.ts";

/** Whether the page itself sent a request. */
export const isOfPage = ({ api, request }: JournalEntry): boolean =>
  api === "manager" && PAGE_HEADER in request.headers;

/** Counts the kept requests. It reads each entry once. */
export class RequestCounts {
  /** By position; of clients, 1 if it was refused, or 0. */
  private readonly refusals = new Map<number, number>();
  private generation: number | undefined;
  private refused = 0;
  private counted = 0;

  constructor(private readonly journal: Journal) {}

  read(): { readonly clients: number; readonly refused: number } {
    const { refusals, journal } = this;
    const { generation, position, firstPosition } = journal;
    if (generation !== this.generation) {
      refusals.clear();
      [this.generation, this.refused, this.counted] = [generation, 0, 0];
    }
    for (const [at, refused] of refusals) {
      if (at >= firstPosition) break;
      refusals.delete(at);
      this.refused -= refused;
    }
    for (let at = Math.max(this.counted + 1, firstPosition); at <= position; at += 1) {
      const entry = journal.at(at);
      if (entry === undefined || isOfPage(entry)) continue;
      const refused = isRefused(entry) ? 1 : 0;
      refusals.set(at, refused);
      this.refused += refused;
    }
    this.counted = position;
    return { clients: refusals.size, refused: this.refused };
  }
}
