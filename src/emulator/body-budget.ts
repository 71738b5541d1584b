import type { RecordedBody } from "./recorded-body.ts";

/** How many bytes of bodies a journal keeps by default. */
export const DEFAULT_BODY_BYTES = 16 * 1024 * 1024;

/** Limits the memory that recorded bodies take: drops the oldest first. */
export class BodyBudget {
  private kept: RecordedBody[] = [];
  /** Index of the oldest body that is not dropped. Those before it are removed in bulk. */
  private first = 0;
  private bytes = 0;

  /** @param limit - in bytes; 0 keeps no bodies. */
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

  /** Stops counting all bodies without dropping them: callers may still hold some. */
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
