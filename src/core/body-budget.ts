import type { RecordedBody } from "./recorded-body.ts";

/** How many bytes of bodies a journal keeps when nobody says otherwise. */
export const DEFAULT_BODY_BYTES = 16 * 1024 * 1024;

/** Bounds the bytes of recorded bodies: the newest stay, the oldest are dropped and say so. */
export class BodyBudget {
  private kept: RecordedBody[] = [];
  /** Before this place in the list they are dropped; cut off in bulk. */
  private first = 0;
  private bytes = 0;

  /** @param limit - in bytes; 0: no body is kept. */
  constructor(private readonly limit: number) {}

  add(body: RecordedBody): void {
    if (body.size === 0 || body.dropped) return;
    this.kept.push(body);
    this.bytes += body.size;
    while (this.bytes > this.limit) this.dropOldest();
    if (this.first > 1000 && this.first * 2 > this.kept.length) {
      this.kept = this.kept.slice(this.first);
      this.first = 0;
    }
  }

  /** Counts no body any more; those that someone still holds stay whole. */
  clear(): void {
    this.kept = [];
    this.first = 0;
    this.bytes = 0;
  }

  private dropOldest(): void {
    const oldest = this.kept[this.first];
    this.first += 1;
    if (oldest === undefined) return;
    this.bytes -= oldest.size;
    oldest.drop(`the journal keeps the newest ${this.limit} bytes of bodies (option journalBodyBytes)`);
  }
}
