import { LRUCache } from "lru-cache";
import { show } from "../core/general/text.ts";
import type { NewImage, SummaryKind, TargetImage } from "../core/schema/target.ts";
import { ImageBlobs } from "../core/store/image-blobs.ts";
import { type ReadableRecords, Records } from "../core/store/records.ts";
import { type Decision, type RetainedImage, StateUnavailableError } from "../core/store/store.ts";
import { decodeWrite, encodeWrite, imageIn, type StoredWrite } from "./codec.ts";
import {
  DELETED,
  type FoundRecords,
  type RedisBacking,
  type ReplicaKey,
  revisionOf,
  type Version,
} from "./redis-backing.ts";

type Decide<Result> = (records: ReadableRecords | undefined) => Decision<Result>;

const MAX_REPLICAS = 200;
const MAX_IMAGE_BYTES = 256 * 2 ** 20;

/** A database's records as this process last read them. */
export class Replica extends Records implements Version {
  version = 0;

  constructor(readonly scope: string) {
    super();
  }

  get revision(): string {
    return revisionOf(this);
  }
}

/** Loads what is requested in the same turn with one command. */
class BatchLoader<T> {
  private wanted: string[] = [];
  private loading: Promise<readonly (T | undefined)[]> = Promise.resolve([]);

  constructor(private readonly loadAll: (names: readonly string[]) => Promise<readonly (T | undefined)[]>) {}

  async load(name: string): Promise<T | undefined> {
    const isFirst = this.wanted.length === 0;
    const index = this.wanted.push(name) - 1;
    if (isFirst) {
      this.loading = Promise.resolve().then(() => {
        const { wanted } = this;
        this.wanted = [];
        return this.loadAll(wanted);
      });
    }
    return (await this.loading)[index];
  }
}

/** This process's copies of the state in Redis. */
export class Replicas {
  private readonly replicas = new LRUCache<string, Replica>({ max: MAX_REPLICAS });
  /** Of databases that were read by another key. */
  private readonly scopes = new LRUCache<string, string>({ max: 4 * MAX_REPLICAS });
  private readonly images = new LRUCache<string, Buffer>({
    maxSize: MAX_IMAGE_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
    fetchMethod: (sha256) => this.backing.getImage(sha256),
    // A waiting request gets its image even if others have filled the cache.
    ignoreFetchAbort: true,
  });
  /** Equal images are one object while a target uses it: caches attach data to it. */
  private readonly named = new Map<string, WeakRef<TargetImage>>();
  private readonly collected = new FinalizationRegistry<string>((sha256) => {
    if (this.named.get(sha256)?.deref() !== undefined) return;
    this.named.delete(sha256);
    this.images.delete(sha256);
  });
  private readonly summaries = {
    sketch: new BatchLoader((sha256s) => this.backing.getSummaries("sketch", sha256s)),
    features: new BatchLoader((sha256s) => this.backing.getSummaries("features", sha256s)),
  };
  private readonly retained = new ImageBlobs();
  /** Queues changes of each database: otherwise they would have to run again. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly backing: RedisBacking) {}

  /** The copy of that version or later. */
  known({ scope, version }: Version): Replica | undefined {
    const replica = this.replicas.get(scope);
    return replica !== undefined && replica.version >= version ? replica : undefined;
  }

  /** Receives only changes since the last time. */
  async read(key: ReplicaKey): Promise<Replica | undefined> {
    const recordKey = key.join(" ");
    const scope = key[0] === "scope" ? key[1] : this.scopes.get(recordKey);
    const known = scope === undefined ? undefined : this.replicas.get(scope);
    const found = await this.backing.read(key, known && { scope: known.scope, version: known.version });
    // The usual answer: no record crosses the network.
    if (found === "unchanged" && known !== undefined) return known;
    if (found === undefined || found === "unchanged") {
      // Deleted. What this key led to is forgotten too: a database of the same name would have another scope.
      this.scopes.delete(recordKey);
      if (scope !== undefined) this.replicas.delete(scope);
      return undefined;
    }
    if (key[0] !== "scope") this.scopes.set(recordKey, found.scope);
    // Other requests may have read it while this one waited: an older answer must not replace theirs.
    const latest = this.replicas.get(found.scope);
    if (found.since === undefined && latest !== undefined && latest.version >= found.version) return latest;
    // Evicted while the response was on its way.
    if (found.since !== undefined && latest === undefined) return this.read(["scope", found.scope]);
    const replica = found.since === undefined || latest === undefined ? new Replica(found.scope) : latest;
    this.apply(replica, found);
    this.replicas.set(found.scope, replica);
    return replica;
  }

