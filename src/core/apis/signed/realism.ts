import type { Context, OperationContext } from "../../emulator/context.ts";
import type { MaybePromise } from "../../emulator/message.ts";
import { createRandom, type Random } from "../../emulator/random.ts";
import type { Database } from "../../schema/database.ts";
import type { ConsideredTarget } from "../../schema/journal-entry.ts";
import { hasPassed, ratingAt, statusAt } from "../../schema/processing.ts";
import type { Operation } from "../../schema/protocol.ts";
import { type RealismOptions, type RealismValues, realismValues } from "../../schema/realism.ts";
import type { Target } from "../../schema/target.ts";
import { byUpload, type RecordsOf, type TargetCounts } from "../../store/records.ts";

/*
 * The option `realism`: for a while after a client changed a target, requests see its earlier state. Only changes by clients are
 * recorded, so a test's own changes are seen at once, and the store needs no lags.
 */

type Verb = "added" | "updated" | "deleted";

interface Change {
  readonly verb: Verb;
  readonly at: number;
  /** Undefined: there was no target. */
  readonly before: Target | undefined;
  readonly after: Target;
}

/** The latest unseen change of a target; `before` is the target that the request sees. */
interface Lag extends Change {
  readonly seconds: number;
  /** The target as it is; undefined: it is deleted. */
  readonly current: Target | undefined;
}

type LagOf = (change: Change) => number;
const STEPS = 2 ** 32;

export class Realism {
  private constructor(
    readonly values: RealismValues,
    readonly random: Random,
    /** By database name and target id; the latest changes come last. */
    private readonly databases: Map<string, Map<string, readonly Change[]>>,
  ) {}

  /** Draws from its own source: ids are the same with and without realism. */
  static from(options: {
    readonly realism?: boolean | RealismOptions | undefined;
    readonly seed?: string | number | undefined;
  }): Realism | undefined {
    const values = realismValues(options.realism);
    const seed = options.seed === undefined ? undefined : `${options.seed}:realism`;
    return values && new Realism(values, createRandom(seed), new Map());
  }

  /** The copy draws from the same source. */
  fork(): Realism {
    const copies = [...this.databases].map(([id, targets]) => [id, new Map(targets)] as const);
    return new Realism(this.values, this.random, new Map(copies));
  }

  end(): void {
    this.databases.clear();
  }

  draws(share: "looseLimits" | "gatewayErrorRate"): boolean {
    return this.values[share] > 0 && this.random.integer(STEPS) < this.values[share] * STEPS;
  }

  /** For requests for one target and the list, which see deletions at once. */
  readonly visibility: LagOf = () => this.values.visibilityLagSeconds;
  /** For queries and duplicates. */
  readonly comparison: LagOf = ({ verb }) =>
    verb === "deleted" ? this.values.deletionLagSeconds : this.values.visibilityLagSeconds;
  readonly summary: LagOf = () => this.values.summaryLagSeconds;

  record({ databaseName }: Database, change: Change): void {
    const { visibilityLagSeconds, deletionLagSeconds, summaryLagSeconds } = this.values;
    const longest = Math.max(visibilityLagSeconds, deletionLagSeconds, summaryLagSeconds);
    const isSeen = ({ at }: Change) => hasPassed(at, longest, change.at);
    for (const [id, targets] of this.databases) {
      for (const [targetId, changes] of targets) {
        if (!changes.every(isSeen)) break;
        targets.delete(targetId);
      }
      if (targets.size === 0) this.databases.delete(id);
    }
    const targets = this.databases.get(databaseName) ?? new Map<string, readonly Change[]>();
    const { targetId } = change.after;
    const earlier = targets.get(targetId) ?? [];
    targets.delete(targetId);
    targets.set(targetId, [...earlier.filter((one) => !isSeen(one)), change]);
    this.databases.set(databaseName, targets);
  }

