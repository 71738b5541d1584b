import type { AnyCause } from "../schema/causes/causes.ts";
import type { TargetStatus } from "../schema/processing.ts";
import type { Target } from "../schema/target.ts";
import * as changes from "../store/changes.ts";
import type { RecordsOf, TargetCounts } from "../store/records.ts";
import type { ApiContext, Consistency, SearchResult, TargetsView } from "./services.ts";

/** Sees the targets as they are. */
export class ConsistentView implements TargetsView {
  constructor(
    protected readonly context: ApiContext,
    protected readonly records: RecordsOf,
  ) {}

  find(targetId: string): { readonly target?: Target | undefined; readonly hidden?: AnyCause } {
    return { target: this.records.targets.get(targetId) };
  }

  list(): readonly Target[] {
    return this.records.listTargets();
  }

  counts(): TargetCounts {
    return this.records.countByStatus(this.context.now);
  }

  search<Search extends { readonly found: readonly Target[] }>(
    find: (targets: readonly Target[]) => Promise<Search>,
  ): Promise<SearchResult<Search>> {
    return find(this.records.listTargets());
  }

  add(given: changes.NewTarget): Promise<changes.CreatedTarget> {
    const { services, preciseNow } = this.context;
    return services.store.run(changes.createTarget(services, this.#databaseName, given, preciseNow));
  }

  update(
    { targetId }: Target,
    given: changes.TargetChanges,
    updatable: readonly TargetStatus[],
  ): Promise<changes.UpdatedTarget> {
    const { services, now } = this.context;
    return services.store.run(changes.updateTarget(this.#databaseName, targetId, given, now, updatable));
  }

  delete({ targetId }: Target): Promise<changes.DeletedTarget> {
    const { services, now } = this.context;
    return services.store.run(changes.deleteTarget(this.#databaseName, targetId, now));
  }

  get #databaseName(): string {
    return this.records.database.databaseName;
  }
}

export const consistent: Consistency = {
  view: (context, records) => new ConsistentView(context, records),
  acceptsAboveLimit: () => false,
  faults: (own) => own,
  fork: () => consistent,
  end: () => {},
};
