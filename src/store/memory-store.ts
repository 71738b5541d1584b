import type { ClientCredential } from "../domain/credential.ts";
import type { CloudDatabase, Database, DatabaseSettings, VuMarkDatabase } from "../domain/database.ts";
import type { Dataset } from "../domain/dataset.ts";
import type { Report } from "../domain/report.ts";
import {
  type RecognitionCounts,
  ratingAt,
  statusAt,
  type Target,
  type TemplateTarget,
} from "../domain/target.ts";
import { RequestHistory } from "../runtime/rate-limiter.ts";
import { ChangeLog } from "./change-log.ts";
import { type Entry, emptyRecords, entryOf, recordsOf } from "./entry.ts";
import { ImageShelf } from "./image-shelf.ts";
import type { DatabaseRecords, StoreState } from "./state.ts";
import type { Conflict, NewTarget, RateRule, Store, TargetChanges } from "./store.ts";

/** What becomes of an image once it was processed. */
export type AssessImage = (image: Buffer) => Promise<Pick<Target, "outcome" | "rating">>;

/** A database's present state, or how it differs from an earlier one. */
export interface DatabaseState {
  readonly tag: string;
  /** All undeleted targets; otherwise those that changed since, deleted ones too. In order of creation. */
  readonly complete: boolean;
  readonly database: Database;
  readonly targets: readonly Target[];
  readonly templates: readonly TemplateTarget[];
}

/** All state in this process's memory. Every verb but those that rate an image answers at once. */
export class MemoryStore implements Store {
  private readonly entries = new Map<string, Entry>();
  private readonly byServerAccessKey = new Map<string, Entry>();
  private readonly byServerSecretKey = new Map<string, Entry>();
  private readonly byClientAccessKey = new Map<string, Entry>();
  private readonly byClientSecretKey = new Map<string, Entry>();
  private readonly byId = new Map<string, Entry>();
  private readonly datasets = new Map<string, Dataset>();
  private readonly credentials = new Map<string, ClientCredential>();
  private readonly images = new ImageShelf();
  private lastChange = 0;

  /** @param assess - decides what processing an image ends in, once for each stored image. */
  constructor(private readonly assess: AssessImage) {}

  createDatabase(database: Database): Conflict | undefined {
    const conflict = this.conflictOf(database);
    if (conflict !== undefined) return conflict;
    this.addEntry(emptyRecords(database));
    return undefined;
  }

  listCloudDatabases(): readonly CloudDatabase[] {
    return [...this.entries.values()].flatMap(({ database }) =>
      database.kind === "cloud" ? [database] : [],
    );
  }

  listVuMarkDatabases(): readonly VuMarkDatabase[] {
    return [...this.entries.values()].flatMap(({ database }) =>
      database.kind === "vumark" ? [database] : [],
    );
  }

  findDatabaseByName(name: string): Database | undefined {
    return this.entries.get(name)?.database;
  }

  findDatabaseByServerAccessKey(key: string): Database | undefined {
    return this.byServerAccessKey.get(key)?.database;
  }

  findDatabaseByClientAccessKey(key: string): CloudDatabase | undefined {
    const database = this.byClientAccessKey.get(key)?.database;
    return database?.kind === "cloud" ? database : undefined;
  }

