import { turnOfRequest } from "../general/scheduling.ts";

/** How many times as many requests may wait for their turn as are answered at a time. */
const WAITING = 2;

/** Limits how many requests of each kind are answered at a time. */
export class Slots {
  private readonly kinds = new Map<string, { waiting: number; answering: number }>();

  constructor(private readonly limit: number) {}

  /** Answers a request in its turn, or refuses it if there is no slot. */
  async take<T>(kind: string, answer: () => Promise<T>, refuse: () => Promise<T>): Promise<T> {
    const taken = this.kinds.get(kind) ?? { waiting: 0, answering: 0 };
    this.kinds.set(kind, taken);
    if (taken.waiting >= WAITING * this.limit) return refuse();
    // Those that wait take no slot: clients that send at once again would leave none for others.
    taken.waiting += 1;
    await turnOfRequest();
    taken.waiting -= 1;
    if (taken.answering >= this.limit) return refuse();
    taken.answering += 1;
    try {
      return await answer();
    } finally {
      taken.answering -= 1;
    }
  }
}
