import type { MaybePromise } from "../emulator/message.ts";
import type { ChangeableFields } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget } from "../schema/database.ts";
import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import type { TargetStatus } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { NewImage, RecognitionCounts, Target } from "../schema/target.ts";
import { type DatabaseKey, GLOBAL, type RecordsKey, type Version } from "./keys.ts";
import type { RateRule } from "./rate-history.ts";
import type { ReadableRecords, RecordsOf } from "./records.ts";
import { type Conflict, wasDrawn } from "./state.ts";
import type { NewTarget, ProcessedImage, RetainedImage, TargetChanges } from "./verbs.ts";
import * as verbs from "./verbs.ts";

/** The state's server cannot be reached, lost a part of the state, or another server answers. The message is one line. */
export class StateUnavailableError extends Error {
  override readonly name: string = "StateUnavailableError";
}

/** A value in memory, a promise over a network. */
export interface Results<T> {
  readonly sync: T;
  readonly async: Promise<T>;
  readonly either: MaybePromise<T>;
}

export type StoreMode = keyof Results<unknown>;

/** Uses what a verb returns: at once, or when it arrives. */
export const whenDone = <Mode extends StoreMode, T, R>(
  result: Results<T>[Mode],
  use: (value: T) => R | Results<R>[Mode],
) => (result instanceof Promise ? result.then(use) : use(result as T)) as Results<R>[Mode];

const ANY_STATUS: readonly TargetStatus[] = ["processing", "success", "failed"];

type UpdatedTarget = Target | "unknown" | "nameTaken" | "wrongStatus";

/**
 * All shared state of an emulator. Verbs (`verbs.ts`) are atomic and return conflicts as values. To keep the state elsewhere,
 * implement the abstract methods; the contract is in `test/store`.
 */
export abstract class RecordStore<Mode extends StoreMode> {
  /** The store for a request that arrives now. A found database stays the same, even if another one of that name replaces it. */
  abstract forRequest(): RecordStore<Mode>;

  /** Reads the current records of a key. `ask` is synchronous, so it sees one version. */
  abstract read<T>(
    key: RecordsKey,
    ask: (records: (ReadableRecords & Version) | undefined) => T,
  ): Results<T>[Mode];
  /** Reads every database, in order of creation. */
  abstract readAll<T>(ask: (databases: readonly ReadableRecords[]) => T): Results<T>[Mode];
  /** Runs a verb on the records of a key until its changes are committed. */
  protected abstract change<T>(key: RecordsKey, verb: verbs.Verb<T>): Results<T>[Mode];
  /** Runs a verb on every database, and on the records that belong to none. */
  protected abstract changeAll(verb: verbs.Verb<void>): Results<void>[Mode];
  protected abstract process(image: NewImage): Promise<RetainedImage>;

  abstract versions(): Results<readonly Version[]>[Mode];

  /** Creates an empty database, unless another one shares a unique field. */
  abstract createDatabase(database: Database): Results<Conflict | undefined>[Mode];
  /** Creates a database of given fields and drawn ones, and draws again what another database has. */
  createDrawnDatabase<Made extends Database>(
    given: object,
    draw: () => Made,
  ): Results<Made | Conflict>[Mode] {
    const database = draw();
    return whenDone<Mode, Conflict | undefined, Made | Conflict>(
      this.createDatabase(database),
      (conflict) => {
        if (conflict === undefined) return database;
        return wasDrawn(conflict, given) ? this.createDrawnDatabase(given, draw) : conflict;
      },
    );
  }

  /**
   * Takes one request from every rule's budget, or returns the first full rule. A rule is full if its number of accepted
   * requests lies within its window, before or after `now`.
   */
  abstract takeRateToken(
    databaseName: string,
    rules: readonly RateRule[],
    now: number,
  ): Results<RateRule | undefined>[Mode];
  abstract reset(): Results<void>[Mode];
  abstract snapshot(): Results<Snapshot>[Mode];
  /**
   * Replaces all state with that of a snapshot.
   *
   * @param images - by SHA-256; the snapshot need not hold these itself.
   * @returns what is wrong with the snapshot; the state is then unchanged.
   */
  abstract restore(
    snapshot: unknown,
    images?: ReadonlyMap<string, Buffer>,
  ): Results<string | undefined>[Mode];

  listCloudDatabases() {
    return this.readAll((all) =>
      all.flatMap(({ database }) => (database?.kind === "cloud" ? [database] : [])),
    );
  }

  listVuMarkDatabases() {
    return this.readAll((all) =>
      all.flatMap(({ database }) => (database?.kind === "vumark" ? [database] : [])),
    );
  }

  findRecords(key: DatabaseKey) {
    return this.read(key, (records) => (records?.database && records) as RecordsOf | undefined);
  }

  findDatabaseByName(name: string) {
    return this.read(["databaseName", name], (records) => records?.database);
  }

  updateDatabase(name: string, changes: Partial<ChangeableFields>) {
    return this.change(["databaseName", name], verbs.updateDatabase(changes));
  }

  /** Deletes the database with its targets, reports and rate-limit history. Returns false if there was none. */
  deleteDatabase(name: string) {
    return this.change(["databaseName", name], verbs.deleteDatabase);
  }

