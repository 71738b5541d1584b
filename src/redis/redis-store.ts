import type { RateRule } from "../core/store/rate-history.ts";
import type { Conflict } from "../core/store/state.ts";
import {
  type Change,
  type DatabaseKey,
  GLOBAL,
  type ImageChange,
  type PlainChange,
  type Read,
  type Store,
} from "../core/store/store.ts";
import { type RedisBacking, type ReplicaKey, revisionOf } from "./redis-backing.ts";
import { type Replica, Replicas } from "./replicas.ts";
import { readState, writeState } from "./whole-state.ts";

/** State that Redis or Valkey keeps, for any number of processes (decision 0008). */
export class RedisStore implements Store {
  /** @param found - only for a single request: the records that it has read. */
  constructor(
    private readonly backing: RedisBacking,
    private readonly replicas: Replicas = new Replicas(backing),
    private readonly found?: Map<string, Promise<Replica | undefined>>,
  ) {}

  forRequest(): RedisStore {
    return this.found === undefined ? new RedisStore(this.backing, this.replicas, new Map()) : this;
  }

  /** The store for a request that arrives now, after its database was read or reading failed. */
  async arrival(key: DatabaseKey | undefined): Promise<RedisStore> {
    const request = this.forRequest();
    if (key !== undefined) await request.find(key).catch(() => {});
    return request;
  }

  async read<Result>(read: Read<Result>): Promise<Result> {
    if (read.of === "databases") return read.answer(await this.findAll());
    if (read.of === "state") return read.answer(await readState(this.backing));
    return read.answer(await this.find(read.key));
  }

  async run<Result>(change: Change<Result>): Promise<Result> {
    if (change.image !== undefined) return this.runWith(change);
    const result = await this.make(change);
    change.after?.(result);
    return result;
  }

  async takeRateToken(name: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const replica = await this.find(["databaseName", name]);
    return replica && this.backing.takeRateToken(replica.scope, rules, now);
  }

  async revision(): Promise<string> {
    return (await this.backing.list()).map(revisionOf).join();
  }

  private async make<Result>(change: PlainChange<Result>): Promise<Result> {
    if (change.on === "everything") {
      const decide = (replica: Replica | undefined) => this.replicas.decide(replica, change.decide);
      const [global, all] = [await this.find(GLOBAL), await this.findAll()];
      const result = decide(global);
      await Promise.all([result, ...all.map(decide)]);
      return result;
    }
    if (change.on === "databases") {
      this.found?.clear();
      for (let conflict: Conflict | undefined; ; ) {
        const { result, database } = change.decide(conflict);
        conflict = database && (await this.backing.create(database));
        if (conflict === undefined) return result;
      }
    }
    if (change.on === "state") {
      const { result, state } = change.decide(() => undefined);
      if (state !== undefined) await writeState(this.backing, state);
      return result;
    }
    return this.replicas.decide(await this.find(change.key), change.decide);
  }

  private async runWith<Result>({ key, image, decide }: ImageChange<Result>): Promise<Result> {
    // Before the image is rated: meanwhile, another database may get this name.
    const replica = await this.find(key);
    const { release, ...made } = await this.replicas.retain(image);
    try {
      return await this.replicas.decide(replica, (records) => decide(records, made));
    } finally {
      release();
    }
  }

  private async findAll(): Promise<readonly Replica[]> {
    const versions = await this.backing.list();
    const all = await Promise.all(
      versions.map((at) => this.replicas.known(at) ?? this.find(["scope", at.scope])),
    );
    return all.filter((replica) => replica !== undefined);
  }

  private find(key: ReplicaKey): Promise<Replica | undefined> {
    const { found } = this;
    if (found === undefined) return this.replicas.read(key);
    const recordKey = key.join(" ");
    const known = found.get(recordKey);
    if (known !== undefined) return known;
    const reading = this.replicas.read(key).then((replica) => {
      const database = replica?.database;
      // May be read by its name next.
      if (database !== undefined) found.set(`databaseName ${database.databaseName}`, reading);
      if (database?.kind === "cloud") found.set(`databaseId ${database.databaseId}`, reading);
      return replica;
    });
    found.set(recordKey, reading);
    return reading;
  }
}
