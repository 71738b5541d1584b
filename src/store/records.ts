import type { ClientCredential } from "../schema/credential.ts";
import type { Database } from "../schema/database.ts";
import type { Dataset } from "../schema/dataset.ts";
import { isProcessed } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { Target } from "../schema/target.ts";
import type { TemplateTarget } from "../schema/vumark-database.ts";

/** The kinds of records: those of a database, and those that belong to no database. */
export interface RecordKinds {
  readonly database: Database;
  readonly target: Target;
  readonly template: TemplateTarget;
  readonly report: Report;
  readonly dataset: Dataset;
  readonly credential: ClientCredential;
}

/** A record that replaces the one with its kind and key; null removes it. */
export type Change<Kinds = RecordKinds> = {
  readonly [Kind in keyof Kinds]: {
    readonly kind: Kind;
    readonly key: string;
    readonly record: Kinds[Kind] | null;
  };
}[keyof Kinds];

/** The records of one database as a verb reads them. */
export interface ReadableRecords {
  /** Undefined among the records that belong to no database. */
  readonly database: Database | undefined;
  /** Undeleted targets by id, in no particular order. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly deleted: ReadonlyMap<string, Target>;
  readonly templates: ReadonlyMap<string, TemplateTarget>;
  readonly reports: ReadonlyMap<string, Report>;
  readonly datasets: ReadonlyMap<string, Dataset>;
  readonly credentials: ReadonlyMap<string, ClientCredential>;
  /** The undeleted target of that name. */
  targetNamed(name: string): Target | undefined;
  /** Undeleted targets by upload date, then tick, then id. */
  listTargets(): readonly Target[];
  /** Deleted targets too, in the same order. */
  listAllTargets(): readonly Target[];
  /** Counts undeleted targets. Costs as much as there are changed and processing ones. */
  countByStatus(now: number): TargetCounts;
}

/** How many targets there are of each kind that `GET /summary` tells apart. */
export interface TargetCounts {
  /** Successfully processed, with the active flag. */
  readonly active: number;
  /** Successfully processed, without the active flag. */
  readonly inactive: number;
  readonly failed: number;
  readonly processing: number;
}

export const NO_TARGETS: TargetCounts = { active: 0, inactive: 0, failed: 0, processing: 0 };

/** Counts targets, each once: counting again looks only at those that were new, changed or still processing. */
class TargetCounter {
  private readonly counts = { active: 0, inactive: 0, failed: 0 };
  /** Targets that are not among the counts yet; undefined: none is. */
  private uncounted: Map<string, Target> | undefined;
  /** All counted targets are processed from this moment on. */
  private countedAt = Number.NEGATIVE_INFINITY;

  /** @param targets - what to count. Every change of it is told to {@link replace}. */
  constructor(private readonly targets: ReadonlyMap<string, Target>) {}

  /** Notes that a target became another one, is new, or went. */
  replace(before: Target | undefined, after: Target | undefined): void {
    if (this.uncounted === undefined) return;
    if (before !== undefined && !this.uncounted.delete(before.targetId)) this.counts[kindOf(before)] -= 1;
    if (after !== undefined) this.uncounted.set(after.targetId, after);
  }

  at(now: number): TargetCounts {
    // A clock that went back: targets that were processed may be processing again.
    if (now < this.countedAt) this.uncounted = undefined;
    if (this.uncounted === undefined) {
      Object.assign(this.counts, { active: 0, inactive: 0, failed: 0 });
      this.uncounted = new Map(this.targets);
    }
    for (const [id, target] of this.uncounted) {
      if (!isProcessed(target, now)) continue;
      this.uncounted.delete(id);
      this.counts[kindOf(target)] += 1;
      this.countedAt = now;
    }
    return { ...this.counts, processing: this.uncounted.size };
  }
}

const kindOf = ({ outcome, activeFlag }: Target): Exclude<keyof TargetCounts, "processing"> =>
  outcome === "failed" ? "failed" : activeFlag ? "active" : "inactive";

const byUpload = (a: Target, b: Target): number =>
  a.uploadDate - b.uploadDate || a.tick - b.tick || (a.targetId < b.targetId ? -1 : 1);

/** How many changes the log keeps, in addition to one per target. */
const REMEMBERED_CHANGES = 1000;

