import type { Database } from "../schema/database.ts";
import type { TargetImage } from "../schema/target.ts";
import { ImageBlobs, type KeptImage } from "./image-blobs.ts";
import type { RecordsKey, Version } from "./keys.ts";
import { type RateHistories, type RateRule, takeToken } from "./rate-history.ts";
import { type Change, Records } from "./records.ts";
import {
  type Conflict,
  changeOfDatabase,
  changesAddingDatabase,
  changesAddingGlobals,
  databaseRecords,
  type StoreState,
  UNIQUE_FIELDS,
  type UniqueField,
  uniqueValues,
} from "./state.ts";

/** The records of one database from its creation to its deletion, and the times of its accepted requests. */
export class Scope extends Records implements Version {
  readonly histories: RateHistories = new Map();
  removed = false;
  version = 0;

  /** @param scope - never reused, even for a database with the same name. */
  constructor(readonly scope: string) {
    super();
  }

  commit(changes: readonly Change[]): void {
    this.version += 1;
    for (const change of changes) this.apply(change);
  }
}

/** All records in memory, indexed by every unique field. */
export class MemoryState {
  readonly images = new ImageBlobs();
  /** Records that belong to no database. */
  readonly global = new Scope("0");
  /** Called after every change. */
  onChange: (() => void) | undefined;
  private lastScope = 0;
  private readonly index = Object.fromEntries(
    UNIQUE_FIELDS.map((field) => [field, new Map<string, Scope>()]),
  ) as Readonly<Record<UniqueField, Map<string, Scope>>>;
  private readonly scopes = new Map([[this.global.scope, this.global]]);

  /** @param prepare - called with every image that a target starts to use. */
  constructor(private readonly prepare?: (image: TargetImage) => void) {}

  /** Databases in order of creation. */
  get databases(): readonly Scope[] {
    return [...this.index.databaseName.values()];
  }

  find([field, value]: RecordsKey): Scope | undefined {
    if (field === "global") return this.global;
    return (field === "scope" ? this.scopes : this.index[field]).get(value);
  }

  create(database: Database): Conflict | undefined {
    const taken = uniqueValues(database).find(({ conflict, value }) => this.index[conflict].has(value));
    if (taken === undefined) this.add(database, [changeOfDatabase(database)]);
    this.onChange?.();
    return taken;
  }

  /** Commits changes; those of a target retain and release its image. */
  commit(scope: Scope, changes: readonly Change[]): void {
    let isDeletion = false;
    for (const { kind, key, record } of changes) {
      if (kind === "database") isDeletion ||= record === null;
      if (kind !== "target") continue;
      const freed = scope.targets.get(key)?.image.sha256;
      const taken = record?.deleteDate === null ? record.image.sha256 : undefined;
      if (freed === taken) continue;
      if (taken !== undefined) this.take(this.images.find(taken));
      if (freed !== undefined) this.images.release(freed);
    }
    if (isDeletion) this.remove(scope);
    else if (changes.length > 0) scope.commit(changes);
    this.onChange?.();
  }

  /** As `RecordStore.takeRateToken`. */
  takeToken({ histories }: Scope, rules: readonly RateRule[], now: number): RateRule | undefined {
    const full = takeToken(histories, rules, now);
    if (rules.length > 0 && full === undefined) this.onChange?.();
    return full;
  }

  capture(): StoreState {
    const databases = this.databases.flatMap((scope) =>
      databaseRecords(
        scope,
        [...scope.histories].map(([limit, moments]) => ({ limit, moments: [...moments] })),
      ),
    );
    const images = new Map<string, KeptImage>();
    for (const { targets } of this.databases) {
      for (const { image } of targets.values()) {
        const kept = this.images.find(image.sha256);
        if (kept !== undefined) images.set(image.sha256, kept);
      }
    }
    return {
      databases,
      datasets: [...this.global.datasets.values()],
      credentials: [...this.global.credentials.values()],
      images,
    };
  }

  /** Replaces all state. Requests that still use an earlier database find it removed. */
  replaceWith(state: StoreState): void {
    const { databases, images } = state;
    for (const scope of this.databases) this.remove(scope);
    const removals = [...this.global.all()].map(({ kind, key }) => ({ kind, key, record: null }));
    this.commit(this.global, [...removals, ...changesAddingGlobals(state)]);
    for (const records of databases) {
      const scope = this.add(records.database, changesAddingDatabase(records));
      for (const { limit, moments } of records.accepted) scope.histories.set(limit, [...moments]);
      for (const { image, deleteDate } of records.targets) {
        if (deleteDate === null) this.take(images.get(image.sha256));
      }
    }
    this.onChange?.();
  }

  private add(database: Database, changes: readonly Change[]): Scope {
    this.lastScope += 1;
    const scope = new Scope(String(this.lastScope));
    scope.commit(changes);
    this.scopes.set(scope.scope, scope);
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].set(value, scope);
    return scope;
  }

  private remove(scope: Scope): void {
    const { database } = scope;
    if (database === undefined || scope.removed) return;
    scope.removed = true;
    this.scopes.delete(scope.scope);
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].delete(value);
    for (const { image } of scope.targets.values()) this.images.release(image.sha256);
  }

  private take(image: KeptImage | undefined): void {
    if (image === undefined) return;
    this.images.use(image);
    this.prepare?.(image);
  }
}
