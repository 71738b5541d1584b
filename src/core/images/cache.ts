import { LRUCache } from "lru-cache";
import { inBackground } from "../general/scheduling.ts";
import type { ImageMeasures } from "../schema/target.ts";
import { followImageCacheBytes } from "./cache-limit.ts";
import { type PreparedImage, preparedBytes } from "./matching/similarity.ts";
import { recycle } from "./matching/spare-pixels.ts";

/** Of the images that targets use: what is made of one is dropped once all its objects are. */
class ImageObjects {
  readonly #known = new WeakSet<object>();
  readonly #counts = new Map<string, number>();
  readonly #dropping: ((sha256: string) => void)[] = [];
  readonly #registry = new FinalizationRegistry<string>((sha256) => {
    const left = (this.#counts.get(sha256) ?? 1) - 1;
    if (left > 0) this.#counts.set(sha256, left);
    else {
      this.#counts.delete(sha256);
      for (const drop of this.#dropping) drop(sha256);
    }
  });

  /** Registers an image's object; again has no effect. */
  add(image: { readonly sha256: string }): void {
    if (this.#known.has(image)) return;
    this.#known.add(image);
    this.#counts.set(image.sha256, (this.#counts.get(image.sha256) ?? 0) + 1);
    this.#registry.register(image, image.sha256);
  }

  /** Calls `drop` with each image of which no object is left. */
  onEnd(drop: (sha256: string) => void): void {
    this.#dropping.push(drop);
  }
}

/** For all mocks of the process. */
export const imageObjects = new ImageObjects();

/** Makes something of each image once: kept as long as the image's object, and for the latest images. Failures are not kept. */
export class ImageMemo<
  Image extends { readonly sha256: string; readonly summary?: unknown },
  Made extends object,
> {
  /** Null when the image cannot be decoded; a promise while it is made. */
  readonly #known = new WeakMap<Image, Made | null | Promise<Made | null>>();
  /** Each of size one, because `max` would reserve memory at import. */
  readonly #latest = new LRUCache<string, Promise<Made | null>>({
    maxSize: 1000,
    sizeCalculation: () => 1,
  });

  /** @param make - returns null if the image cannot be decoded. */
  constructor(private readonly make: (image: Image) => Promise<Made | null>) {
    imageObjects.onEnd((sha256) => this.#latest.delete(sha256));
  }

  of(image: Image): Made | null | Promise<Made | null> {
    const known = this.#known.get(image);
    if (known !== undefined) return known;
    if (image.summary) imageObjects.add(image);
    // A summary asks another process, which may be this one: it must not wait for itself.
    const made = image.summary ? this.make(image) : this.begin(image.sha256, () => this.make(image));
    this.#known.set(image, made);
    made.then(
      (result) => this.#known.set(image, result),
      () => this.#known.delete(image),
    );
    return made;
  }

  begin(sha256: string, make: () => Promise<Made | null>): Promise<Made | null> {
    const known = this.latest(sha256);
    if (known) return known;
    const made = make();
    this.#latest.set(sha256, made);
    made.catch(() => {
      if (this.#latest.peek(sha256) === made) this.#latest.delete(sha256);
    });
    return made;
  }

  /** Makes it early, unless the image is freed or unwanted by then. */
  prepare(image: Image, isWanted: () => boolean): void {
    if (this.#known.has(image)) return;
    imageObjects.add(image);
    if (this.#latest.has(image.sha256)) this.of(image);
    else {
      const held = new WeakRef(image);
      inBackground(async () => {
        const image = held.deref();
        if (image !== undefined && isWanted()) await this.of(image);
      });
    }
  }

  /** Keeps what was made of an image lately as long as the image. */
  keepLatest(image: Image): void {
    if (this.#latest.has(image.sha256)) this.of(image);
  }

  latest(sha256: string): Promise<Made | null> | undefined {
    return this.#latest.get(sha256);
  }

  clear(): void {
    this.#latest.clear();
  }
}

/** What the latest images measured, by SHA-256. */
export const measured = new LRUCache<
  string,
  { readonly made: Promise<ImageMeasures>; readonly brisque: boolean }
>({ maxSize: 5000, sizeCalculation: () => 1 });

interface CachedImage {
  readonly image: PreparedImage;
  readonly bytes: number;
  /** Number of the query that used it last. */
  query: number;
}

/** Images of queries that are kept. Each request may bring a new one, and the memory of dropped ones is used again. */
const MOST_OF_QUERIES = 64;
/** Images that no query needs would take as much time for their memory as for all else that an addition takes. */
const MOST_EARLY = 64;

/**
 * Prepared images by SHA-256, limited in bytes. Never evicts images of the current or previous query: queries over more images
 * than fit then find some, but a plain LRU cache would miss all.
 */
export class PreparedImages {
  /** The least recently used first. */
  readonly #kept = new Map<string, CachedImage>();
  readonly #pending = new Map<string, Promise<PreparedImage | null>>();
  /** Those that only queries have had. The least recently used first. */
  readonly #ofQueries = new Set<string>();
  /** Those that were made early, and that no query has needed yet. */
  readonly #early = new Set<string>();
  #bytes = 0;
  #query = 0;

  constructor(private maxBytes: number) {}

  beginQuery(): void {
    this.#query += 1;
  }

  /** Makes a missing image once, even for concurrent callers. Null if it cannot be decoded. */
  async find(
    sha256: string,
    make: () => Promise<PreparedImage | null>,
    of: "target" | "query" = "target",
  ): Promise<PreparedImage | null> {
    const kept = this.#kept.get(sha256);
    this.#early.delete(sha256);
    // Targets keep theirs.
    if (kept && this.#ofQueries.delete(sha256) && of === "query") this.#ofQueries.add(sha256);
    if (kept) {
      kept.query = this.#query;
      this.#kept.delete(sha256);
      this.#kept.set(sha256, kept);
      return kept.image;
    }
    const pending = this.#pending.get(sha256);
    if (pending === undefined) return this.#make(sha256, make, of);
    const image = await pending;
    if (of === "target") this.#ofQueries.delete(sha256);
    return image;
  }

  async #make(
    sha256: string,
    make: () => Promise<PreparedImage | null>,
    of: "target" | "query",
  ): Promise<PreparedImage | null> {
    const made = make();
    this.#pending.set(sha256, made);
    try {
      const image = await made;
      if (image) this.#keep(sha256, image, true);
      if (image && of === "query") this.#keepOfQuery(sha256);
      return image;
    } finally {
      this.#pending.delete(sha256);
    }
  }

  #keepOfQuery(sha256: string): void {
    if (this.#kept.has(sha256)) this.#ofQueries.add(sha256);
    if (this.#ofQueries.size <= MOST_OF_QUERIES) return;
    const [oldest = ""] = this.#ofQueries;
    const dropped = this.#kept.get(oldest)?.image;
    this.drop(oldest);
    if (dropped !== undefined) recycle(dropped);
  }

  /** Whether another image is to be prepared before it is needed. */
  get wantsMore(): boolean {
    return this.#early.size < MOST_EARLY;
  }

  /** Caches an image before it is needed, if there is room. */
  offer(sha256: string, image: PreparedImage): void {
    this.#ofQueries.delete(sha256);
    this.#keep(sha256, image, false);
    if (this.#kept.has(sha256)) this.#early.add(sha256);
  }

  #keep(sha256: string, image: PreparedImage, mayEvict: boolean): void {
    const bytes = preparedBytes(image);
    if (this.#kept.has(sha256) || bytes > this.maxBytes) return;
    for (const [oldest, { query }] of mayEvict ? this.#kept : []) {
      if (this.#bytes + bytes <= this.maxBytes || query >= this.#query - 1) break;
      this.drop(oldest);
    }
    if (this.#bytes + bytes > this.maxBytes) return;
    this.#kept.set(sha256, { image, bytes, query: this.#query });
    this.#bytes += bytes;
  }

  drop(sha256: string): void {
    this.#ofQueries.delete(sha256);
    this.#early.delete(sha256);
    this.#bytes -= this.#kept.get(sha256)?.bytes ?? 0;
    this.#kept.delete(sha256);
  }

  /** Sets the limit, in bytes, and drops what exceeds it. */
  set limit(maxBytes: number) {
    this.maxBytes = maxBytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.drop(oldest);
    }
  }

  get use(): { readonly images: number; readonly bytes: number; readonly maxBytes: number } {
    return { images: this.#kept.size, bytes: this.#bytes, maxBytes: this.maxBytes };
  }
}

/** For all mocks of the process. */
export const preparedImages = new PreparedImages(0);

imageObjects.onEnd((sha256) => preparedImages.drop(sha256));

followImageCacheBytes((bytes) => {
  preparedImages.limit = bytes;
});
