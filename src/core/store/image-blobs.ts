import { hash } from "node:crypto";
import type { TargetImage } from "../schema/target.ts";

export interface LoadedImage extends TargetImage {
  bytes(): Buffer;
}

/** Reference-counted images by content. Equal images are one object, so that others can attach data to it. */
export class ImageBlobs {
  private readonly used = new Map<string, { readonly image: LoadedImage; uses: number }>();

  /** @param bytes must not be written to afterwards */
  add(bytes: Buffer, sha256 = hash("sha256", bytes)): LoadedImage {
    const image = this.find(sha256) ?? loadedImage(sha256, inOwnMemory(bytes));
    this.use(image);
    return image;
  }

  /** Increments the reference count of an immutable image. */
  use(image: LoadedImage): void {
    const kept = this.used.get(image.sha256);
    if (kept !== undefined) kept.uses += 1;
    else this.used.set(image.sha256, { image, uses: 1 });
  }

  /** Decrements an image's reference count. */
  release(sha256: string): void {
    const kept = this.used.get(sha256);
    if (kept === undefined) return;
    kept.uses -= 1;
    if (kept.uses === 0) this.used.delete(sha256);
  }

  /** Finds an image that is in use. */
  find(sha256: string): LoadedImage | undefined {
    return this.used.get(sha256)?.image;
  }
}

/** Copies what shares memory: a small buffer of Node's shares 8 kB with others, all of which one image would keep. */
const inOwnMemory = (bytes: Buffer): Buffer => {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

export const loadedImage = (sha256: string, bytes: Buffer): LoadedImage => ({ sha256, bytes: () => bytes });
