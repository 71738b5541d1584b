import type { MaybePromise } from "../emulator/message.ts";
import type { AnyCause } from "../schema/causes/causes.ts";
import type { TargetStatus } from "../schema/processing.ts";
import type { Target } from "../schema/target.ts";
import type { RecordsOf, TargetCounts } from "../store/records.ts";
import type { TargetChanges } from "../store/verbs.ts";
import { addTarget } from "./control.ts";
import type { ApiContext, Consistency, GivenTarget, SearchResult, TargetsView } from "./services.ts";

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

  add(given: GivenTarget): MaybePromise<Target | string> {
    const { services, preciseNow } = this.context;
    return addTarget(services, this.#databaseName, given, preciseNow);
  }

  update(
    { targetId }: Target,
    changes: TargetChanges,
    updatable: readonly TargetStatus[],
  ): MaybePromise<Target | string> {
    const { services, now } = this.context;
    return services.store.updateTarget(this.#databaseName, targetId, changes, now, updatable);
  }

  delete({ targetId }: Target): MaybePromise<Target | string> {
    const { services, now } = this.context;
    return services.store.deleteTarget(this.#databaseName, targetId, now);
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
