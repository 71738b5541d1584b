import type { Database } from "../schema/database.ts";
import type { Target, TargetImage } from "../schema/target.ts";
import { ImageBlobs, type KeptImage } from "./image-blobs.ts";
import type { RateHistories } from "./rate-history.ts";
import { type Change, VersionedRecords } from "./records.ts";
import type { DatabaseRecords, StoreState } from "./state.ts";
import { type Conflict, type DatabaseKey, type UniqueField, uniqueValues } from "./store.ts";

/** The records of one database from its creation to its deletion, and when requests to it were accepted. */
export class Scope extends VersionedRecords {
  readonly histories: RateHistories = new Map();
  removed = false;

  /** @param id - that no other database of this state ever had, whatever its name. */
  constructor(readonly id: number) {
    super();
  }
}

/** All records in this process's memory, found by every field that is unique. */
export class MemoryState {
  readonly images = new ImageBlobs();
  /** What belongs to no database. */
  readonly global = new Scope(0);
  private lastTick = 0;
  private lastScope = 0;
  private readonly index: Readonly<Record<UniqueField, Map<string, Scope>>> = {
    databaseId: new Map(),
    databaseName: new Map(),
    serverAccessKey: new Map(),
    serverSecretKey: new Map(),
    clientAccessKey: new Map(),
    clientSecretKey: new Map(),
  };
  private readonly scopes = new Map<number, Scope>([[0, this.global]]);

  /** @param prepare - is told of every image that a target has from now on. */
  constructor(private readonly prepare: (image: TargetImage) => void = () => {}) {}

  /** Databases in order of creation. */
  get databases(): readonly Scope[] {
    return [...this.index.databaseName.values()];
  }

  find([field, value]: DatabaseKey): Scope | undefined {
    return this.index[field].get(value);
  }

  scope(id: number): Scope | undefined {
    return this.scopes.get(id);
  }

  /** A number above all that were drawn before, and above those of all targets. */
  nextTick(): number {
    this.lastTick += 1;
    return this.lastTick;
  }

  skipTicks(until: number): void {
    this.lastTick = Math.max(this.lastTick, until);
  }

  create(database: Database): Conflict | undefined {
    const taken = uniqueValues(database).find(({ conflict, value }) => this.index[conflict].has(value));
    if (taken === undefined) this.add(database, []);
    return taken;
  }

  /** Keeps changes; those of a target take and free its image. */
  commit(scope: Scope, changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind !== "target") continue;
      this.exchangeImages(scope.targets.get(change.key), change.record);
      this.skipTicks(change.record?.tick ?? 0);
    }
    if (changes.some(({ kind, record }) => kind === "database" && record === null)) this.remove(scope);
    else if (changes.length > 0) scope.commit(changes);
  }

  capture(): StoreState {
    const databases = this.databases.flatMap((scope) => {
      const { database } = scope;
      if (database === undefined) return [];
      const records: DatabaseRecords = {
        database,
        targets: scope.listAllTargets(),
        templates: [...scope.templates.values()],
        reports: [...scope.reports.values()],
        accepted: [...scope.histories].map(([limit, moments]) => ({ limit, moments: [...moments] })),
      };
      return [records];
    });
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

  /** Holds this and nothing else; what runs on a database that was there finds it gone. */
  replaceWith({ databases, datasets, credentials, images }: StoreState): void {
    for (const scope of this.databases) this.remove(scope);
    this.commit(this.global, [
      ...[...this.global.datasets.keys()].map((key) => ({ kind: "dataset" as const, key, record: null })),
      ...[...this.global.credentials.keys()].map((key) => ({
        kind: "credential" as const,
        key,
        record: null,
      })),
    ]);
    this.commit(this.global, [
      ...datasets.map((record) => ({ kind: "dataset" as const, key: record.uuid, record })),
      ...credentials.map((record) => ({ kind: "credential" as const, key: record.clientId, record })),
    ]);
    for (const { database, targets, templates, reports, accepted } of databases) {
      const scope = this.add(database, [
        ...targets.map((record) => ({ kind: "target" as const, key: record.targetId, record })),
        ...templates.map((record) => ({ kind: "template" as const, key: record.targetId, record })),
        ...reports.map((record) => ({ kind: "report" as const, key: record.file, record })),
      ]);
      for (const { limit, moments } of accepted) scope.histories.set(limit, [...moments]);
      for (const { image, tick, deleteDate } of targets) {
        this.skipTicks(tick);
        if (deleteDate === null) this.take(images.get(image.sha256));
      }
    }
  }

  private add(database: Database, changes: readonly Change[]): Scope {
    this.lastScope += 1;
    const scope = new Scope(this.lastScope);
    scope.commit([{ kind: "database", key: "", record: database }, ...changes]);
    this.scopes.set(scope.id, scope);
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].set(value, scope);
    return scope;
  }

  private remove(scope: Scope): void {
    const { database } = scope;
    if (database === undefined || scope.removed) return;
    scope.removed = true;
    this.scopes.delete(scope.id);
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].delete(value);
    for (const { image } of scope.targets.values()) this.images.release(image.sha256);
  }

  private exchangeImages(before: Target | undefined, after: Target | null): void {
    const [freed, taken] = [
      before?.image.sha256,
      after?.deleteDate === null ? after.image.sha256 : undefined,
    ];
    if (freed === taken) return;
    if (taken !== undefined) this.take(this.images.find(taken));
    if (freed !== undefined) this.images.release(freed);
  }

  private take(image: KeptImage | undefined): void {
    if (image === undefined) return;
    this.images.use(image);
    this.prepare(image);
  }
}
