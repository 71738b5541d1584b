import type { ApiContext, SearchResult } from "../core/apis/services.ts";
import { ConsistentView } from "../core/apis/targets-view.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import { ratingAt, statusAt, type TargetStatus } from "../core/schema/processing.ts";
import type { Operation } from "../core/schema/protocol.ts";
import type { Target } from "../core/schema/target.ts";
import type { NewTarget, TargetChanges } from "../core/store/changes.ts";
import { byUpload, type RecordsOf, type TargetCounts, withoutContent } from "../core/store/records.ts";
import { type ChangeKind, explainLags, type Lag, type Lags, lagCause } from "./lags.ts";

/** The shown fields of a target, besides status and rating. */
const SHOWN: Partial<Record<Operation, readonly (keyof Target)[]>> = {
  getTarget: ["name", "width", "activeFlag"],
  targetSummary: ["name", "activeFlag"],
};

const FOUND = ["name", "applicationMetadata", "lastModifiedDate"] as const;

/** Shows the earlier states of targets that clients changed lately, and records what its request changes. */
export class LaggingView extends ConsistentView {
  constructor(
    private readonly lags: Lags,
    context: ApiContext,
    records: RecordsOf,
  ) {
    super(context, records);
  }

  override find(targetId: string): ReturnType<ConsistentView["find"]> {
    const { context } = this;
    const { now, operation } = context;
    const target = this.records.targets.get(targetId);
    const [lag] = this.lags.unseen(this.records, now, this.lags.visibility, targetId);
    if (target === undefined || lag === undefined) return { target };
    const { before } = lag;
    if (before === undefined) return { hidden: lagCause(context, lag, "realism.not-visible") };
    const shown = SHOWN[operation.name];
    if (shown === undefined) return { target };
    const look = (one: Target) =>
      JSON.stringify([...shown.map((field) => one[field]), statusAt(one, now), ratingAt(one, now)]);
    if (look(before) !== look(target)) explainLags(context, [lag], "realism.not-visible");
    const { currentMonthRecos, previousMonthRecos, totalRecos } = target;
    return { target: { ...before, currentMonthRecos, previousMonthRecos, totalRecos } };
  }

  override list(): readonly Target[] {
    const { context } = this;
    const lags = this.lags.unseen(this.records, context.now, this.lags.visibility);
    const hidden = lags.filter(({ before }) => before === undefined);
    explainLags(context, hidden, "realism.not-visible");
    return without(hidden, super.list());
  }

  override counts(): TargetCounts {
    const { context } = this;
    const counts = super.counts();
    const kindOf = (target: Target | undefined): keyof TargetCounts | undefined => {
      const status = target && statusAt(target, context.now);
      return status !== "success" ? status : target?.activeFlag ? "active" : "inactive";
    };
    const all = this.lags.unseen(this.records, context.now, this.lags.summary);
    const lags = all.filter(({ before, current }) => kindOf(before) !== kindOf(current));
    const moved = { ...counts };
    for (const { before, current } of lags) {
      const [from, to] = [kindOf(current), kindOf(before)];
      if (from !== undefined) moved[from] -= 1;
      if (to !== undefined) moved[to] += 1;
    }
    if (JSON.stringify(moved) !== JSON.stringify(counts)) explainLags(context, lags, "realism.not-counted");
    return moved;
  }

  override async search<Search extends { readonly found: readonly Target[] }>(
    find: (targets: readonly Target[]) => Promise<Search>,
  ): Promise<SearchResult<Search>> {
    const { context } = this;
    const lags = this.lags.unseen(this.records, context.now, this.lags.comparison);
    if (lags.length === 0) return super.search(find);
    const seen = [...without(lags, super.list()), ...lags.flatMap(({ before }) => before ?? [])];
    const search = await find(seen.sort(byUpload));
    const { found } = await find(lags.flatMap(({ current }) => current ?? []));
    const differing = lags.filter(({ before, current }) => {
      const isFound = before !== undefined && search.found.includes(before);
      if (isFound !== (current !== undefined && found.includes(current))) return true;
      return (
        isFound &&
        context.operation.name === "query" &&
        FOUND.some((field) => before[field] !== current?.[field])
      );
    });
    explainLags(
      context,
      differing,
      differing.at(-1)?.current === undefined ? "realism.still-found" : "realism.not-visible",
    );
    const unseen = lags.flatMap((lag) => {
      const { targetId, name } = lag.after;
      const why = lagCause(context, lag, "realism.not-visible");
      return lag.before === undefined
        ? [{ targetId, name, matched: false, code: why.code, why: sentenceOf(why) }]
        : [];
    });
    return { ...search, unseen };
  }

  override add(given: NewTarget) {
    return this.#recorded("added", undefined, () => super.add(given));
  }

  override update(target: Target, changes: TargetChanges, updatable: readonly TargetStatus[]) {
    return this.#recorded("updated", target, () => super.update(target, changes, updatable));
  }

  override delete(target: Target) {
    return this.#recorded("deleted", target, () => super.delete(target));
  }

  /** Changes a target, and records its earlier state. */
  async #recorded<Refusal extends string>(
    kind: ChangeKind,
    target: Target | undefined,
    change: () => Promise<Target | Refusal>,
  ): Promise<Target | Refusal> {
    const { now: at } = this.context;
    // Read now, because the store drops the image of a deleted target.
    const bytes = await target?.image.bytes();
    const before = target &&
      bytes && { ...target, image: { sha256: target.image.sha256, bytes: () => bytes } };
    const after = await change();
    if (typeof after === "string") return after;
    const kept = kind === "deleted" ? withoutContent(after) : after;
    this.lags.record(this.records.database, { kind, at, before, after: kept });
    return after;
  }
}

function without(lags: readonly Lag[], targets: readonly Target[]): readonly Target[] {
  if (lags.length === 0) return targets;
  const ids = new Set(lags.map(({ after }) => after.targetId));
  return targets.filter(({ targetId }) => !ids.has(targetId));
}
