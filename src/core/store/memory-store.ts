import type { Database } from "../schema/database.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { NewImage, TargetImage } from "../schema/target.ts";
import type { RecordsKey, Version } from "./keys.ts";
import { MemoryState, type Scope } from "./memory-state.ts";
import type { RateRule } from "./rate-history.ts";
import type { ReadableRecords } from "./records.ts";
import { readSnapshot, snapshotOf } from "./snapshot.ts";
import type { Conflict } from "./state.ts";
import { RecordStore } from "./store.ts";
import type { AssessImage, RetainedImage, Verb } from "./verbs.ts";

/** Keeps all state in memory. Every verb is synchronous, except for those that rate an image. */
export class MemoryStore extends RecordStore<"sync"> {
  /** Of a single request: the database that it found last, which stays the same one. */
  private found: Scope | undefined;

  /**
   * @param assess - decides the result of processing an image; called once for each stored image.
   * @param prepare - called with every image that a target starts to use.
   */
  constructor(
    private readonly assess: AssessImage,
    private readonly prepare?: (image: TargetImage) => void,
    readonly state: MemoryState = new MemoryState(prepare),
    private readonly isForOneRequest = false,
  ) {
    super();
  }

  override forRequest(): MemoryStore {
    return this.isForOneRequest ? this : new MemoryStore(this.assess, this.prepare, this.state, true);
  }

  override versions(): readonly Version[] {
    return this.state.databases;
  }

  override read<T>(key: RecordsKey, ask: (records: Scope | undefined) => T): T {
    const [field, value] = key;
    const known: Partial<Record<typeof field, string>> | undefined = this.found?.database;
    if (known?.[field] === value) return ask(this.found);
    const scope = this.state.find(key);
    if (this.isForOneRequest && scope?.database !== undefined) this.found = scope;
    return ask(scope);
  }

  override createDatabase(database: Database): Conflict | undefined {
    return this.state.create(database);
  }

  override takeRateToken(name: string, rules: readonly RateRule[], now: number): RateRule | undefined {
    return this.read(["databaseName", name], (scope) => scope && this.state.takeToken(scope, rules, now));
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

  fork(): MemoryStore {
    const fork = new MemoryStore(this.assess, this.prepare);
    fork.state.replaceWith(this.state.capture());
    return fork;
  }

  override readAll<T>(ask: (databases: readonly ReadableRecords[]) => T): T {
    return ask(this.state.databases);
  }

  protected override change<T>(key: RecordsKey, verb: Verb<T>): T {
    return this.read(key, (scope) => this.decide(scope?.removed === true ? undefined : scope, verb));
  }

  protected override changeAll(verb: Verb<void>): void {
    for (const scope of [...this.state.databases, this.state.global]) this.decide(scope, verb);
  }

  protected override async process(given: NewImage): Promise<RetainedImage> {
    const { sha256, ...assessment } = await this.assess(given);
    const { images } = this.state;
    const image = images.add(given.bytes, sha256);
    return {
      ...assessment,
      image,
      release() {
        images.release(image.sha256);
      },
    };
  }

  /** Reads and commits synchronously, so versions need not be compared. */
  private decide<T>(scope: Scope | undefined, verb: Verb<T>): T {
    const { result, changes = [] } = verb(scope);
    if (scope !== undefined) this.state.commit(scope, changes);
    return result;
  }
}
