import type { CloudDatabase } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget } from "../schema/database.ts";
import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import { isProcessed } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { Target } from "../schema/target.ts";

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
export type Change<Kinds = RecordKinds, Kind extends keyof Kinds = keyof Kinds> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly key: string; readonly record: Kinds[Each] | null };
}[Kind];

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
  /** Undeleted targets by upload date, then id. */
  listTargets(): readonly Target[];
  /** Deleted targets too, in the same order. */
  listAllTargets(): readonly Target[];
  /** Counts undeleted targets. Costs as much as there are changed and processing ones. */
  countByStatus(now: number): TargetCounts;
}

/** The records of a database that exists. Whoever keeps them sees later changes too. */
export type RecordsOf<D extends Database = Database> = ReadableRecords & { readonly database: D };

/** Whether they are the records of a cloud database. */
export const isOfCloud = (records: ReadableRecords | undefined): records is RecordsOf<CloudDatabase> =>
  records?.database?.kind === "cloud";

/** How many targets there are of each kind that `GET /summary` tells apart. */
export interface TargetCounts {
  /** Successfully processed, with the active flag. */
  readonly active: number;
  /** Successfully processed, without the active flag. */
  readonly inactive: number;
  readonly failed: number;
  readonly processing: number;
}

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
  a.uploadDate - b.uploadDate || (a.targetId < b.targetId ? -1 : 1);

/** How many changes the log keeps, in addition to one per target. */
const REMEMBERED_CHANGES = 1000;

/** The kinds of records of which there may be many, besides targets. */
const OTHER_KINDS = ["template", "report", "dataset", "credential"] as const;
type OtherKind = (typeof OTHER_KINDS)[number];

/** The records of one database, in memory. A change replaces single records, so its cost does not depend on how many there are. */
export class Records implements ReadableRecords {
  database: Database | undefined;
  readonly targets = new Map<string, Target>();
  readonly deleted = new Map<string, Target>();
  readonly templates = new Map<string, TemplateTarget>();
  readonly reports = new Map<string, Report>();
  readonly datasets = new Map<string, Dataset>();
  readonly credentials = new Map<string, ClientCredential>();
  private readonly others: { readonly [Kind in OtherKind]: Map<string, RecordKinds[Kind]> } = {
    template: this.templates,
    report: this.reports,
    dataset: this.datasets,
    credential: this.credentials,
  };
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

  apply({ kind, key, record }: Change): void {
    if (kind === "database") this.database = record ?? undefined;
    else if (kind === "target") this.putTarget(key, record);
    else put<unknown>(this.others[kind], key, record);
  }

  /** The latest record of a kind and key, as the change that led to it. */
  current(kind: Change["kind"], key: string): Change {
    if (kind === "database") return { kind, key, record: this.database ?? null };
    if (kind === "target")
      return { kind, key, record: this.targets.get(key) ?? this.deleted.get(key) ?? null };
    return this.currentOther(kind, key);
  }

  /** Every record, as changes that recreate all of them from nothing. */
  *all(): Iterable<Change> {
    if (this.database !== undefined) yield { kind: "database", key: "", record: this.database };
    for (const targets of [this.targets, this.deleted])
      for (const [key, record] of targets) yield { kind: "target", key, record };
    for (const kind of OTHER_KINDS)
      for (const key of this.others[kind].keys()) yield this.currentOther(kind, key);
  }

  private currentOther<Kind extends OtherKind>(kind: Kind, key: string): Change<RecordKinds, Kind> {
    const records: ReadonlyMap<string, RecordKinds[Kind]> = this.others[kind];
    return { kind, key, record: records.get(key) ?? null };
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
}