  /** Targets that are not deleted, or all; by upload date, then id. */
  listTargets(databaseName: string, { deleted } = { deleted: false }) {
    return this.read(["databaseName", databaseName], (records) =>
      deleted ? (records?.listAllTargets() ?? []) : (records?.listTargets() ?? []),
    );
  }

  findTarget(databaseName: string, targetId: string) {
    return this.read(["databaseName", databaseName], (records) => records?.targets.get(targetId));
  }

  /** @param preciseNow - its upload, in milliseconds since the epoch, with microseconds if the clock has them. */
  async createTarget(databaseName: string, { image, ...given }: NewTarget, preciseNow: number) {
    return this.forRequest().changeWith(databaseName, image, (made) =>
      verbs.createTarget(given, made, preciseNow),
    );
  }

  /** Starts processing again. `onlyAfter`: the statuses in which an update is allowed. */
  async updateTarget(
    databaseName: string,
    targetId: string,
    { image, ...changes }: TargetChanges,
    now: number,
    onlyAfter = ANY_STATUS,
  ): Promise<UpdatedTarget> {
    const update = (made?: ProcessedImage) => verbs.updateTarget(targetId, changes, made, now, onlyAfter);
    return image === undefined
      ? (this.change(["databaseName", databaseName], update()) as MaybePromise<UpdatedTarget>)
      : this.forRequest().changeWith(databaseName, image, update);
  }

  /** `evenProcessing`: delete whatever the status. */
  deleteTarget(databaseName: string, targetId: string, now: number, evenProcessing = false) {
    return this.change(["databaseName", databaseName], verbs.deleteTarget(targetId, now, evenProcessing));
  }

  /** Fields not given stay; last-modified does not change. */
  setRecognitionCounts(databaseName: string, targetId: string, counts: Partial<RecognitionCounts>) {
    return this.change(["databaseName", databaseName], verbs.setRecognitionCounts(targetId, counts));
  }

  /** Adds, or replaces, as {@link createDataset} does. Undefined: no such database. */
  addTemplateTarget(databaseName: string, target: TemplateTarget, anotherId?: () => string) {
    return this.change(["databaseName", databaseName], verbs.addTemplateTarget(target, anotherId));
  }

  listTemplateTargets(databaseName: string) {
    return this.read(["databaseName", databaseName], (records) => [...(records?.templates.values() ?? [])]);
  }

  findTemplateTarget(databaseName: string, targetId: string) {
    return this.read(["databaseName", databaseName], (records) => records?.templates.get(targetId));
  }

  /** Stores the report, or returns the existing one of its database and file. */
  openReport(report: Report) {
    return this.change(["databaseId", report.databaseId], verbs.openReport(report));
  }

  findReport(databaseId: string, file: string) {
    return this.read(["databaseId", databaseId], (records) => records?.reports.get(file));
  }

  /** Adds, or replaces the one with its uuid, unless `anotherId` draws another one then. */
  createDataset(dataset: Dataset, anotherId?: () => string) {
    return this.change(GLOBAL, verbs.createDataset(dataset, anotherId));
  }

  findDataset(uuid: string) {
    return this.read(GLOBAL, (records) => records?.datasets.get(uuid));
  }

  listDatasets() {
    return this.read(GLOBAL, (records) => [...(records?.datasets.values() ?? [])]);
  }

  deleteDataset(uuid: string) {
    return this.change(GLOBAL, verbs.remove("dataset", uuid));
  }

  createCredential(credential: ClientCredential, maximum: number) {
    return this.change(GLOBAL, verbs.createCredential(credential, maximum));
  }

  /** Adds, or replaces the one with the same client id. */
  putCredential(credential: ClientCredential) {
    return this.change(
      GLOBAL,
      verbs.put({ kind: "credential", key: credential.clientId, record: credential }),
    );
  }

  findCredential(clientId: string) {
    return this.read(GLOBAL, (records) => records?.credentials.get(clientId));
  }

  listCredentials() {
    return this.read(GLOBAL, (records) => [...(records?.credentials.values() ?? [])]);
  }

  setCredentialScopes(clientId: string, scopes: readonly string[]) {
    return this.change(GLOBAL, verbs.setCredentialScopes(clientId, scopes));
  }

  deleteCredential(clientId: string) {
    return this.change(GLOBAL, verbs.remove("credential", clientId));
  }

  /** Returns false if there is no such target. */
  finishTarget(databaseName: string, targetId: string) {
    return this.change(["databaseName", databaseName], verbs.finishTarget(targetId));
  }

  finishProcessing() {
    return this.changeAll(verbs.finishProcessing);
  }

  private async changeWith<T>(
    databaseName: string,
    image: NewImage,
    verb: (made: ProcessedImage) => verbs.Verb<T>,
  ): Promise<T> {
    // Before the image is rated: meanwhile, another database may get this name.
    await this.findRecords(["databaseName", databaseName]);
    const { release, ...made } = await this.process(image);
    try {
      return await (this.change(["databaseName", databaseName], verb(made)) as MaybePromise<T>);
    } finally {
      release();
    }
  }
}

export type Store = RecordStore<"either">;
