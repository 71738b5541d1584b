import { LRUCache } from "lru-cache";
import { drawThumbnail } from "../core/images/decode.ts";

const MAX_BYTES = 64 * 2 ** 20;

/** WebP thumbnails, made on first request and cached while there is room. */
export class Thumbnails {
  private readonly made = new LRUCache<string, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  private readonly making = new Map<string, Promise<Buffer | undefined>>();

  /** @returns undefined when there is no such image or it cannot be decoded. */
  async get(sha256: string, find: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const made = this.made.get(sha256);
    if (made !== undefined) return made;
    const making = this.making.get(sha256) ?? this.make(sha256, find);
    this.making.set(sha256, making);
    return making.finally(() => this.making.delete(sha256));
  }

  private async make(sha256: string, find: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const bytes = await find();
    const drawn = bytes && (await drawThumbnail(bytes));
    if (drawn === undefined || "damage" in drawn) return undefined;
    this.made.set(sha256, drawn);
    return drawn;
  }
}
