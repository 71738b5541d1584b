import type { CloudDatabase, Database, DatabaseSettings, VuMarkDatabase } from "../domain/database.ts";
import { changedTarget, newTarget } from "../domain/new-target.ts";
import type { Report } from "../domain/report.ts";
import { type RecognitionCounts, statusAt, type Target, type TemplateTarget } from "../domain/target.ts";
import { ChangeLog } from "./change-log.ts";
import { DatabaseIndex } from "./database-index.ts";
import {
  allTargets,
  type DatabaseState,
  type Entry,
  emptyRecords,
  entryOf,
  finishEntry,
  recordsOf,
  stateSince,
  takeToken,
} from "./entry.ts";
import { ImageShelf } from "./image-shelf.ts";
import { readSnapshot, snapshotOf } from "./snapshot.ts";
import type { DatabaseRecords, Snapshot, StoreState } from "./state.ts";
import type { Conflict, NewTarget, RateRule, Store, TargetChanges } from "./store.ts";
import { UnownedRecords } from "./unowned-records.ts";

/** What becomes of an image once it was processed. */
export type AssessImage = (image: Buffer) => Promise<Pick<Target, "outcome" | "rating">>;

/** All state in this process's memory. Every verb but those that rate an image answers at once. */
export class MemoryStore extends UnownedRecords implements Store {
  private readonly databases = new DatabaseIndex();
  private readonly images = new ImageShelf();
  private lastChange = 0;

  /** @param assess - decides what processing an image ends in, once for each stored image. */
  constructor(private readonly assess: AssessImage) {
    super();
  }

  createDatabase(database: Database): Conflict | undefined {
    const conflict = this.databases.conflictOf(database);
    if (conflict !== undefined) return conflict;
    this.addEntry(emptyRecords(database));
    return undefined;
  }

  listCloudDatabases(): readonly CloudDatabase[] {
    return this.databases.all.flatMap(({ database }) => (database.kind === "cloud" ? [database] : []));
  }

  listVuMarkDatabases(): readonly VuMarkDatabase[] {
    return this.databases.all.flatMap(({ database }) => (database.kind === "vumark" ? [database] : []));
  }

  findDatabaseByName(name: string): Database | undefined {
    return this.entry(name)?.database;
  }

  findDatabaseByServerAccessKey(key: string): Database | undefined {
    return this.databases.find("serverAccessKey", key)?.database;
  }

  findDatabaseByClientAccessKey(key: string): CloudDatabase | undefined {
    const database = this.databases.find("clientAccessKey", key)?.database;
    return database?.kind === "cloud" ? database : undefined;
  }

  updateDatabase(name: string, changes: Partial<DatabaseSettings>): Database | undefined {
    const entry = this.entry(name);
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
    const entry = this.entry(name);
    if (entry === undefined) return false;
    this.databases.remove(entry);
    for (const { image } of allTargets(entry)) this.images.release(image);
    return true;
  }

  /**
   * A database as it is now; with the tag of an earlier state only what changed since.
   *
   * @returns undefined when there is no such database, "unchanged" when the tag names the present state.
   */
  databaseState(databaseName: string, since?: string): DatabaseState | "unchanged" | undefined {
    const entry = this.entry(databaseName);
    return entry === undefined ? undefined : stateSince(entry, since);
  }

  /** Bytes of an image that a target has, or had a short while ago. */
  findImage(sha256: string): Buffer | undefined {
    return this.images.find(sha256);
  }

  takeRateToken(databaseName: string, rules: readonly RateRule[], now: number): RateRule | undefined {
    const entry = this.entry(databaseName);
    return entry && takeToken(entry, rules, now);
  }

  listTargets(databaseName: string, { deleted } = { deleted: false }): readonly Target[] {
    const entry = this.entry(databaseName);
    if (entry === undefined) return [];
    return deleted ? allTargets(entry) : [...entry.targets.values()];
  }

  countTargets(databaseName: string): number {
    return this.entry(databaseName)?.targets.size ?? 0;
  }

  findTarget(databaseName: string, targetId: string): Target | undefined {
    return this.entry(databaseName)?.targets.get(targetId);
  }

  findTargetByName(databaseName: string, name: string): Target | undefined {
    const entry = this.entry(databaseName);
    const id = entry?.idsByName.get(name);
    return id === undefined ? undefined : entry?.targets.get(id);
  }

