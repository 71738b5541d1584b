import type { Database } from "../schema/database.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import { type Backing, GLOBAL, type RecordsKey } from "./backing.ts";
import type { RateRule } from "./rate-history.ts";
import { type ReadableRecords, Records } from "./records.ts";
import { type Replica, Replicas } from "./replicas.ts";
import { type DatabaseKey, type HeldImage, RecordStore } from "./store.ts";
import type { Conflict } from "./unique-fields.ts";
import type { Verb } from "./verbs.ts";

/** State that a {@link Backing} keeps outside of this process, for any number of processes. */
export class SharedStore extends RecordStore<"later"> {
  /** Only set for a single request: what it has read, which is not read again. */
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
   * The store as seen by a request that arrives now. Its database, named by the key if there is one, has been read, or reading
   * it failed. Resolves in order of arrival, because a request's tick has to be above those of earlier requests and of all
   * existing targets.
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

  override restore(snapshot: unknown, images?: ReadonlyMap<string, Buffer>): Promise<string | undefined> {
    return this.backing.restore(snapshot, images);
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
      // A database that was found by its key may be read by its name next.
      if (database !== undefined) found.set(`databaseName ${database.databaseName}`, reading);
      if (database?.kind === "cloud") found.set(`databaseId ${database.databaseId}`, reading);
      return replica;
    });
    found.set(place, reading);
    return reading;
  }
}
