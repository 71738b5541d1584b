import { createHash } from "node:crypto";
import type { TargetImage } from "../domain/target.ts";
import { ByteCache } from "../runtime/byte-cache.ts";

const MAX_SPARE_BYTES = 64 * 2 ** 20;

/**
 * Images by content: equal ones are kept once, however many targets have them. One that no target has any more stays
 * for a while, so that a request that began before can still read it.
 */
export class ImageShelf {
  private readonly used = new Map<string, { readonly bytes: Buffer; uses: number }>();
  private readonly spare = new ByteCache(MAX_SPARE_BYTES);

  /** Keeps a copy, so that a caller who writes to the buffer afterwards changes nothing. */
  add(image: Buffer): TargetImage {
    const sha256 = createHash("sha256").update(image).digest("hex");
    const bytes = this.find(sha256) ?? Buffer.from(image);
    this.use(sha256, bytes);
    return { sha256, bytes: () => bytes };
  }

  /** One use more of an image that nobody writes to. */
  use(sha256: string, bytes: Buffer): void {
    const kept = this.used.get(sha256);
    if (kept !== undefined) kept.uses += 1;
    else {
      this.spare.delete(sha256);
      this.used.set(sha256, { bytes, uses: 1 });
    }
  }

  /** One use less. */
  release({ sha256 }: TargetImage): void {
    const kept = this.used.get(sha256);
    if (kept === undefined) return;
    kept.uses -= 1;
    if (kept.uses > 0) return;
    this.used.delete(sha256);
    this.spare.set(sha256, kept.bytes);
  }

  /** The bytes of these images, by content. */
  bytesOf(images: readonly TargetImage[]): ReadonlyMap<string, Buffer> {
    const found = new Map<string, Buffer>();
    for (const { sha256 } of images) {
      const bytes = this.find(sha256);
      if (bytes !== undefined) found.set(sha256, bytes);
    }
    return found;
  }

  find(sha256: string): Buffer | undefined {
    return this.used.get(sha256)?.bytes ?? this.spare.get(sha256);
  }
}
