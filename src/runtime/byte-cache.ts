/** Bytes by key, bounded: when they exceed the limit together, those that were used longest ago go. */
export class ByteCache {
  private readonly kept = new Map<string, Buffer>();
  private total = 0;

  /** @param maxBytes - limit of all values together; a larger value is not kept at all. */
  constructor(private readonly maxBytes: number) {}

  get(key: string): Buffer | undefined {
    const bytes = this.kept.get(key);
    if (bytes === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, bytes);
    return bytes;
  }

  set(key: string, bytes: Buffer): void {
    this.delete(key);
    this.kept.set(key, bytes);
    this.total += bytes.length;
    for (const oldest of this.kept.keys()) {
      if (this.total <= this.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.total -= this.kept.get(key)?.length ?? 0;
    this.kept.delete(key);
  }

  /** Bytes that are kept now. */
  get size(): number {
    return this.total;
  }
}
