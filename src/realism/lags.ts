import { addRemark, type Context } from "../core/emulator/context.ts";
import { type AnyCause, cause } from "../core/schema/causes/causes.ts";
import type { Database } from "../core/schema/database.ts";
import { hasPassed } from "../core/schema/processing.ts";
import type { Target } from "../core/schema/target.ts";
import type { RecordsOf } from "../core/store/records.ts";
import { freedImage, withoutContent } from "../core/store/records.ts";
import type { RealismValues } from "./options.ts";

export type ChangeKind = "added" | "updated" | "deleted";

interface UnseenChange {
  readonly kind: ChangeKind;
  readonly at: number;
  /** Undefined: there was no target. */
  readonly before: Target | undefined;
  readonly after: Target;
  /** Queries and duplicates have seen it: `before` has no image and metadata any more. */
  readonly isCompared?: true;
}

/** The latest unseen change of a target; `before` is the target that the request sees. */
export interface Lag extends UnseenChange {
  readonly seconds: number;
  /** The target as it is; undefined: it is deleted. */
  readonly current: Target | undefined;
}

type LagOf = (change: UnseenChange) => number;

const FIELDS: readonly (keyof Target)[] = [
  ...(["name", "width", "activeFlag", "applicationMetadata", "processed"] as const),
  ...(["uploadDate", "lastModifiedDate", "deleteDate"] as const),
];

/** Whether two records are equal besides their counts, wherever they were read. */
const isSame = (a: Target, b: Target | undefined): boolean =>
  b !== undefined && a.image.sha256 === b.image.sha256 && FIELDS.every((field) => a[field] === b[field]);

/**
 * What clients changed and do not see yet. Only changes by clients are recorded, so a test's own changes are seen at once, and the
 * store needs no lags.
 */
export class Lags {
  constructor(
    private readonly seconds: RealismValues,
    /** By database name and target id; the latest changes come last. */
    private readonly databases = new Map<string, Map<string, readonly UnseenChange[]>>(),
    /** Changes whose earlier state queries and duplicates see, or saw a moment ago; the oldest first. */
    private readonly compared: { readonly databaseName: string; readonly change: UnseenChange }[] = [],
  ) {}

  fork(): Lags {
    const copies = [...this.databases].map(([id, targets]) => [id, new Map(targets)] as const);
    return new Lags(this.seconds, new Map(copies), [...this.compared]);
  }

  end(): void {
    this.databases.clear();
    this.compared.length = 0;
  }

  /** For requests for one target and the list, which see deletions at once. */
  readonly visibility: LagOf = () => this.seconds.visibilityLagSeconds;
  /** For queries and duplicates. */
  readonly comparison: LagOf = ({ kind, isCompared }) => {
    if (isCompared) return 0;
    return kind === "deleted" ? this.seconds.deletionLagSeconds : this.seconds.visibilityLagSeconds;
  };
  readonly summary: LagOf = () => this.seconds.summaryLagSeconds;

  record({ databaseName }: Database, change: UnseenChange): void {
    const { visibilityLagSeconds, deletionLagSeconds, summaryLagSeconds } = this.seconds;
    const longest = Math.max(visibilityLagSeconds, deletionLagSeconds, summaryLagSeconds);
    const isSeen = ({ at }: UnseenChange) => hasPassed(at, longest, change.at);
    for (const [id, targets] of this.databases) {
      for (const [targetId, changes] of targets) {
        if (!changes.every(isSeen)) break;
        targets.delete(targetId);
      }
      if (targets.size === 0) this.databases.delete(id);
    }
    this.#freeCompared(change.at);
    const targets = this.databases.get(databaseName) ?? new Map<string, readonly UnseenChange[]>();
    const { targetId } = change.after;
    const earlier = (targets.get(targetId) ?? []).filter((one) => !isSeen(one));
    targets.delete(targetId);
    targets.set(targetId, [
      ...earlier.map((one) => ({ ...one, after: withoutContent(one.after) })),
      { ...change, after: { ...change.after, image: freedImage(change.after.image.sha256) } },
    ]);
    this.databases.set(databaseName, targets);
    if (change.before !== undefined) this.compared.push({ databaseName, change });
  }

  /** Drops the images and metadata that no query and no duplicates see any more. */
  #freeCompared(now: number): void {
    const isOver = (change: UnseenChange) => hasPassed(change.at, this.comparison(change), now);
    for (let [oldest] = this.compared; oldest && isOver(oldest.change); [oldest] = this.compared) {
      const { databaseName, change } = oldest;
      this.compared.shift();
      const targets = this.databases.get(databaseName);
      const { targetId } = change.after;
      const freed = targets?.get(targetId)?.map((one): UnseenChange => {
        if (!isOver(one)) return one;
        return { ...one, before: one.before && withoutContent(one.before), isCompared: true };
      });
      if (freed !== undefined) targets?.set(targetId, freed);
    }
  }

  /** The unseen changes of all targets or of one. */
  unseen(records: RecordsOf, now: number, lagOf: LagOf, only?: string): readonly Lag[] {
    this.#freeCompared(now);
    const targets =
      this.databases.get(records.database.databaseName) ?? new Map<string, readonly UnseenChange[]>();
    const ids = only === undefined ? [...targets.keys()] : [only];
    return ids.flatMap((targetId) => {
      const changes = targets.get(targetId) ?? [];
      const current = records.targets.get(targetId);
      const latest = changes.at(-1);
      const lastSeen = changes.findLastIndex((change) => hasPassed(change.at, lagOf(change), now));
      const unseen = changes[lastSeen + 1];
      if (latest === undefined || unseen === undefined) return [];
      // The test has changed the record since, or it is of another database with that name.
      if (!isSame(latest.after, current ?? records.deleted.get(targetId))) return [];
      const { before } = unseen;
      return before || current ? [{ ...latest, before, seconds: lagOf(latest), current }] : [];
    });
  }
}

type LateCode = "realism.not-visible" | "realism.still-found" | "realism.not-counted";

export function lagCause({ now }: Context, { kind, at, seconds }: Lag, code: LateCode, others = 0): AnyCause {
  const ago = Math.max(0, now - at) / 1000;
  return cause(code, { change: kind, ago, after: seconds, ...(others > 0 && { others }) });
}

export function explainLags(context: Context, lags: readonly Lag[], code: LateCode): void {
  const last = lags.at(-1);
  if (last !== undefined) addRemark(context.entry, lagCause(context, last, code, lags.length - 1));
}
