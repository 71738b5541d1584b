import * as control from "../core/apis/control.ts";
import { momentOf } from "../core/emulator/clock.ts";
import { filterEntries, type RequestFilter } from "../core/emulator/request-filter.ts";
import { show } from "../core/general/text.ts";
import {
  type CloudDatabase,
  type CloudDatabaseFields,
  type DatabaseChanges,
  databaseChanges,
} from "../core/schema/cloud-database.ts";
import {
  type VuMarkDatabaseChanges,
  type VuMarkDatabaseFields,
  vuMarkDatabaseChanges,
} from "../core/schema/database.ts";
import type { Fault } from "../core/schema/fault.ts";
import {
  type ClientCredential,
  credentialRecord,
  type DatasetFields,
  datasetFields,
} from "../core/schema/model-target.ts";
import { InvalidSnapshotError, type Snapshot } from "../core/schema/snapshot.ts";
import {
  countChanges,
  type RecognitionCountChanges,
  type TargetFields,
  type TargetUpdates,
} from "../core/schema/target.ts";
import { checked } from "../core/schema/zod/problems.ts";
import * as changes from "../core/store/changes.ts";
import * as reads from "../core/store/reads.ts";
import { wholeSnapshot } from "../core/store/snapshot.ts";
import { describeRequests } from "../explain/journal-text.ts";
import { type MockClock, mockClock } from "./clock-handle.ts";
import {
  addedTarget,
  changeTarget,
  createCloudDatabase,
  createVuMarkDatabase,
  newTarget,
  noDatabase,
  noTarget,
  warnIfNeverFound,
} from "./create.ts";
import type { EmulatorParts } from "./emulator-state.ts";
import {
  createFault,
  type FaultHandle,
  isKept,
  MockCloudDatabase,
  type MockDataset,
  type MockTarget,
  MockVuMarkDatabase,
  mockDataset,
  mockTarget,
} from "./handles.ts";

/**
 * @param database - the first argument of a method.
 * @throws TypeError if the value is missing or not a database.
 */
function checkDatabase(method: string, database: unknown): void {
  // Not by class, which may be that of another copy of this package.
  if (typeof database === "object" && database !== null && "databaseName" in database) return;
  throw new TypeError(
    `${method}: expected a database first, as addCloudDatabase() returns it; got ${show(database)}`,
  );
}

/**
 * A test's control of an emulator, besides requests. The same on a {@link MockCloudReco} and on servers, and over the
 * target manager's API.
 *
 * @example
 * const fill = (emulator: EmulatorControl) => emulator.addCloudDatabase({ databaseName: "shop" });
 */
export abstract class EmulatorControl {
  readonly #warned = new Set<string>();

  /** The state that all methods act on. @internal */
  protected abstract get parts(): EmulatorParts;

  /** The clock of every API: of processing, reports, rate limits, tokens and time skew. */
  get clock(): MockClock {
    return mockClock(() => this.parts.clock);
  }

  /**
   * Adds a cloud database. Keys, name and id are generated unless given; other fields have defaults.
   *
   * @throws InvalidOptionError for an invalid field; Error when a key, name or id is taken.
   * @example const database = mock.addCloudDatabase({ databaseName: "shop", targetQuota: 10 });
   */
  addCloudDatabase(fields: CloudDatabaseFields = {}): MockCloudDatabase {
    const { store, random, answerOptions } = this.parts;
    return this.#cloudDatabase(createCloudDatabase(store, fields, random, answerOptions));
  }

