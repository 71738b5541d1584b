import type { Database } from "../core/schema/database.ts";
import type { Snapshot } from "../core/schema/snapshot.ts";
import type { NewImage } from "../core/schema/target.ts";
import { type DatabaseKey, GLOBAL, type RecordsKey, type Version } from "../core/store/keys.ts";
import type { RateRule } from "../core/store/rate-history.ts";
import type { ReadableRecords } from "../core/store/records.ts";
import { readSnapshot, snapshotOf } from "../core/store/snapshot.ts";
import type { Conflict } from "../core/store/state.ts";
import { RecordStore } from "../core/store/store.ts";
import type { RetainedImage, Verb } from "../core/store/verbs.ts";
import type { RedisBacking } from "./redis-backing.ts";
import { type Replica, Replicas } from "./replicas.ts";
import { readState, writeState } from "./whole-state.ts";

/** State that Redis or Valkey keeps, for any number of processes. */
export class RedisStore extends RecordStore<"async"> {
  /** @param found - only for a single request: the records that it has read. */
  constructor(
    private readonly backing: RedisBacking,
    private readonly replicas: Replicas = new Replicas(backing),
    private readonly found?: Map<string, Promise<Replica | undefined>>,
  ) {
    super();
  }

  override forRequest(): RedisStore {
    return this.found === undefined ? new RedisStore(this.backing, this.replicas, new Map()) : this;
  }

  /** The store for a request that arrives now, after its database was read or reading failed. */
  async arrival(key: DatabaseKey | undefined): Promise<RedisStore> {
    const request = this.forRequest();
    if (key !== undefined) await request.find(key).catch(() => {});
    return request;
  }

  override versions(): Promise<readonly Version[]> {
    return this.backing.list();
  }

  override async read<T>(key: RecordsKey, ask: (records: Replica | undefined) => T): Promise<T> {
    return ask(await this.find(key));
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

  override async reset(): Promise<void> {
    await writeState(this.backing, { databases: [], datasets: [], credentials: [], images: new Map() });
  }

  override async snapshot(): Promise<Snapshot> {
    return snapshotOf(await readState(this.backing));
  }

  override async restore(
    snapshot: unknown,
    images?: ReadonlyMap<string, Buffer>,
  ): Promise<string | undefined> {
    const state = readSnapshot(snapshot, images);
    if (typeof state === "string") return state;
    await writeState(this.backing, state);
    return undefined;
  }

  override async readAll<T>(ask: (databases: readonly ReadableRecords[]) => T): Promise<T> {
    return ask(await this.findAll());
  }

  protected override async change<T>(key: RecordsKey, verb: Verb<T>): Promise<T> {
    return this.replicas.decide(await this.find(key), verb);
  }

  protected override async changeAll(verb: Verb<void>): Promise<void> {
    const global = await this.find(GLOBAL);
    const all = [...(await this.findAll()), global];
    await Promise.all(all.map((replica) => this.replicas.decide(replica, verb)));
  }

  protected override process(image: NewImage): Promise<RetainedImage> {
    return this.replicas.retain(image);
  }

  private async findAll(): Promise<readonly Replica[]> {
    const versions = await this.backing.list();
    const all = await Promise.all(
      versions.map((at) => this.replicas.known(at) ?? this.find(["scope", at.scope])),
    );
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
      // May be read by its name next.
      if (database !== undefined) found.set(`databaseName ${database.databaseName}`, reading);
      if (database?.kind === "cloud") found.set(`databaseId ${database.databaseId}`, reading);
      return replica;
    });
    found.set(place, reading);
    return reading;
  }
}