  async createTarget(
    databaseName: string,
    { image, ...given }: NewTarget,
    now: number,
  ): Promise<Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached"> {
    const assessment = await this.assess(image);
    // Nothing is awaited from here on: of several requests for one name or the last place, one wins.
    const entry = this.entry(databaseName);
    if (entry?.database.kind !== "cloud") return "unknownDatabase";
    if (entry.idsByName.has(given.name)) return "nameTaken";
    if (entry.targets.has(given.id) || entry.deleted.has(given.id)) return "idTaken";
    if (entry.targets.size >= entry.database.targetQuota) return "quotaReached";
    entry.lastSequence += 1;
    const target = newTarget(
      given,
      { ...assessment, image: this.images.add(image), sequence: entry.lastSequence },
      now,
    );
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
    const entry = this.entry(databaseName);
    const target = entry?.targets.get(targetId);
    if (entry === undefined || target === undefined) return "unknown";
    if (!onlyAfter.includes(statusAt(target, now))) return "wrongStatus";
    const { name = target.name } = changes;
    const owner = entry.idsByName.get(name);
    if (owner !== undefined && owner !== targetId) return "nameTaken";
    const made = image && assessment && { ...assessment, image: this.images.add(image) };
    if (made !== undefined) this.images.release(target.image);
    const updated = changedTarget(target, { ...changes, ...made }, now);
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
    const entry = this.entry(databaseName);
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
    const entry = this.entry(databaseName);
    const target = entry?.targets.get(targetId);
    if (entry === undefined || target === undefined) return undefined;
    const counted: Target = { ...target, ...counts };
    entry.targets.set(targetId, counted);
    entry.changes.note(targetId);
    return counted;
  }

  addTemplateTarget(databaseName: string, target: TemplateTarget): boolean {
    const entry = this.entry(databaseName);
    if (entry?.database.kind !== "vumark") return false;
    entry.templates.set(target.id, target);
    entry.changes.note();
    return true;
  }

  listTemplateTargets(databaseName: string): readonly TemplateTarget[] {
    return [...(this.entry(databaseName)?.templates.values() ?? [])];
  }

  findTemplateTarget(databaseName: string, targetId: string): TemplateTarget | undefined {
    return this.entry(databaseName)?.templates.get(targetId);
  }

  openReport(report: Report): Report {
    const reports = this.databases.find("id", report.databaseId)?.reports;
    const kept = reports?.get(report.file);
    if (kept !== undefined) return kept;
    reports?.set(report.file, report);
    return report;
  }

  findReport(databaseId: string, file: string): Report | undefined {
    return this.databases.find("id", databaseId)?.reports.get(file);
  }

  finishProcessing(): void {
    for (const entry of this.databases.all) finishEntry(entry);
    for (const dataset of this.datasets.values())
      this.datasets.set(dataset.uuid, { ...dataset, processed: true });
  }

  reset(): void {
    for (const { database } of this.databases.all) this.deleteDatabase(database.name);
    this.datasets.clear();
    this.credentials.clear();
  }

  snapshot(): Snapshot {
    return snapshotOf(this.capture());
  }

  restore(snapshot: unknown): string | undefined {
    const state = readSnapshot(snapshot, (sha256) => this.findImage(sha256));
    if (typeof state === "string") return state;
    this.replaceWith(state);
    return undefined;
  }

  /** A store of its own that holds the same. */
  fork(): MemoryStore {
    const fork = new MemoryStore(this.assess);
    fork.replaceWith(this.capture());
    return fork;
  }

  private capture(): StoreState {
    const databases = this.databases.all.map(recordsOf);
    const images = this.images.bytesOf(databases.flatMap(({ targets }) => targets.map(({ image }) => image)));
    return { databases, datasets: this.listDatasets(), credentials: this.listCredentials(), images };
  }

  private replaceWith(state: StoreState): void {
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

  private entry(databaseName: string): Entry | undefined {
    return this.databases.find("name", databaseName);
  }

  private addEntry(records: DatabaseRecords): void {
    const entry = entryOf(records, new ChangeLog(this.nextChange(), () => this.nextChange()));
    this.databases.add(entry);
  }

  private nextChange(): number {
    this.lastChange += 1;
    return this.lastChange;
  }
}
