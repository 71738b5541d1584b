import { sha256Hex } from "../general/sha256.ts";
import type { TargetImage } from "../schema/target.ts";

const MAX_SPARE_BYTES = 64 * 2 ** 20;
/** Added to the size of each, so that there are at most 4096, however small they are. */
const ENTRY_BYTES = 16 * 1024;

export interface KeptImage extends TargetImage {
  bytes(): Buffer;
}

/**
 * Reference-counted images by content. Equal images are one object, however many targets use them, so that others can attach
 * data to it. An unused image stays for a while, so that a request that began earlier can still read it.
 */
export class ImageBlobs {
  private readonly used = new Map<string, { readonly image: KeptImage; uses: number }>();
  /** In order of release. */
  private readonly spare = new Map<string, KeptImage>();
  private spareBytes = 0;

  /** Keeps a copy, so that later writes to the buffer have no effect. */
  add(bytes: Buffer, sha256 = sha256Hex(bytes)): KeptImage {
    const image = this.find(sha256) ?? keptImage(sha256, ownCopy(bytes));
    this.use(image);
    return image;
  }

  /** Increments the reference count of an immutable image. */
  use(image: KeptImage): void {
    const kept = this.used.get(image.sha256);
    if (kept !== undefined) kept.uses += 1;
    else {
      this.dropSpare(image.sha256);
      this.used.set(image.sha256, { image, uses: 1 });
    }
  }

  /** Decrements an image's reference count. */
  release(sha256: string): void {
    const kept = this.used.get(sha256);
    if (kept === undefined) return;
    kept.uses -= 1;
    if (kept.uses > 0) return;
    this.used.delete(sha256);
    // As another object, because what is attached to the image (a sketch of 22 kB) is no longer needed.
    const image = keptImage(sha256, kept.image.bytes());
    this.spare.set(sha256, image);
    this.spareBytes += spareBytesOf(image);
    for (const oldest of this.spare.keys()) {
      if (this.spareBytes <= MAX_SPARE_BYTES) break;
      this.dropSpare(oldest);
    }
  }

  private dropSpare(sha256: string): void {
    const image = this.spare.get(sha256);
    if (image === undefined) return;
    this.spare.delete(sha256);
    this.spareBytes -= spareBytesOf(image);
  }

  /** Finds an image that is in use, or was a short while ago. */
  find(sha256: string): KeptImage | undefined {
    return this.used.get(sha256)?.image ?? this.spare.get(sha256);
  }
}

const spareBytesOf = (image: KeptImage): number => image.bytes().length + ENTRY_BYTES;

/** In memory of its own: a small buffer of Node's shares 8 kB with others, all of which one image would keep. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

export const keptImage = (sha256: string, bytes: Buffer): KeptImage => ({ sha256, bytes: () => bytes });