  updateDatabase(name: string, changes: Partial<DatabaseSettings>): Database | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    const { database } = entry;
    entry.database =
      database.kind === "cloud"
        ? { ...database, ...changes }
        : { ...database, state: changes.state ?? database.state };
    entry.changes.note();
    return entry.database;
  }

  deleteDatabase(name: string): boolean {
    const entry = this.entries.get(name);
    if (entry === undefined) return false;
    for (const { index, value } of this.uniqueFields(entry.database)) index.delete(value);
    for (const { image } of [...entry.targets.values(), ...entry.deleted.values()])
      this.images.release(image);
    return true;
  }

  /**
   * A database as it is now; with the tag of an earlier state only what changed since.
   *
   * @returns undefined when there is no such database, "unchanged" when the tag names the present state.
   */
  databaseState(databaseName: string, since?: string): DatabaseState | "unchanged" | undefined {
    const entry = this.entries.get(databaseName);
    if (entry === undefined) return undefined;
    const { changes, database, templates } = entry;
    if (since === changes.tag) return "unchanged";
    const changed = since === undefined ? undefined : changes.since(since);
    const targets =
      changed === undefined
        ? this.listTargets(databaseName)
        : this.listTargets(databaseName, { deleted: true }).filter(({ id }) => changed(id));
    return {
      tag: changes.tag,
      complete: changed === undefined,
      database,
      targets,
      templates: [...templates.values()],
    };
  }

  /** Bytes of an image that a target has, or had a short while ago. */
  findImage(sha256: string): Buffer | undefined {
    return this.images.find(sha256);
  }

  takeRateToken(databaseName: string, rules: readonly RateRule[], now: number): RateRule | undefined {
    const entry = this.entries.get(databaseName);
    if (entry === undefined) return undefined;
    const full = rules.find(
      ({ key, maxRequests, windowSeconds }) =>
        historyOf(entry, key).countIn(windowSeconds, now) >= maxRequests,
    );
    if (full !== undefined) return full;
    for (const { key, windowSeconds } of rules) historyOf(entry, key).add(now, windowSeconds);
    return undefined;
  }

  listTargets(databaseName: string, { deleted } = { deleted: false }): readonly Target[] {
    const entry = this.entries.get(databaseName);
    if (entry === undefined) return [];
    const targets = [...entry.targets.values()];
    if (!deleted) return targets;
    return [...targets, ...entry.deleted.values()].sort((a, b) => a.sequence - b.sequence);
  }

  countTargets(databaseName: string): number {
    return this.entries.get(databaseName)?.targets.size ?? 0;
  }

  findTarget(databaseName: string, targetId: string): Target | undefined {
    return this.entries.get(databaseName)?.targets.get(targetId);
  }

  findTargetByName(databaseName: string, name: string): Target | undefined {
    const entry = this.entries.get(databaseName);
    const id = entry?.idsByName.get(name);
    return id === undefined ? undefined : entry?.targets.get(id);
  }

  async createTarget(
    databaseName: string,
    { image, processed = false, id, name, width, active, metadata, processingTimeSeconds }: NewTarget,
    now: number,
  ): Promise<Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached"> {
    const assessment = await this.assess(image);
    // Nothing is awaited from here on: of several requests for one name or the last place, one wins.
    const entry = this.entries.get(databaseName);
    if (entry?.database.kind !== "cloud") return "unknownDatabase";
    if (entry.idsByName.has(name)) return "nameTaken";
    if (entry.targets.has(id) || entry.deleted.has(id)) return "idTaken";
    if (entry.targets.size >= entry.database.targetQuota) return "quotaReached";
    entry.lastSequence += 1;
    // Written out, not spread: thousands of objects of one hidden class are read an order of magnitude faster.
    const target: Target = {
      id,
      name,
      width,
      active,
      metadata,
      processingTimeSeconds,
      outcome: assessment.outcome,
      rating: assessment.rating,
      image: this.images.add(image),
      uploadedAt: now,
      modifiedAt: now,
      deletedAt: null,
      sequence: entry.lastSequence,
      processed,
      rated: processed,
      currentMonthRecos: 0,
      previousMonthRecos: 0,
      totalRecos: 0,
    };
    entry.targets.set(target.id, target);
    entry.idsByName.set(target.name, target.id);
    entry.changes.note(target.id);
    return target;
  }

  async updateTarget(
    databaseName: string,
    targetId: string,
    { image, ...changes }: TargetChanges,
    now: number,
    onlyAfter: readonly ("processing" | "success" | "failed")[],
  ): Promise<Target | "unknown" | "nameTaken" | "wrongStatus"> {
    const assessment = image && (await this.assess(image));
    const entry = this.entries.get(databaseName);
    const target = entry?.targets.get(targetId);
    if (entry === undefined || target === undefined) return "unknown";
    if (!onlyAfter.includes(statusAt(target, now))) return "wrongStatus";
    const { name = target.name } = changes;
    const rated = target.rated || ratingAt(target, now) !== -1;
    const owner = entry.idsByName.get(name);
    if (owner !== undefined && owner !== targetId) return "nameTaken";
    const stored = image && { image: this.images.add(image) };
    if (stored !== undefined) this.images.release(target.image);
    const updated: Target = {
      ...target,
      ...changes,
      ...assessment,
      ...stored,
      modifiedAt: now,
      processed: false,
      rated,
    };
    entry.targets.set(targetId, updated);
    entry.idsByName.delete(target.name);
    entry.idsByName.set(name, targetId);
    entry.changes.note(targetId);
    return updated;
  }

  deleteTarget(
    databaseName: string,
    targetId: string,
    now: number,
    evenProcessing = false,
  ): Target | "unknown" | "processing" {
    const entry = this.entries.get(databaseName);
    const target = entry?.targets.get(targetId);
    if (entry === undefined || target === undefined) return "unknown";
    if (!evenProcessing && statusAt(target, now) === "processing") return "processing";
    const deleted: Target = { ...target, deletedAt: now };
    entry.targets.delete(targetId);
    entry.idsByName.delete(target.name);
    entry.deleted.set(targetId, deleted);
    entry.changes.note(targetId);
    return deleted;
  }

  setRecognitionCounts(
    databaseName: string,
    targetId: string,
    counts: Partial<RecognitionCounts>,
  ): Target | undefined {
    const entry = this.entries.get(databaseName);
    const target = entry?.targets.get(targetId);
    if (entry === undefined || target === undefined) return undefined;
    const counted: Target = { ...target, ...counts };
    entry.targets.set(targetId, counted);
    entry.changes.note(targetId);
    return counted;
  }

  addTemplateTarget(databaseName: string, target: TemplateTarget): boolean {
    const entry = this.entries.get(databaseName);
    if (entry?.database.kind !== "vumark") return false;
    entry.templates.set(target.id, target);
    entry.changes.note();
    return true;
  }

  listTemplateTargets(databaseName: string): readonly TemplateTarget[] {
    return [...(this.entries.get(databaseName)?.templates.values() ?? [])];
  }

  findTemplateTarget(databaseName: string, targetId: string): TemplateTarget | undefined {
    return this.entries.get(databaseName)?.templates.get(targetId);
  }

  openReport(report: Report): Report {
    const reports = this.byId.get(report.databaseId)?.reports;
    const kept = reports?.get(report.file);
    if (kept !== undefined) return kept;
    reports?.set(report.file, report);
    return report;
  }

  findReport(databaseId: string, file: string): Report | undefined {
    return this.byId.get(databaseId)?.reports.get(file);
  }

  createDataset(dataset: Dataset): void {
    this.datasets.set(dataset.uuid, dataset);
  }

  findDataset(uuid: string): Dataset | undefined {
    return this.datasets.get(uuid);
  }

  listDatasets(): readonly Dataset[] {
    return [...this.datasets.values()];
  }

  deleteDataset(uuid: string): boolean {
    return this.datasets.delete(uuid);
  }

  createCredential(credential: ClientCredential, maximum: number): "created" | "full" {
    if (this.credentials.size >= maximum) return "full";
    this.putCredential(credential);
    return "created";
  }

  putCredential(credential: ClientCredential): void {
    this.credentials.set(credential.clientId, credential);
  }

  findCredential(clientId: string): ClientCredential | undefined {
    return this.credentials.get(clientId);
  }

  listCredentials(): readonly ClientCredential[] {
    return [...this.credentials.values()];
  }

  setCredentialScopes(clientId: string, scopes: readonly string[]): ClientCredential | undefined {
    const credential = this.credentials.get(clientId);
    if (credential === undefined) return undefined;
    const changed = { ...credential, scopes };
    this.credentials.set(clientId, changed);
    return changed;
  }

  deleteCredential(clientId: string): boolean {
    return this.credentials.delete(clientId);
  }

  finishProcessing(): void {
    for (const { targets, templates, reports, changes } of this.entries.values()) {
      changes.note();
      for (const target of targets.values()) {
        targets.set(target.id, { ...target, processed: true, rated: true });
        changes.note(target.id);
      }
      for (const template of templates.values()) templates.set(template.id, { ...template, processed: true });
      for (const report of reports.values()) reports.set(report.file, { ...report, processed: true });
    }
    for (const dataset of this.datasets.values())
      this.datasets.set(dataset.uuid, { ...dataset, processed: true });
  }

  reset(): void {
    for (const name of [...this.entries.keys()]) this.deleteDatabase(name);
    this.datasets.clear();
    this.credentials.clear();
  }

  /** Everything that it holds now; stays as it is whatever happens to the store. */
  capture(): StoreState {
    const databases = [...this.entries.values()].map(recordsOf);
    const hashes = new Set(databases.flatMap(({ targets }) => targets.map(({ image }) => image.sha256)));
    const images = new Map<string, Buffer>();
    for (const sha256 of hashes) {
      const bytes = this.images.find(sha256);
      if (bytes !== undefined) images.set(sha256, bytes);
    }
    return {
      databases,
      datasets: this.listDatasets(),
      credentials: this.listCredentials(),
      images,
    };
  }

  /** Holds exactly what another state held, whichever store it was captured from. */
  replaceWith(state: StoreState): void {
    this.reset();
    for (const records of state.databases) {
      this.addEntry(records);
      for (const { image } of records.targets) {
        const bytes = state.images.get(image.sha256);
        if (bytes !== undefined) this.images.use(image.sha256, bytes);
      }
    }
    for (const dataset of state.datasets) this.createDataset(dataset);
    for (const credential of state.credentials) this.putCredential(credential);
  }

  /** A store of its own that holds the same. */
  fork(): MemoryStore {
    const fork = new MemoryStore(this.assess);
    fork.replaceWith(this.capture());
    return fork;
  }

  private addEntry(records: DatabaseRecords): void {
    const entry = entryOf(records, new ChangeLog(this.nextChange(), () => this.nextChange()));
    for (const { index, value } of this.uniqueFields(records.database)) index.set(value, entry);
  }

  private nextChange(): number {
    this.lastChange += 1;
    return this.lastChange;
  }

  /** The indexes that hold a database, in the order in which conflicts are reported. */
  private uniqueFields(
    database: Database,
  ): { field: Conflict["conflict"]; index: Map<string, Entry>; value: string }[] {
    const cloud = database.kind === "cloud" ? database : undefined;
    const fields: { field: Conflict["conflict"]; index: Map<string, Entry>; value: string | undefined }[] = [
      { field: "id", index: this.byId, value: cloud?.id },
      { field: "name", index: this.entries, value: database.name },
      { field: "serverAccessKey", index: this.byServerAccessKey, value: database.serverAccessKey },
      { field: "serverSecretKey", index: this.byServerSecretKey, value: database.serverSecretKey },
      { field: "clientAccessKey", index: this.byClientAccessKey, value: cloud?.clientAccessKey },
      { field: "clientSecretKey", index: this.byClientSecretKey, value: cloud?.clientSecretKey },
    ];
    return fields.flatMap(({ value, ...rest }) => (value === undefined ? [] : [{ ...rest, value }]));
  }

  private conflictOf(database: Database): Conflict | undefined {
    const taken = this.uniqueFields(database).find(({ index, value }) => index.has(value));
    return taken && { conflict: taken.field, value: taken.value };
  }
}

function historyOf(entry: Entry, key: string): RequestHistory {
  const kept = entry.histories.get(key);
  if (kept !== undefined) return kept;
  const history = new RequestHistory();
  entry.histories.set(key, history);
  return history;
}
