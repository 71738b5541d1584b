import type { Database } from "../schema/database.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { TargetImage } from "../schema/target.ts";
import type { StoredImage } from "./codec.ts";
import { MemoryState, type Scope } from "./memory-state.ts";
import type { RateRule } from "./rate-history.ts";
import type { ReadableRecords } from "./records.ts";
import { readSnapshot, snapshotOf } from "./snapshot.ts";
import {
  type AssessImage,
  type DatabaseKey,
  type HeldImage,
  type ImageUpload,
  RecordStore,
} from "./store.ts";
import type { Conflict } from "./unique-fields.ts";
import type { Verb } from "./verbs.ts";

/** Keeps all state in memory. Every verb is synchronous, except for those that rate an image. */
export class MemoryStore extends RecordStore<"now"> {
  /** Databases that the request found, by field and value. */
  private readonly found: Map<string, Scope> | undefined;
  protected override readonly tick: number;

  /**
   * @param assess - decides the result of processing an image; called once for each stored image.
   * @param prepare - called with every image that a target starts to use.
   */
  constructor(
    private readonly assess: AssessImage,
    private readonly prepare?: (image: TargetImage) => void,
    readonly state: MemoryState = new MemoryState(prepare),
    options: { readonly forOneRequest?: boolean } = {},
  ) {
    super();
    this.found = options.forOneRequest === true ? new Map() : undefined;
    this.tick = state.nextTick();
  }

  override forRequest(): MemoryStore {
    return this.found === undefined
      ? new MemoryStore(this.assess, this.prepare, this.state, { forOneRequest: true })
      : this;
  }

  override createDatabase(database: Database): Conflict | undefined {
    return this.state.create(database);
  }

  override takeRateToken(name: string, rules: readonly RateRule[], now: number): RateRule | undefined {
    const scope = this.scope(["databaseName", name]);
    return scope && this.state.takeToken(scope, rules, now);
  }

  override reset(): void {
    this.state.replaceWith({ databases: [], datasets: [], credentials: [], images: new Map() });
  }

  override snapshot(): Snapshot {
    return snapshotOf(this.state.capture());
  }

  override restore(snapshot: unknown, images?: ReadonlyMap<string, Buffer>): string | undefined {
    const state = readSnapshot(snapshot, images, (sha256) => this.state.images.find(sha256));
    if (typeof state === "string") return state;
    this.state.replaceWith(state);
    return undefined;
  }

  /** Rates and stores an image that another server will name in a change; it stays for a while. */
  async putImage(bytes: Buffer): Promise<StoredImage> {
    const { image, outcome, rating, release } = await this.process(bytes);
    release();
    return { sha256: image.sha256, outcome, rating };
  }

  /** Makes an independent copy of the store. */
  fork(): MemoryStore {
    const fork = new MemoryStore(this.assess, this.prepare);
    fork.state.replaceWith(this.state.capture());
    fork.state.skipTicks(this.tick);
    return fork;
  }

  protected override read<T>(key: DatabaseKey, ask: (records: ReadableRecords | undefined) => T): T {
    return ask(this.scope(key));
  }

  protected override readGlobal<T>(ask: (records: ReadableRecords) => T): T {
    return ask(this.state.global);
  }

  protected override readAll<T>(ask: (databases: readonly ReadableRecords[]) => T): T {
    return ask(this.state.databases);
  }

  protected override change<T>(key: DatabaseKey, verb: Verb<T>): T {
    const scope = this.scope(key);
    return this.decide(scope?.removed === true ? undefined : scope, verb);
  }

  protected override changeGlobal<T>(verb: Verb<T>): T {
    return this.decide(this.state.global, verb);
  }

  protected override changeAll(verb: Verb<void>): void {
    for (const scope of [...this.state.databases, this.state.global]) this.decide(scope, verb);
  }

  protected override async changeLater<T>(key: DatabaseKey, verb: Verb<T>): Promise<T> {
    return this.change(key, verb);
  }

  protected override async process(bytes: Buffer, upload?: ImageUpload): Promise<HeldImage> {
    const { sha256, ...assessment } = await this.assess(bytes, upload);
    const image = this.state.images.add(bytes, sha256);
    return { ...assessment, image, release: () => this.state.images.release(image.sha256) };
  }

  /** Reads and commits synchronously, so versions need not be compared. */
  private decide<T>(scope: Scope | undefined, verb: Verb<T>): T {
    const { result, changes = [] } = verb(scope);
    if (scope !== undefined) this.state.commit(scope, changes);
    return result;
  }

  private scope(key: DatabaseKey): Scope | undefined {
    const known = this.found?.get(key.join(" "));
    if (known !== undefined) return known;
    const scope = this.state.find(key);
    if (scope?.database === undefined) return undefined;
    const { database } = scope;
    this.found?.set(key.join(" "), scope);
    // A database that was found by its key may be read by its name next.
    this.found?.set(`databaseName ${database.databaseName}`, scope);
    if (database.kind === "cloud") this.found?.set(`databaseId ${database.databaseId}`, scope);
    return scope;
  }
}