  /** The unseen changes of all targets or of one. */
  lags({ records, now }: ReadingContext, lagOf: LagOf, only?: string): readonly Lag[] {
    const targets = this.databases.get(records.database.databaseName) ?? new Map<string, readonly Change[]>();
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

const FIELDS: readonly (keyof Target)[] = [
  ...(["name", "width", "activeFlag", "applicationMetadata", "processed"] as const),
  ...(["uploadDate", "lastModifiedDate", "deleteDate"] as const),
];

/** Whether two records are equal besides their counts, wherever they were read. */
const isSame = (a: Target, b: Target | undefined): boolean =>
  b !== undefined && a.image.sha256 === b.image.sha256 && FIELDS.every((field) => a[field] === b[field]);

type ChangingContext = OperationContext<{ readonly realism?: Realism | undefined }> & {
  readonly database: Database;
};
type ReadingContext = ChangingContext & { readonly records: RecordsOf };

/** Changes a target for a client, and records its earlier state. */
export async function recordChange<Changed extends Target | string>(
  context: ChangingContext & { readonly target?: Target },
  verb: Verb,
  change: () => MaybePromise<Changed>,
): Promise<Changed> {
  const { database, now: at, target, services } = context;
  if (services.realism === undefined) return change();
  // Read now, because the store drops the image of a deleted target.
  const bytes = await target?.image.bytes();
  const before = target && bytes && { ...target, image: { sha256: target.image.sha256, bytes: () => bytes } };
  const after = await change();
  if (typeof after !== "string") services.realism.record(database, { verb, at, before, after });
  return after;
}

type Words = readonly [state: string, end: string];
const NOT_VISIBLE: Words = ["not yet visible", "visible"];
const STILL_FOUND: Words = ["still found", "gone"];
const NOT_COUNTED: Words = ["not yet counted", "counted"];

/** For example `not yet visible: added 0.4 s ago, visible after 1 s (realism)`. */
function lagReason({ now }: Context, { verb, at, seconds }: Lag, [state, end]: Words, others = 0): string {
  const ago = Math.max(0, now - at) / 1000;
  const more = others > 0 ? `; and ${others} more` : "";
  return `${state}: ${verb} ${ago} s ago, ${end} after ${seconds} s${more} (realism)`;
}

function explainLags(context: Context, lags: readonly Lag[], words: Words): void {
  const last = lags.at(-1);
  if (last !== undefined) context.entry.reason = lagReason(context, last, words, lags.length - 1);
}

/** The shown fields of a target, besides status and rating. */
const SHOWN: Partial<Record<Operation, readonly (keyof Target)[]>> = {
  getTarget: ["name", "width", "activeFlag"],
  targetSummary: ["name", "activeFlag"],
};

const FOUND = ["name", "applicationMetadata", "lastModifiedDate"] as const;

/** The target that a request names, as the request sees it. `hidden`: why it sees none. */
export function seenTarget(context: ReadingContext, targetId: string) {
  const { records, now, operation, services } = context;
  const target = records.targets.get(targetId);
  const [lag] = services.realism?.lags(context, services.realism.visibility, targetId) ?? [];
  if (target === undefined || lag === undefined) return { target };
  const { before } = lag;
  if (before === undefined) return { hidden: lagReason(context, lag, NOT_VISIBLE) };
  const shown = SHOWN[operation.name];
  if (shown === undefined) return { target };
  const look = (one: Target) =>
    JSON.stringify([...shown.map((field) => one[field]), statusAt(one, now), ratingAt(one, now)]);
  if (look(before) !== look(target)) explainLags(context, [lag], NOT_VISIBLE);
  const { currentMonthRecos, previousMonthRecos, totalRecos } = target;
  return { target: { ...before, currentMonthRecos, previousMonthRecos, totalRecos } };
}

/** The targets that a list shows, by upload date. */
export function listedTargets(context: ReadingContext): readonly Target[] {
  const { records, services } = context;
  const lags = services.realism?.lags(context, services.realism.visibility) ?? [];
  const hidden = lags.filter(({ before }) => before === undefined);
  explainLags(context, hidden, NOT_VISIBLE);
  return without(hidden, records.listTargets());
}

function without(lags: readonly Lag[], targets: readonly Target[]): readonly Target[] {
  if (lags.length === 0) return targets;
  const ids = new Set(lags.map(({ after }) => after.targetId));
  return targets.filter(({ targetId }) => !ids.has(targetId));
}

/** The result of a search, and the targets that it does not see yet. */
type SearchResult<Search> = Search & { readonly unseen?: readonly ConsideredTarget[] };

/** Finds targets among those that a query or duplicates see. */
export async function foundAmong<Search extends { readonly found: readonly Target[] }>(
  context: ReadingContext,
  find: (targets: readonly Target[]) => Promise<Search>,
): Promise<SearchResult<Search>> {
  const { records, operation, services } = context;
  const lags = services.realism?.lags(context, services.realism.comparison) ?? [];
  if (lags.length === 0) return find(records.listTargets());
  const seen = [...without(lags, records.listTargets()), ...lags.flatMap(({ before }) => before ?? [])];
  const search = await find(seen.sort(byUpload));
  const { found } = await find(lags.flatMap(({ current }) => current ?? []));
  const differing = lags.filter(({ before, current }) => {
    const isFound = before !== undefined && search.found.includes(before);
    if (isFound !== (current !== undefined && found.includes(current))) return true;
    return isFound && operation.name === "query" && FOUND.some((field) => before[field] !== current?.[field]);
  });
  explainLags(context, differing, differing.at(-1)?.current === undefined ? STILL_FOUND : NOT_VISIBLE);
  const unseen = lags.flatMap((lag) => {
    const { targetId, name } = lag.after;
    const why = lagReason(context, lag, NOT_VISIBLE);
    return lag.before === undefined ? [{ targetId, name, matched: false, why }] : [];
  });
  return { ...search, unseen };
}

export function seenCounts(context: ReadingContext): TargetCounts {
  const { records, now, services } = context;
  const counts = records.countByStatus(now);
  const all = services.realism?.lags(context, services.realism.summary) ?? [];
  const kindOf = (target: Target | undefined): keyof TargetCounts | undefined => {
    const status = target && statusAt(target, now);
    return status !== "success" ? status : target?.activeFlag ? "active" : "inactive";
  };
  const lags = all.filter(({ before, current }) => kindOf(before) !== kindOf(current));
  const moved = { ...counts };
  for (const { before, current } of lags) {
    const [from, to] = [kindOf(current), kindOf(before)];
    if (from !== undefined) moved[from] -= 1;
    if (to !== undefined) moved[to] += 1;
  }
  if (JSON.stringify(moved) !== JSON.stringify(counts)) explainLags(context, lags, NOT_COUNTED);
  return moved;
}
