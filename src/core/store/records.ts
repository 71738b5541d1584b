import type { CloudDatabase } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget } from "../schema/database.ts";
import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import { isProcessed } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { Target, TargetImage } from "../schema/target.ts";

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
export type Write<Kinds = RecordKinds, Kind extends keyof Kinds = keyof Kinds> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly key: string; readonly record: Kinds[Each] | null };
}[Kind];

/** The records of one database, to be read. */
export type ReadableRecords = Readonly<Omit<Records, "apply" | "all">>;

/** The records of a database that exists. Whoever keeps them sees later changes too. */
export type RecordsOf<D extends Database = Database> = ReadableRecords & { readonly database: D };

/** Returns the records if they are those of a database. */
export const ofDatabase = (records: ReadableRecords | undefined): RecordsOf | undefined =>
  (records?.database && records) as RecordsOf | undefined;

export const isOfCloud = (records: ReadableRecords | undefined): records is RecordsOf<CloudDatabase> =>
  records?.database?.kind === "cloud";

const NOTHING = Buffer.alloc(0);

/** The image of a deleted target: only its hash. */
export const freedImage = (sha256: string): TargetImage => ({
  sha256,
  bytes: () => NOTHING,
});

/** What stays of a deleted target: all but its image and metadata. */
export const withoutContent = (target: Target): Target => ({
  ...target,
  applicationMetadata: null,
  image: freedImage(target.image.sha256),
});

/** How many targets there are of each kind that `GET /summary` tells apart; the active and inactive ones were processed successfully. */
export type TargetCounts = Readonly<Record<"active" | "inactive" | "failed" | "processing", number>>;

/** Counts targets, each once: counting again looks only at those that were new, changed or still processing. */
class TargetCounter {
  private readonly counts = { active: 0, inactive: 0, failed: 0 };
  /** Targets that are not counted yet; undefined: all of them. */
  private uncounted: Map<string, Target> | undefined;
  /** All counted targets are processed from this moment on. */
  private countedAt = Number.NEGATIVE_INFINITY;

  /** @param targets - to count. Every change calls {@link replace}. */
  constructor(private readonly targets: ReadonlyMap<string, Target>) {}

  /** Records that a target was replaced, added or removed. */
  replace(before: Target | undefined, after: Target | undefined): void {
    if (this.uncounted === undefined) return;
    if (before !== undefined && !this.uncounted.delete(before.targetId)) this.counts[kindOf(before)] -= 1;
    if (after !== undefined) this.uncounted.set(after.targetId, after);
  }

  at(now: number): TargetCounts {
    // The clock moved back: processed targets may be processing again.
    if (now < this.countedAt) this.uncounted = undefined;
    if (this.uncounted === undefined) {
      Object.assign(this.counts, { active: 0, inactive: 0, failed: 0 });
      this.uncounted = new Map(this.targets);
    }
    // Most often none is left: V8 would compile the loop while the first clients wait.
    if (this.uncounted.size > 0) this.countProcessed(this.uncounted, now);
    return { processing: this.uncounted.size, ...this.counts };
  }

  private countProcessed(uncounted: Map<string, Target>, now: number): void {
    for (const [id, target] of uncounted) {
      if (!isProcessed(target, now)) continue;
      uncounted.delete(id);
      this.counts[kindOf(target)] += 1;
      this.countedAt = now;
    }
  }
}

const kindOf = ({ outcome, activeFlag }: Target): Exclude<keyof TargetCounts, "processing"> =>
  outcome === "failed" ? "failed" : activeFlag ? "active" : "inactive";

export const byUpload = (a: Target, b: Target): number =>
  a.uploadDate - b.uploadDate || (a.targetId < b.targetId ? -1 : 1);

type ManyKind = Exclude<keyof RecordKinds, "database">;

/** The records of one database, in memory. The cost of a change does not depend on their number. */
export class Records {
  /** Undefined among the records that belong to no database. */
  database: Database | undefined;
  private readonly kept: { readonly [Kind in ManyKind]: Map<string, RecordKinds[Kind]> } = {
    target: new Map(),
    template: new Map(),
    report: new Map(),
    dataset: new Map(),
    credential: new Map(),
  };
  private readonly gone = new Map<string, Target>();
  /** Undeleted targets by id, in no particular order. */
  readonly targets: ReadonlyMap<string, Target> = this.kept.target;
  readonly deleted: ReadonlyMap<string, Target> = this.gone;
  readonly templates: ReadonlyMap<string, TemplateTarget> = this.kept.template;
  readonly reports: ReadonlyMap<string, Report> = this.kept.report;
  readonly datasets: ReadonlyMap<string, Dataset> = this.kept.dataset;
  readonly credentials: ReadonlyMap<string, ClientCredential> = this.kept.credential;
  private readonly idsByName = new Map<string, string>();
  private listed: readonly Target[] | undefined;
  private readonly counter = new TargetCounter(this.targets);

  targetNamed(name: string): Target | undefined {
    const id = this.idsByName.get(name);
    return id === undefined ? undefined : this.targets.get(id);
  }

  /** Undeleted targets by upload date, then id. */
  listTargets(): readonly Target[] {
    this.listed ??= [...this.targets.values()].sort(byUpload);
    return this.listed;
  }

  /** Deleted targets too, in the same order. */
  listAllTargets(): readonly Target[] {
    return [...this.targets.values(), ...this.deleted.values()].sort(byUpload);
  }

  /** Counts undeleted targets. Costs as much as there are changed and processing ones. */
  countByStatus(now: number): TargetCounts {
    return this.counter.at(now);
  }

  apply({ kind, key, record }: Write): void {
    if (kind === "database") this.database = record ?? undefined;
    else if (kind === "target") this.putTarget(key, record);
    else put<unknown>(this.kept[kind], key, record);
  }

  /** Every record, as the writes that recreate them. */
  *all(): Iterable<Write> {
    if (this.database !== undefined) yield { kind: "database", key: "", record: this.database };
    for (const [key, record] of this.deleted) yield { kind: "target", key, record };
    for (const kind of Object.keys(this.kept) as ManyKind[])
      for (const key of this.kept[kind].keys()) yield this.keptOf(kind, key);
  }

  private keptOf<Kind extends ManyKind>(kind: Kind, key: string): Write<RecordKinds, Kind> {
    const records: ReadonlyMap<string, RecordKinds[Kind]> = this.kept[kind];
    return { kind, key, record: records.get(key) ?? null };
  }

  private putTarget(id: string, target: Target | null): void {
    const before = this.targets.get(id);
    if (before !== undefined && this.idsByName.get(before.name) === id) this.idsByName.delete(before.name);
    if (target !== null && target.deleteDate === null) {
      this.kept.target.set(id, target);
      this.idsByName.set(target.name, id);
      this.counter.replace(before, target);
    } else {
      this.counter.replace(before, undefined);
      this.kept.target.delete(id);
      put(this.gone, id, target);
    }
    this.listed = undefined;
  }
}

function put<T>(records: Map<string, T>, key: string, record: T | null): void {
  if (record === null) records.delete(key);
  else records.set(key, record);
}

/** An id, or if it can be generated again, one that is not taken. */
export function freeId(
  generated: string,
  isTaken: (id: string) => boolean,
  anotherId?: () => string,
): string {
  let id = generated;
  while (anotherId !== undefined && isTaken(id)) id = anotherId();
  return id;
}