  /**
   * Adds a VuMark database with its template targets.
   *
   * @throws InvalidOptionError or Error as {@link addCloudDatabase} does.
   * @example const { targets } = mock.addVuMarkDatabase({ targets: [{ name: "label" }] });
   */
  addVuMarkDatabase(fields: VuMarkDatabaseFields = {}): MockVuMarkDatabase {
    const database = createVuMarkDatabase(this.parts.store, fields, this.parts.random, this.#now);
    return new MockVuMarkDatabase(database, () => this.parts.store);
  }

  /** Returns the cloud database with that name. */
  findCloudDatabase(name: string): MockCloudDatabase | undefined {
    const database = this.parts.store.readNow(reads.database(name));
    return database?.kind === "cloud" ? this.#cloudDatabase(database) : undefined;
  }

  /**
   * Changes the state, quotas, counts or limits of a cloud database, or the state of a VuMark database, from the next request on.
   *
   * @throws InvalidOptionError for an invalid field; Error when the database was deleted.
   * @example mock.updateDatabase(database, { stateName: "PROJECT_SUSPENDED" });
   */
  updateDatabase(database: MockCloudDatabase, changes: DatabaseChanges): void;
  updateDatabase(database: MockVuMarkDatabase, changes: VuMarkDatabaseChanges): void;
  updateDatabase(database: MockCloudDatabase | MockVuMarkDatabase, fields: DatabaseChanges): void {
    checkDatabase("updateDatabase", database);
    const schema = "clientAccessKey" in database ? databaseChanges : vuMarkDatabaseChanges;
    const { store } = this.parts;
    const given = checked("database", schema, fields);
    if (!isKept(database, store)) throw new Error(noDatabase(database.databaseName));
    store.runNow(changes.updateDatabase(database.databaseName, given));
  }

  /** Deletes a database and everything in it. Returns false when it was already deleted. */
  deleteDatabase(database: MockCloudDatabase | MockVuMarkDatabase): boolean {
    checkDatabase("deleteDatabase", database);
    const { store } = this.parts;
    return isKept(database, store) && store.runNow(changes.deleteDatabase(database.databaseName));
  }

  /**
   * Adds a target without a request. With `processed: true` its processing ends at once, and the process emits a warning when
   * no query can find the target. With `status: "failed"` its processing fails.
   *
   * @throws InvalidOptionError for an invalid field; Error when the target API would refuse the image, the name or id is taken,
   * the target quota is reached or the database was deleted.
   * @example const { targetId } = await mock.addTarget(database, { name: "raccoon", image, processed: true });
   */
  async addTarget(database: MockCloudDatabase, fields: TargetFields): Promise<MockTarget> {
    checkDatabase("addTarget", database);
    const { parts } = this;
    const { databaseName } = database;
    const target = await newTarget(fields, parts.answerOptions);
    if (!isKept(database, parts.store)) throw new Error(noDatabase(databaseName));
    const moment = momentOf(this.parts.clock);
    const result = await parts.store.run(changes.createTarget(parts, databaseName, target, moment));
    const added = addedTarget(result, databaseName, fields);
    warnIfNeverFound(added, fields, this.#warned);
    return mockTarget(added, Math.floor(moment));
  }

  /**
   * Changes a target without a request, whatever its status; its processing starts again.
   *
   * @param changes - omitted fields do not change.
   * @throws InvalidOptionError for an invalid field; Error when the target API would refuse the image, the name is taken, or the
   * database has no such target.
   * @example await mock.updateTarget(database, targetId, { activeFlag: false });
   */
  async updateTarget(
    database: MockCloudDatabase,
    targetId: string,
    changes: TargetUpdates,
  ): Promise<MockTarget> {
    checkDatabase("updateTarget", database);
    const { store, answerOptions } = this.parts;
    const now = this.#now;
    if (!isKept(database, store)) throw new Error(noDatabase(database.databaseName));
    const changed = await changeTarget(
      { store, answerOptions, now },
      database.databaseName,
      targetId,
      changes,
    );
    return mockTarget(changed, now);
  }

  /** Deletes a target without a request, whatever its status. Returns false when the database has no such target. */
  deleteTarget(database: MockCloudDatabase, targetId: string): boolean {
    checkDatabase("deleteTarget", database);
    const { store } = this.parts;
    const deletion = changes.deleteTarget(database.databaseName, targetId, this.#now, true);
    return isKept(database, store) && typeof store.runNow(deletion) !== "string";
  }

  /**
   * Sets the recognition counts of a target; its modification date and status do not change.
   *
   * @param counts - integers of at least 0; omitted counts do not change.
   * @throws InvalidOptionError for an invalid count; Error when the database has no such target.
   * @example mock.setRecognitionCounts(database, targetId, { currentMonthRecos: 3, totalRecos: 12 });
   */
  setRecognitionCounts(database: MockCloudDatabase, targetId: string, counts: RecognitionCountChanges): void {
    checkDatabase("setRecognitionCounts", database);
    const given = checked("counts", countChanges, counts);
    const { store } = this.parts;
    const { databaseName } = database;
    if (!isKept(database, store)) throw new Error(noDatabase(databaseName));
    if (store.runNow(changes.setRecognitionCounts(databaseName, targetId, given)) === undefined)
      throw new Error(noTarget(databaseName, targetId));
  }

  /** Ends the processing of every target, template target, report and dataset at once, and every lag of the option `realism`. */
  finishProcessing(): void {
    this.parts.store.runNow(control.finishProcessing(this.parts));
  }

  /**
   * Adds a Model Target dataset without a request, or replaces the one with its uuid.
   *
   * @throws InvalidOptionError for an invalid field.
   * @example const { uuid } = mock.addDataset({ generationFailureMessage: "no features" });
   */
  addDataset(fields: DatasetFields = {}): MockDataset {
    const now = this.#now;
    const given = checked("dataset", datasetFields, fields);
    return mockDataset(this.parts.store.runNow(control.addDataset(this.parts, given, now)), now);
  }

  /** Current Model Target datasets of both families, in order of creation. */
  get datasets(): readonly MockDataset[] {
    return this.parts.store.readNow(reads.datasets).map((dataset) => mockDataset(dataset, this.#now));
  }

  /** Deletes a Model Target dataset. Returns false when there is none. */
  deleteDataset(uuid: string): boolean {
    return this.parts.store.runNow(changes.deleteDataset(uuid));
  }

  /**
   * Adds an OAuth 2.0 client credential without a request, or replaces the one with its client id.
   *
   * @throws InvalidOptionError for an invalid field.
   * @example mock.addCredential({ clientId: "ci", clientSecret: "secret", scopes: ["modeltargets.view"] });
   */
  addCredential(credential: ClientCredential): void {
    const given = checked("credential", credentialRecord, credential);
    this.parts.store.runNow(changes.putCredential(given));
  }

  /** Current OAuth 2.0 client credentials with their secrets, in order of creation. */
  get credentials(): readonly ClientCredential[] {
    return this.parts.store.readNow(reads.credentials);
  }

  /** Deletes an OAuth 2.0 client credential. Returns false when there is none with that client id. */
  deleteCredential(clientId: string): boolean {
    return this.parts.store.runNow(changes.deleteCredential(clientId));
  }

  /**
   * Makes requests fail from now on: with another response, a delay, or no response. If several faults match a request, only
   * the newest applies. The journal records the fault; the request does not count as refused.
   *
   * @returns a handle that removes the fault and counts the requests it applied to.
   * @throws InvalidOptionError for an invalid field, or for a fault without any effect.
   * @example mock.addFault({ operation: "addTarget", response: { resultCode: "TooManyRequests", status: 429 }, times: 2 });
   */
  addFault(fault: Fault): FaultHandle {
    return createFault(() => this.parts.faults, fault, this.addFault);
  }

  /**
   * Returns the state as plain JSON, which this or another mock, process or compatible version can {@link restore}: databases
   * with their keys and targets, reports, rate-limit histories, datasets and credentials. The journal and the options are not
   * included. Times are absolute, so processing continues by the restoring mock's clock.
   *
   * @example await writeFile("state.json", JSON.stringify(mock.snapshot()));
   */
  snapshot(): Snapshot {
    return this.parts.store.readNow(wholeSnapshot);
  }

  /**
   * Writes the state to a file, atomically: that of {@link snapshot}, as JSON with each image once, in base64.
   *
   * @throws the error of the file system when the file cannot be written.
   * @example await mock.save("state.json");
   */
  async save(path: string): Promise<void> {
    const snapshot = this.snapshot();
    const { writeStateFile } = await import("../core/store/state-file.ts");
    await writeStateFile(path, snapshot);
  }

  /**
   * Replaces the state with that of a snapshot. Restoring a snapshot that this process took copies no data.
   *
   * @param snapshot - what {@link EmulatorControl.snapshot} returned, or the parsed JSON of it.
   * @throws InvalidSnapshotError for the first problem in the snapshot; the state does not change then.
   * @example mock.restore(JSON.parse(await readFile("state.json", "utf8")));
   */
  restore(snapshot: Snapshot): void {
    if (typeof snapshot === "string")
      throw new InvalidSnapshotError("the snapshot is text: parse it, as restore(JSON.parse(text))");
    const problem = this.parts.store.runNow(control.restore(this.parts, snapshot));
    if (problem !== undefined) throw new InvalidSnapshotError(problem);
  }

  /**
   * Describes the requests so far as readable text: what was refused and what to change, and which targets queries considered.
   * Contains no secrets.
   *
   * @param filter - the requests to describe; default: all that the journal has.
   * @throws InvalidOptionError for an invalid filter.
   * @example console.log(mock.explain({ refused: true }));
   */
  explain(filter: RequestFilter = {}): string {
    const { entries, dropped } = this.parts.journal;
    return describeRequests(filterEntries(entries, filter), dropped);
  }

  /**
   * Deletes every database, dataset, credential, report and fault, clears the journal, and undoes every change to the clock.
   * Requests that faults delay are answered.
   */
  async reset(): Promise<void> {
    await control.reset(this.parts);
  }

  #cloudDatabase(database: CloudDatabase): MockCloudDatabase {
    return new MockCloudDatabase(
      database,
      () => this.parts.store,
      () => this.#now,
    );
  }

  get #now(): number {
    return this.parts.clock.now().getTime();
  }
}