  /** Decides on known records, then on current ones until what it writes is committed. */
  async decide<Result>(replica: Replica | undefined, decide: Decide<Result>): Promise<Result> {
    if (replica === undefined) return decide(undefined).result;
    const { scope } = replica;
    // One after the other within this process: side by side, all but one would find that the records have changed.
    const queued = (this.queues.get(scope) ?? Promise.resolve()).then(() => this.commit(replica, decide));
    // The next change waits for the end of this one, whether it failed or not.
    const settled = queued
      .catch(() => {})
      .then(() => {
        if (this.queues.get(scope) === settled) this.queues.delete(scope);
      });
    this.queues.set(scope, settled);
    return queued;
  }

  async retain(image: NewImage): Promise<RetainedImage> {
    const retained = this.retained.add(image.bytes, image.sha256);
    const { sha256 } = retained;
    const release = () => {
      this.images.set(sha256, retained.bytes());
      this.retained.release(sha256);
    };
    try {
      const { outcome, rating } = await this.backing.putImage({ ...image, bytes: retained.bytes() });
      return { outcome, rating, image: this.imageOf(sha256), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async commit<Result>(before: Replica, decide: Decide<Result>): Promise<Result> {
    const storedAgain = new Set<string>();
    for (let replica: Replica | undefined = before; ; ) {
      const { result, writes = [] } = decide(replica);
      if (replica === undefined || writes.length === 0) return result;
      const { scope, version }: Version = replica;
      const stored = writes.map(encodeWrite);
      const committed = await this.backing.commit({ scope, version }, stored);
      if (typeof committed === "number") {
        // Its own changes need not be read again.
        if (committed === DELETED) this.replicas.delete(scope);
        else this.apply(replica, { scope, version: committed, since: version, changes: stored });
        return result;
      }
      // Another process was first: decide again, on what it wrote.
      if (committed === "stale") replica = await this.read(["scope", scope]);
      else if (committed === "gone") replica = undefined;
      else {
        const { missingImage } = committed;
        // An image expires if no target uses it. It is sent once more; if it is missing even then, Redis does not keep what it gets.
        const bytes = this.kept(missingImage);
        if (bytes === undefined || storedAgain.has(missingImage)) throw lostImage(stored, missingImage);
        storedAgain.add(missingImage);
        await this.backing.putImage({ bytes, sha256: missingImage });
      }
    }
  }

  /** An image that this process has sent or read. */
  private kept(sha256: string): Buffer | undefined {
    return this.retained.find(sha256)?.bytes() ?? this.images.get(sha256);
  }

  private imageOf(sha256: string): TargetImage {
    const known = this.named.get(sha256)?.deref();
    if (known !== undefined) return known;
    const bytes = () => this.kept(sha256) ?? this.images.forceFetch(sha256);
    const summary = (kind: SummaryKind) => this.summaries[kind].load(sha256);
    const image: TargetImage = { sha256, bytes, summary };
    this.named.set(sha256, new WeakRef(image));
    this.collected.register(image, sha256);
    return image;
  }

  /** Ignores older responses, which may arrive later, and changes relative to a later version. */
  private apply(replica: Replica, { version, since = 0, changes }: FoundRecords): void {
    if (since > replica.version || version <= replica.version) return;
    for (const change of changes) {
      const before = change.kind === "target" ? replica.targets.get(change.key)?.image : undefined;
      replica.apply(decodeWrite(change, (sha256) => this.imageOf(sha256)));
      // At once: a collection may come only after hundreds of them.
      if (before !== undefined && replica.targets.get(change.key)?.image !== before)
        this.images.delete(before.sha256);
    }
    replica.version = version;
  }
}

function lostImage(changes: readonly StoredWrite[], sha256: string): StateUnavailableError {
  const lost = changes.find((change) => imageIn(change).includes(sha256));
  const target = lost?.kind === "target" ? `${show(lost.record?.name)} (${lost.key})` : "";
  return new StateUnavailableError(
    `the image of the target ${target} is missing in Redis, where it was deleted or evicted; send the image again, or delete the target`,
  );
}
