import type { ClientCredential } from "../domain/credential.ts";
import type { CloudDatabase, Database, DatabaseSettings, VuMarkDatabase } from "../domain/database.ts";
import type { Dataset } from "../domain/dataset.ts";
import type { TargetFields } from "../domain/new-target.ts";
import type { Report } from "../domain/report.ts";
import type { RecognitionCounts, Target, TemplateTarget } from "../domain/target.ts";
import type { Awaitable } from "../runtime/awaitable.ts";
import type { Snapshot } from "./state.ts";

/** A unique field that a new database would have shared with another, and the value. */
export interface Conflict {
  readonly conflict:
    | "serverAccessKey"
    | "serverSecretKey"
    | "name"
    | "clientAccessKey"
    | "clientSecretKey"
    | "id";
  readonly value: string;
}

/** A target to create. The store rates the image, and gives the record its place in the order of creation. */
export interface NewTarget extends TargetFields {
  readonly image: Buffer;
}

export interface TargetChanges {
  readonly name?: string;
  readonly width?: number;
  readonly image?: Buffer;
  readonly active?: boolean;
  readonly metadata?: string | null;
}

/** One limit that a request must fit into, beside the key that its history is kept under. */
export interface RateRule {
  readonly key: string;
  readonly maxRequests: number;
  readonly windowSeconds: number;
}

/**
 * All shared state of an emulator. Verbs that can conflict decide atomically and return the conflict as a value;
 * look-ups are by index. Lists are in order of creation. Implement this to keep the state elsewhere; the contract
 * is `test/store`.
 */
export interface Store {
  createDatabase(database: Database): Awaitable<Conflict | undefined>;
  listCloudDatabases(): Awaitable<readonly CloudDatabase[]>;
  listVuMarkDatabases(): Awaitable<readonly VuMarkDatabase[]>;
  findDatabaseByName(name: string): Awaitable<Database | undefined>;
  findDatabaseByServerAccessKey(key: string): Awaitable<Database | undefined>;
  findDatabaseByClientAccessKey(key: string): Awaitable<CloudDatabase | undefined>;
  updateDatabase(name: string, changes: Partial<DatabaseSettings>): Awaitable<Database | undefined>;
  /** Drops the database with its targets, reports and rate-limit history. False: there was none. */
  deleteDatabase(name: string): Awaitable<boolean>;

  /**
   * Takes one request from every rule's budget, or from none: the first rule that is full is returned.
   * A window is `(now - window, now]`.
   */
  takeRateToken(
    databaseName: string,
    rules: readonly RateRule[],
    now: number,
  ): Awaitable<RateRule | undefined>;

  /** Targets that are not deleted, or all, in order of creation. */
  listTargets(databaseName: string, options?: { deleted: boolean }): Awaitable<readonly Target[]>;
  countTargets(databaseName: string): Awaitable<number>;
  /** An undeleted target. */
  findTarget(databaseName: string, targetId: string): Awaitable<Target | undefined>;
  /** The undeleted target of that name. */
  findTargetByName(databaseName: string, name: string): Awaitable<Target | undefined>;
  createTarget(
    databaseName: string,
    target: NewTarget,
    now: number,
  ): Awaitable<Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached">;
  /** Starts processing again. `onlyAfter`: the states in which an update is allowed. */
  updateTarget(
    databaseName: string,
    targetId: string,
    changes: TargetChanges,
    now: number,
    onlyAfter: readonly ("processing" | "success" | "failed")[],
  ): Awaitable<Target | "unknown" | "nameTaken" | "wrongStatus">;
  /** `evenProcessing`: delete whatever the status. */
  deleteTarget(
    databaseName: string,
    targetId: string,
    now: number,
    evenProcessing?: boolean,
  ): Awaitable<Target | "unknown" | "processing">;
  /** Fields not given stay; last-modified does not change. */
  setRecognitionCounts(
    databaseName: string,
    targetId: string,
    counts: Partial<RecognitionCounts>,
  ): Awaitable<Target | undefined>;

  /** Adding the same template target again leaves one. False: no such database. */
  addTemplateTarget(databaseName: string, target: TemplateTarget): Awaitable<boolean>;
  listTemplateTargets(databaseName: string): Awaitable<readonly TemplateTarget[]>;
  findTemplateTarget(databaseName: string, targetId: string): Awaitable<TemplateTarget | undefined>;

  /** Keeps the report, or returns the one already kept under its database and file. */
  openReport(report: Report): Awaitable<Report>;
  findReport(databaseId: string, file: string): Awaitable<Report | undefined>;

  createDataset(dataset: Dataset): Awaitable<void>;
  findDataset(uuid: string): Awaitable<Dataset | undefined>;
  listDatasets(): Awaitable<readonly Dataset[]>;
  deleteDataset(uuid: string): Awaitable<boolean>;

  /** "full": that many exist already. */
  createCredential(credential: ClientCredential, maximum: number): Awaitable<"created" | "full">;
  /** Adds, or replaces the one with the same client id. */
  putCredential(credential: ClientCredential): Awaitable<void>;
  findCredential(clientId: string): Awaitable<ClientCredential | undefined>;
  listCredentials(): Awaitable<readonly ClientCredential[]>;
  setCredentialScopes(clientId: string, scopes: readonly string[]): Awaitable<ClientCredential | undefined>;
  deleteCredential(clientId: string): Awaitable<boolean>;

  /** Every target, template target, report and dataset is past its processing time from now on. */
  finishProcessing(): Awaitable<void>;
  /** Back to no state at all. */
  reset(): Awaitable<void>;
  /** Everything that is held now. */
  snapshot(): Awaitable<Snapshot>;
  /**
   * Holds what a snapshot holds, and nothing else.
   *
   * @returns what of it is wrong; the state is then what it was.
   */
  restore(snapshot: unknown): Awaitable<string | undefined>;
}
