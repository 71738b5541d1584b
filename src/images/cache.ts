import { LRUCache } from "lru-cache";
import type { MaybePromise } from "../emulator/message.ts";
import { type BackgroundJob, runInBackground, type Wanted } from "../emulator/scheduling.ts";
import { followImageCacheBytes } from "./cache-limit.ts";
import type { Features } from "./matching/features/extract.ts";
import { type PreparedImage, preparedBytes, type Sketch } from "./matching/similarity.ts";

/** Small facts that follow from an image's bytes. */
interface Facts {
  /** What is wrong with the image's data; null when nothing is. */
  damage: string | null;
  /** Whether it has only one colour, or nearly so, or cannot be decoded. */
  isFlat: boolean;
}

/** Bounds a cache by its entries, for which `max` would reserve memory when this package is imported. */
const upTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

/** By SHA-256, so that tests that add the same image to several mocks compute them once. */
const facts = new LRUCache<string, { [Fact in keyof Facts]?: Promise<Facts[Fact]> }>(upTo(5000));

/** A fact about an image, computed once even for concurrent callers. Failures are not cached. */
export function remembered<Fact extends keyof Facts>(
  fact: Fact,
  sha256: string,
  make: () => Promise<Facts[Fact]>,
): Promise<Facts[Fact]> {
  const ofImage = facts.get(sha256) ?? {};
  facts.set(sha256, ofImage);
  const known = ofImage[fact];
  if (known) return known;
  const made = make();
  Object.assign(ofImage, { [fact]: made });
  made.catch(() => {
    if (ofImage[fact] === made) delete ofImage[fact];
  });
  return made;
}

/** Ratings by BRISQUE, by SHA-256: also those that are being made. */
export const ratingJobs = new LRUCache<string, BackgroundJob<number>>(upTo(5000));
/** Ratings by features. */
export const featureRatingJobs = new LRUCache<string, BackgroundJob<number>>(upTo(5000));

/** Sketches of recently added or compared images, by SHA-256: 22 MB at most. Targets keep their own. */
export const latestSketches = new LRUCache<string, Sketch>(upTo(1000));
/** Features of recently added or compared images: 16 MB at most. */
export const latestFeatures = new LRUCache<string, Features>(upTo(1000));

/** What is made of each image once: kept as long as the object that stands for the image, and of the latest images by hash. */
export class MadeOfImages<Image extends { readonly sha256: string }, Made extends object> {
  /** Null when the image cannot be decoded; a promise while it is made. */
  readonly #known = new WeakMap<Image, MaybePromise<Made | null>>();
  /** By SHA-256: what makes it of uploads whose pixels are still there. */
  readonly #expected = new Map<string, () => Promise<unknown>>();

  /** @param make - makes it, or returns null when the image cannot be decoded. */
  constructor(
    private readonly latest: LRUCache<string, Made>,
    private readonly make: (image: Image) => Promise<Made | null>,
  ) {}

  of(image: Image): MaybePromise<Made | null> {
    const known = this.#known.get(image);
    if (known !== undefined) return known;
    const latest = this.latest.get(image.sha256);
    if (latest) {
      this.#known.set(image, latest);
      return latest;
    }
    const made = this.#make(image);
    this.#known.set(image, made);
    made.then(
      (result) => this.#known.set(image, result),
      () => this.#known.delete(image),
    );
    return made;
  }

  /**
   * Makes it in the background. An image that was compared or uploaded recently already has it.
   * @param by - when that has stopped, it is only made when somebody needs it
   */
  prepare(image: Image, by?: Wanted): void {
    if (this.latest.has(image.sha256)) this.of(image);
    else if (!this.#known.has(image)) {
      // One whose target is deleted before its turn does not stay in memory until then.
      const held = new WeakRef(image);
      runInBackground(async () => {
        const image = held.deref();
        if (image !== undefined) await this.of(image);
      }, by);
    }
  }

  /**
   * Has it made of an upload, at the latest when somebody needs it: the latest images then have it, unless that failed.
   * @returns what makes it, and has to be called: until then, `make` is kept
   */
  expect(sha256: string, make: () => Promise<unknown>): () => Promise<void> {
    const made = async () => {
      await make().catch(() => {});
      if (this.#expected.get(sha256) === made) this.#expected.delete(sha256);
    };
    this.#expected.set(sha256, made);
    return made;
  }

  /** Makes it of an upload; undefined when there is none. */
  expected(sha256: string): Promise<unknown> | undefined {
    return this.#expected.get(sha256)?.();
  }

  async #make(image: Image): Promise<Made | null> {
    const expected = this.expected(image.sha256);
    await expected;
    const made = (expected && this.latest.get(image.sha256)) ?? (await this.make(image));
    if (made) this.latest.set(image.sha256, made);
    return made;
  }
}

interface Kept {
  readonly image: PreparedImage;
  readonly bytes: number;
  /** Number of the query that used it last. */
  query: number;
}

/**
 * Prepared images by SHA-256, limited in bytes. Never evicts what the current or the previous query used: queries that go
 * through more images than fit then find those that do fit, whereas a plain LRU cache would miss them all.
 */
export class PreparedImages {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Map<string, Promise<PreparedImage | null>>();
  #bytes = 0;
  #query = 0;

  constructor(private maxBytes: number) {}

  /** Counts a query. */
  beginQuery(): void {
    this.#query += 1;
  }

  /** Returns the cached image, or makes it, once even for concurrent callers. Null when it cannot be decoded. */
  async find(sha256: string, make: () => Promise<PreparedImage | null>): Promise<PreparedImage | null> {
    const kept = this.#kept.get(sha256);
    if (kept) {
      kept.query = this.#query;
      this.#kept.delete(sha256);
      this.#kept.set(sha256, kept);
      return kept.image;
    }
    const pending = this.#pending.get(sha256) ?? this.#make(sha256, make);
    return pending;
  }

  async #make(sha256: string, make: () => Promise<PreparedImage | null>): Promise<PreparedImage | null> {
    const made = make();
    this.#pending.set(sha256, made);
    try {
      const image = await made;
      if (image) this.#keep(sha256, image, true);
      return image;
    } finally {
      this.#pending.delete(sha256);
    }
  }

  /** Caches an image before it is needed, if there is room. */
  offer(sha256: string, image: PreparedImage): void {
    this.#keep(sha256, image, false);
  }

  #keep(sha256: string, image: PreparedImage, mayEvict: boolean): void {
    const bytes = preparedBytes(image);
    if (this.#kept.has(sha256) || bytes > this.maxBytes) return;
    for (const [oldest, { query }] of mayEvict ? this.#kept : []) {
      if (this.#bytes + bytes <= this.maxBytes || query >= this.#query - 1) break;
      this.#drop(oldest);
    }
    if (this.#bytes + bytes > this.maxBytes) return;
    this.#kept.set(sha256, { image, bytes, query: this.#query });
    this.#bytes += bytes;
  }

  #drop(sha256: string): void {
    this.#bytes -= this.#kept.get(sha256)?.bytes ?? 0;
    this.#kept.delete(sha256);
  }

  /** Sets the limit, in bytes, and drops what exceeds it. */
  set limit(maxBytes: number) {
    this.maxBytes = maxBytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.#drop(oldest);
    }
  }

  get use(): { readonly images: number; readonly bytes: number; readonly maxBytes: number } {
    return { images: this.#kept.size, bytes: this.#bytes, maxBytes: this.maxBytes };
  }
}

/** For all mocks of the process. */
export const preparedImages = new PreparedImages(0);

followImageCacheBytes((bytes) => {
  preparedImages.limit = bytes;
});
