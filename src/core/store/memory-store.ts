import type { Database } from "../schema/database.ts";
import type { NewImage, TargetImage } from "../schema/target.ts";
import { ImageBlobs, type LoadedImage } from "./image-blobs.ts";
import { type RateHistories, type RateRule, takeToken } from "./rate-history.ts";
import { type ReadableRecords, Records, type Write } from "./records.ts";
import {
  type Conflict,
  databaseRecords,
  type StoreState,
  UNIQUE_FIELDS,
  type UniqueField,
  uniqueValues,
  writeOfDatabase,
  writesAddingDatabase,
  writesAddingGlobals,
} from "./state.ts";
import type {
  AssessImage,
  Change,
  Decision,
  ImageChange,
  PlainChange,
  Read,
  RecordsKey,
  RetainedImage,
  Store,
} from "./store.ts";

/** Keeps all state in memory. */
export class MemoryStore implements Store {
  /** The database that this request found last. Later look-ups return the same one. */
  private found: MemoryRecords | undefined;

  /**
   * @param assess - decides the result of processing an image; called once for each stored image.
   * @param prepare - called with every image that a target starts to use.
   */
  constructor(
    private readonly assess: AssessImage,
    private readonly prepare?: (image: TargetImage) => void,
    readonly state: MemoryState = new MemoryState(prepare),
    private readonly isForOneRequest = false,
  ) {}

  forRequest(): MemoryStore {
    return this.isForOneRequest ? this : new MemoryStore(this.assess, this.prepare, this.state, true);
  }

  fork(): MemoryStore {
    const fork = new MemoryStore(this.assess, this.prepare);
    fork.state.replaceWith(this.state.capture());
    return fork;
  }

  async read<Result>(read: Read<Result>): Promise<Result> {
    return this.readNow(read);
  }

  /** Only for methods of a mock that return no promise. */
  readNow<Result>(read: Read<Result>): Result {
    if (read.of === "databases") return read.answer(this.state.databases);
    if (read.of === "state") return read.answer(this.state.capture());
    return read.answer(this.find(read.key));
  }

  async run<Result>(change: Change<Result>): Promise<Result> {
    return change.image === undefined ? this.runNow(change) : this.runWith(change);
  }

  /** Only for methods of a mock that return no promise. */
  runNow<Result>(change: PlainChange<Result>): Result {
    const result = this.make(change);
    change.after?.(result);
    return result;
  }

  async takeRateToken(name: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    const records = this.find(["databaseName", name]);
    return records && this.state.takeToken(records, rules, now);
  }

  async revision(): Promise<string> {
    return this.state.databases.map(({ revision }) => revision).join();
  }

  private find(key: RecordsKey): MemoryRecords | undefined {
    const [field, value] = key;
    const known: Partial<Record<typeof field, string>> | undefined = this.found?.database;
    if (known?.[field] === value) return this.found;
    const records = this.state.find(key);
    if (this.isForOneRequest && records?.database !== undefined) this.found = records;
    return records;
  }

  private make<Result>(change: PlainChange<Result>): Result {
    const { state } = this;
    if (change.on === "everything") {
      for (const records of state.databases) this.decide(records, change.decide);
      return this.decide(state.global, change.decide);
    }
    if (change.on === "databases") {
      // Until what it draws is free, or it gives up.
      for (let conflict: Conflict | undefined; ; ) {
        const { result, database } = change.decide(conflict);
        conflict = database && state.create(database);
        if (conflict === undefined) return result;
      }
    }
    if (change.on === "state") {
      const { result, state: wanted } = change.decide((sha256) => state.images.find(sha256));
      if (wanted !== undefined) state.replaceWith(wanted);
      return result;
    }
    return this.decide(this.find(change.key), change.decide);
  }

  private async runWith<Result>({ key, image, decide }: ImageChange<Result>): Promise<Result> {
    // Before the image is rated: meanwhile, another database may get this name.
    const records = this.find(key);
    const { release, ...made } = await this.retain(image);
    try {
      return this.decide(records, (current) => decide(current, made));
    } finally {
      // If a target uses the image, it holds it by now.
      release();
    }
  }

  private async retain(given: NewImage): Promise<RetainedImage> {
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

  /** Decides and commits in one turn, so nothing changes in between. */
  private decide<Result>(
    found: MemoryRecords | undefined,
    decide: (records: ReadableRecords | undefined) => Decision<Result>,
  ): Result {
    // Another request may have deleted the database since this one found it.
    const records = found?.removed === true ? undefined : found;
    const { result, writes = [] } = decide(records);
    if (records !== undefined) this.state.commit(records, writes);
    return result;
  }
}

/** The records of one database from its creation to its deletion, and the times of its accepted requests. */
class MemoryRecords extends Records {
  readonly histories: RateHistories = new Map();
  removed = false;
  private commits = 0;

