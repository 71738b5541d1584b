import { LRUCache } from "lru-cache";
import type { Database } from "../schema/database.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { TargetImage } from "../schema/target.ts";
import { type Backing, type FoundRecords, GLOBAL, type RecordsKey, type Version } from "./backing.ts";
import { decodeChange, encodeChange, imageIn } from "./codec.ts";
import { ImageBlobs } from "./image-blobs.ts";
import type { RateRule } from "./rate-history.ts";
import { type ReadableRecords, Records } from "./records.ts";
import { type Conflict, type DatabaseKey, type HeldImage, RecordStore } from "./store.ts";
import type { Verb } from "./verbs.ts";

const MAX_REPLICAS = 200;
const MAX_IMAGE_BYTES = 256 * 2 ** 20;

/** A database's records as this process last read them. */
class Replica extends Records implements Version {
  version = 0;

  constructor(readonly scope: string) {
    super();
  }
}

/** What this process knows of state that is kept elsewhere. */
class Replicas {
  private lastTick = 0;
  private arrivals: Promise<unknown> = Promise.resolve();
  private readonly replicas = new Map<string, Replica>();
  private readonly scopes = new Map<string, string>();
  private readonly images = new LRUCache<string, Buffer>({
    maxSize: MAX_IMAGE_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  /** Equal images are one object as long as a target has it: others keep things about it. */
  private readonly named = new Map<string, WeakRef<TargetImage>>();
  private readonly collected = new FinalizationRegistry<string>((sha256) => {
    if (this.named.get(sha256)?.deref() === undefined) this.named.delete(sha256);
  });
  private readonly loading = new Map<string, Promise<Buffer>>();
  /** Images of changes that are not kept yet. */
  private readonly held = new ImageBlobs();
  /** Changes of one database that this process makes wait for each other, so that they need not run again. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(readonly backing: Backing) {}

  /** A number above all that were drawn here before, and above those of all targets that were read. */
  nextTick(): number {
    this.lastTick += 1;
    return this.lastTick;
  }

  /** Resolves when this is settled, and everything that it was called with before. */
  inOrder(reading: Promise<unknown> | undefined): Promise<void> {
    const turn = Promise.allSettled([this.arrivals, reading]).then(() => {});
    this.arrivals = turn;
    return turn;
  }

  /** The records as they are now. What did not change since the last time is not sent again. */
  async read(key: RecordsKey): Promise<Replica | undefined> {
    const place = key.join(" ");
    const scope = key[0] === "scope" ? key[1] : this.scopes.get(place);
    const known = scope === undefined ? undefined : this.replicas.get(scope);
    const found = await this.backing.read(key, known && { scope: known.scope, version: known.version });
    if (found === "unchanged" && known !== undefined) return this.used(known);
    if (found === undefined || found === "unchanged") {
      this.scopes.delete(place);
      if (scope !== undefined) this.replicas.delete(scope);
      return undefined;
    }
    if (key[0] !== "scope") this.scopes.set(place, found.scope);
    return this.refreshed(found);
  }

  /** Runs a verb on what is known, and again on what is there, until its changes are kept. */
  async decide<T>(replica: Replica | undefined, verb: Verb<T>): Promise<T> {
    if (replica === undefined) return verb(undefined).result;
    const { scope } = replica;
    const turn = (this.turns.get(scope) ?? Promise.resolve()).then(() => this.commit(replica, verb));
    const settled = turn
      .catch(() => {})
      .then(() => {
        if (this.turns.get(scope) === settled) this.turns.delete(scope);
      });
    this.turns.set(scope, settled);
    return turn;
  }

  async hold(bytes: Buffer): Promise<HeldImage> {
    const held = this.held.add(bytes);
    const { sha256 } = held;
    const release = () => {
      this.images.set(sha256, held.bytes());
      this.held.release(sha256);
    };
    try {
      const { outcome, rating } = await this.backing.putImage(held.bytes());
      return { outcome, rating, image: this.imageOf(sha256), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async commit<T>(before: Replica, verb: Verb<T>): Promise<T> {
    for (let replica: Replica | undefined = before; ; ) {
      const { result, changes = [] } = verb(replica);
      if (replica === undefined || changes.length === 0) return result;
      const { scope, version }: Version = replica;
      const stored = changes.map(encodeChange);
      const committed = await this.backing.commit({ scope, version }, stored);
      if (typeof committed === "number") {
        this.apply(replica, { scope, version: committed, since: version, changes: stored });
        return result;
      }
      if (committed === "missingImage") await this.putAgain(stored.flatMap(imageIn));
      if (committed === "stale") replica = await this.read(["scope", scope]);
      if (committed === "gone") replica = undefined;
    }
  }

  /** An image that is loaded when its bytes are asked for, and then kept. */
  private imageOf(sha256: string): TargetImage {
    const known = this.named.get(sha256)?.deref();
    if (known !== undefined) return known;
    const bytes = () => this.held.find(sha256)?.bytes() ?? this.images.get(sha256) ?? this.load(sha256);
    const image: TargetImage = { sha256, bytes };
    this.named.set(sha256, new WeakRef(image));
    this.collected.register(image, sha256);
    return image;
  }

  private load(sha256: string): Promise<Buffer> {
    const running = this.loading.get(sha256);
    if (running !== undefined) return running;
    const load = this.backing
      .getImage(sha256)
      .then((bytes) => {
        this.images.set(sha256, bytes);
        return bytes;
      })
      .finally(() => this.loading.delete(sha256));
    this.loading.set(sha256, load);
    return load;
  }

  private async putAgain(hashes: readonly string[]): Promise<void> {
    for (const sha256 of hashes) {
      const held = this.held.find(sha256);
      if (held !== undefined) await this.backing.putImage(held.bytes());
    }
  }

  private async refreshed(found: FoundRecords): Promise<Replica | undefined> {
    const { scope, since } = found;
    const known = this.replicas.get(scope);
    if (since === undefined) {
      if (known !== undefined && known.version >= found.version) return this.used(known);
      const replica = new Replica(scope);
      this.apply(replica, found);
      return this.used(replica);
    }
    // Dropped while the answer was on its way.
    if (known === undefined) return this.read(["scope", scope]);
    this.apply(known, found);
    return this.used(known);
  }

  /** Answers overtake each other: what is known already stays, and what is relative to a later state is asked for again. */
  private apply(replica: Replica, { version, since = 0, changes }: FoundRecords): void {
    if (since > replica.version || version <= replica.version) return;
    for (const change of changes) {
      replica.apply(decodeChange(change, (sha256) => this.imageOf(sha256)));
      if (change.kind === "target") this.lastTick = Math.max(this.lastTick, change.record?.tick ?? 0);
    }
    replica.version = version;
  }

  private used(replica: Replica): Replica {
    this.replicas.delete(replica.scope);
    this.replicas.set(replica.scope, replica);
    for (const oldest of this.replicas.keys()) {
      if (this.replicas.size <= MAX_REPLICAS) break;
      this.replicas.delete(oldest);
    }
    if (this.scopes.size > 4 * MAX_REPLICAS) this.scopes.clear();
    return replica;
  }
}

/** State that a {@link Backing} keeps outside of this process, for any number of processes. */
export class SharedStore extends RecordStore<"later"> {
  /** Present while one request is answered: what it read, which is not asked for again. */
  private readonly found: Map<string, Promise<Replica | undefined>> | undefined;
  private drawn: number | undefined;

  constructor(
    private readonly backing: Backing,
    private readonly replicas: Replicas = new Replicas(backing),
    options: { readonly forOneRequest?: boolean } = {},
  ) {
    super();
    this.found = options.forOneRequest === true ? new Map() : undefined;
  }

  override forRequest(): SharedStore {
    return this.found === undefined
      ? new SharedStore(this.backing, this.replicas, { forOneRequest: true })
      : this;
  }

  /**
   * The store as a request sees it that arrives now and names its database by this key, if any. The database is read
   * already, or reading it failed; what waits for each other here goes on in the order of arrival, because a request's
   * tick has to be above that of the requests before and of all targets that there are.
   */
  async arrival(key: DatabaseKey | undefined): Promise<SharedStore> {
    const request = this.forRequest();
    const reading = key === undefined ? undefined : request.find(key);
    await this.replicas.inOrder(reading);
    request.drawn = this.replicas.nextTick();
    return request;
  }

  protected override get tick(): number {
    this.drawn ??= this.replicas.nextTick();
    return this.drawn;
  }

  override createDatabase(database: Database): Promise<Conflict | undefined> {
    this.found?.clear();
    return this.backing.create(database);
  }

  override async takeRateToken(
    name: string,
    rules: readonly RateRule[],
    now: number,
  ): Promise<RateRule | undefined> {
    const replica = await this.find(["databaseName", name]);
    return replica && this.backing.takeRateToken(replica.scope, rules, now);
  }

  override reset(): Promise<void> {
    return this.backing.reset();
  }

  override snapshot(): Promise<Snapshot> {
    return this.backing.snapshot();
  }

  override restore(snapshot: unknown): Promise<string | undefined> {
    return this.backing.restore(snapshot);
  }

  protected override async read<T>(
    key: DatabaseKey,
    ask: (records: ReadableRecords | undefined) => T,
  ): Promise<T> {
    return ask(await this.find(key));
  }

  protected override async readGlobal<T>(ask: (records: ReadableRecords) => T): Promise<T> {
    return ask((await this.find(GLOBAL)) ?? new Records());
  }

  protected override async readAll<T>(ask: (databases: readonly ReadableRecords[]) => T): Promise<T> {
    return ask(await this.findAll());
  }

  protected override async change<T>(key: DatabaseKey, verb: Verb<T>): Promise<T> {
    return this.replicas.decide(await this.find(key), verb);
  }

  protected override changeLater<T>(key: DatabaseKey, verb: Verb<T>): Promise<T> {
    return this.change(key, verb);
  }

  protected override async changeGlobal<T>(verb: Verb<T>): Promise<T> {
    return this.replicas.decide(await this.find(GLOBAL), verb);
  }

  protected override async changeAll(verb: Verb<void>): Promise<void> {
    const global = await this.find(GLOBAL);
    const all = [...(await this.findAll()), global];
    await Promise.all(all.map((replica) => this.replicas.decide(replica, verb)));
  }

  protected override process(image: Buffer): Promise<HeldImage> {
    return this.replicas.hold(image);
  }

  private async findAll(): Promise<readonly Replica[]> {
    const scopes = await this.backing.list();
    const all = await Promise.all(scopes.map((scope) => this.find(["scope", scope])));
    return all.filter((replica) => replica !== undefined);
  }

  private find(key: RecordsKey): Promise<Replica | undefined> {
    const { found } = this;
    if (found === undefined) return this.replicas.read(key);
    const place = key.join(" ");
    const known = found.get(place);
    if (known !== undefined) return known;
    const reading = this.replicas.read(key).then((replica) => {
      const database = replica?.database;
      // Found by a key, a database is known by its name too.
      if (database !== undefined) found.set(`databaseName ${database.databaseName}`, reading);
      if (database?.kind === "cloud") found.set(`databaseId ${database.databaseId}`, reading);
      return replica;
    });
    found.set(place, reading);
    return reading;
  }
}