/** The records of one database, in memory. A change replaces single records, so its cost does not depend on how many there are. */
export class Records implements ReadableRecords {
  database: Database | undefined;
  readonly targets = new Map<string, Target>();
  readonly deleted = new Map<string, Target>();
  readonly templates = new Map<string, TemplateTarget>();
  readonly reports = new Map<string, Report>();
  readonly datasets = new Map<string, Dataset>();
  readonly credentials = new Map<string, ClientCredential>();
  private readonly idsByName = new Map<string, string>();
  private listed: readonly Target[] | undefined;
  private readonly counter = new TargetCounter(this.targets);

  targetNamed(name: string): Target | undefined {
    const id = this.idsByName.get(name);
    return id === undefined ? undefined : this.targets.get(id);
  }

  listTargets(): readonly Target[] {
    this.listed ??= [...this.targets.values()].sort(byUpload);
    return this.listed;
  }

  listAllTargets(): readonly Target[] {
    return [...this.targets.values(), ...this.deleted.values()].sort(byUpload);
  }

  countByStatus(now: number): TargetCounts {
    return this.counter.at(now);
  }

  apply(change: Change): void {
    switch (change.kind) {
      case "database":
        this.database = change.record ?? undefined;
        break;
      case "target":
        this.putTarget(change.key, change.record);
        break;
      case "template":
        put(this.templates, change.key, change.record);
        break;
      case "report":
        put(this.reports, change.key, change.record);
        break;
      case "dataset":
        put(this.datasets, change.key, change.record);
        break;
      case "credential":
        put(this.credentials, change.key, change.record);
        break;
    }
  }

  /** Every record, as changes that recreate all of them from nothing. */
  *all(): Iterable<Change> {
    if (this.database !== undefined) yield { kind: "database", key: "", record: this.database };
    for (const [key, record] of this.targets) yield { kind: "target", key, record };
    for (const [key, record] of this.deleted) yield { kind: "target", key, record };
    for (const [key, record] of this.templates) yield { kind: "template", key, record };
    for (const [key, record] of this.reports) yield { kind: "report", key, record };
    for (const [key, record] of this.datasets) yield { kind: "dataset", key, record };
    for (const [key, record] of this.credentials) yield { kind: "credential", key, record };
  }

  private putTarget(id: string, target: Target | null): void {
    const before = this.targets.get(id);
    if (before !== undefined && this.idsByName.get(before.name) === id) this.idsByName.delete(before.name);
    if (target !== null && target.deleteDate === null) {
      this.targets.set(id, target);
      this.idsByName.set(target.name, id);
      this.counter.replace(before, target);
    } else {
      this.counter.replace(before, undefined);
      this.targets.delete(id);
      put(this.deleted, id, target);
    }
    this.listed = undefined;
  }
}

function put<T>(records: Map<string, T>, key: string, record: T | null): void {
  if (record === null) records.delete(key);
  else records.set(key, record);
}

/** Records with a version and a log, so that a client that knows an earlier version receives only what changed since. */
export class VersionedRecords extends Records {
  version = 0;
  private log: { readonly version: number; readonly kind: Change["kind"]; readonly key: string }[] = [];
  /** The log is complete after this version. */
  private loggedSince = 0;

  commit(changes: readonly Change[]): void {
    this.version += 1;
    for (const change of changes) {
      this.apply(change);
      this.log.push({ version: this.version, kind: change.kind, key: change.key });
    }
    const kept = REMEMBERED_CHANGES + this.targets.size;
    if (this.log.length > 2 * kept) {
      this.loggedSince = this.log[this.log.length - kept - 1]?.version ?? this.version;
      this.log = this.log.slice(-kept);
    }
  }

  /** What changed after a version; undefined when the log no longer covers it, or there was no such version. */
  since(version: number): readonly Change[] | undefined {
    if (version < this.loggedSince || version > this.version) return undefined;
    const changed = new Map<string, Change>();
    for (let index = this.log.length - 1; index >= 0; index -= 1) {
      const entry = this.log[index];
      if (entry === undefined || entry.version <= version) break;
      const place = `${entry.kind} ${entry.key}`;
      if (!changed.has(place)) changed.set(place, this.current(entry.kind, entry.key));
    }
    return [...changed.values()].reverse();
  }

  private current(kind: Change["kind"], key: string): Change {
    switch (kind) {
      case "database":
        return { kind, key, record: this.database ?? null };
      case "target":
        return { kind, key, record: this.targets.get(key) ?? this.deleted.get(key) ?? null };
      case "template":
        return { kind, key, record: this.templates.get(key) ?? null };
      case "report":
        return { kind, key, record: this.reports.get(key) ?? null };
      case "dataset":
        return { kind, key, record: this.datasets.get(key) ?? null };
      case "credential":
        return { kind, key, record: this.credentials.get(key) ?? null };
    }
  }
}