  /** @param id - never reused, even for a database with the same name. */
  constructor(private readonly id: number) {
    super();
  }

  get revision(): string {
    return `${this.id}.${this.commits}`;
  }

  commit(writes: readonly Write[]): void {
    this.commits += 1;
    for (const write of writes) this.apply(write);
  }
}

/** All records in memory, indexed by every unique field. */
export class MemoryState {
  readonly images = new ImageBlobs();
  /** Records that belong to no database. */
  readonly global = new MemoryRecords(0);
  /** Called after every change. */
  onChange: (() => void) | undefined;
  private lastId = 0;
  private readonly index = Object.fromEntries(
    UNIQUE_FIELDS.map((field) => [field, new Map<string, MemoryRecords>()]),
  ) as Readonly<Record<UniqueField, Map<string, MemoryRecords>>>;

  /** @param prepare - called with every image that a target starts to use. */
  constructor(private readonly prepare?: (image: TargetImage) => void) {}

  /** Databases in order of creation. */
  get databases(): readonly MemoryRecords[] {
    return [...this.index.databaseName.values()];
  }

  find([field, value]: RecordsKey): MemoryRecords | undefined {
    return field === "global" ? this.global : this.index[field].get(value);
  }

  /** Creates an empty database, unless another one shares a unique field. */
  create(database: Database): Conflict | undefined {
    const taken = uniqueValues(database).find(({ conflict, value }) => this.index[conflict].has(value));
    if (taken === undefined) this.add(database, [writeOfDatabase(database)]);
    this.onChange?.();
    return taken;
  }

  /** Commits writes; those of a target retain and release its image. */
  commit(records: MemoryRecords, writes: readonly Write[]): void {
    let isDeletion = false;
    for (const { kind, key, record } of writes) {
      if (kind === "database") isDeletion ||= record === null;
      if (kind !== "target") continue;
      const freed = records.targets.get(key)?.image.sha256;
      const taken = record?.deleteDate === null ? record.image.sha256 : undefined;
      if (freed === taken) continue;
      // Taken first: an image that no target uses is dropped.
      if (taken !== undefined) this.take(this.images.find(taken));
      if (freed !== undefined) this.images.release(freed);
    }
    if (isDeletion) this.remove(records);
    else if (writes.length > 0) records.commit(writes);
    this.onChange?.();
  }

  /** As `Store.takeRateToken`. */
  takeToken({ histories }: MemoryRecords, rules: readonly RateRule[], now: number): RateRule | undefined {
    const full = takeToken(histories, rules, now);
    if (rules.length > 0 && full === undefined) this.onChange?.();
    return full;
  }

  capture(): StoreState {
    const databases = this.databases.flatMap((records) =>
      databaseRecords(
        records,
        [...records.histories].map(([limit, moments]) => ({ limit, moments: [...moments] })),
      ),
    );
    const images = new Map<string, LoadedImage>();
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
    for (const records of this.databases) this.remove(records);
    const removals = [...this.global.all()].map(({ kind, key }) => ({ kind, key, record: null }));
    this.commit(this.global, [...removals, ...writesAddingGlobals(state)]);
    for (const restored of databases) {
      const records = this.add(restored.database, writesAddingDatabase(restored));
      for (const { limit, moments } of restored.accepted) records.histories.set(limit, [...moments]);
      for (const { image, deleteDate } of restored.targets) {
        if (deleteDate === null) this.take(images.get(image.sha256));
      }
    }
    this.onChange?.();
  }

  private add(database: Database, writes: readonly Write[]): MemoryRecords {
    this.lastId += 1;
    const records = new MemoryRecords(this.lastId);
    records.commit(writes);
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].set(value, records);
    return records;
  }

  private remove(records: MemoryRecords): void {
    const { database } = records;
    if (database === undefined || records.removed) return;
    records.removed = true;
    for (const { conflict, value } of uniqueValues(database)) this.index[conflict].delete(value);
    for (const { image } of records.targets.values()) this.images.release(image.sha256);
  }

  private take(image: LoadedImage | undefined): void {
    if (image === undefined) return;
    this.images.use(image);
    this.prepare?.(image);
  }
}
