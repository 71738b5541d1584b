import type { MovableClock } from "../emulator/clock.ts";
import type { SharedFaults } from "../emulator/faults.ts";
import { release } from "../emulator/version.ts";
import { comparisonOf, type ImageMatcher } from "../images/matching/comparison.ts";
import type { Dataset } from "../schema/dataset.ts";
import type { AddedFault } from "../schema/fault.ts";
import type { Target } from "../schema/target.ts";
import type { Store } from "../store/store.ts";
import type { PageDataset, PageFault, PageState, PageTargets } from "./model.ts";
import { shownTarget } from "./report.ts";

/** What the page shows that is not in the store. */
export interface PageContext {
  readonly faults: Pick<SharedFaults, "list">;
  readonly queryMatcher: ImageMatcher;
  readonly urls: () => PageState["urls"];
  /** Present while a test is paused until someone presses "Continue". */
  readonly pause?: { readonly resume: () => void } | undefined;
}

interface Revision {
  readonly targets: readonly Target[];
  readonly revision: string;
}

/** Reads the state as the page shows it. */
export class PageStateReader {
  private readonly latest = new Map<string, Revision>();
  private revisions = 0;

  /** @param epoch - keeps revisions of different runs of the server apart. */
  constructor(
    private readonly store: Store,
    private readonly clock: MovableClock,
    private readonly context: PageContext,
    private readonly epoch: string,
  ) {}

  async state(): Promise<PageState> {
    const { store, clock } = this;
    const { queryMatcher, urls, pause } = this.context;
    const now = clock.now().getTime();
    const [cloud, vumark, datasets, credentials, reports, faults] = await Promise.all([
      store.listCloudDatabases(),
      store.listVuMarkDatabases(),
      store.listDatasets(),
      store.listCredentials(),
      store.listReports(),
      this.context.faults.list(),
    ]);
    for (const name of this.latest.keys())
      if (!cloud.some((database) => database.databaseName === name)) this.latest.delete(name);
    return {
      release,
      urls: urls(),
      clock: { now, frozen: clock.isFrozen, lead: clock.lead },
      comparison: comparisonOf(queryMatcher) ?? null,
      paused: pause !== undefined,
      cloudDatabases: await Promise.all(
        cloud.map(async (database) => {
          const { databaseName } = database;
          const counts = await store.countTargetsByStatus(databaseName, now);
          return { ...database, counts, revision: (await this.revisionOf(databaseName)).revision };
        }),
      ),
      vuMarkDatabases: await Promise.all(
        vumark.map(async (database) => ({
          ...database,
          targets: await store.listTemplateTargets(database.databaseName),
        })),
      ),
      datasets: datasets.map(shownDataset),
      credentials,
      reports: reports.map(({ rows, ...report }) => ({ ...report, rowCount: rows.length })),
      faults: faults.map(shownFault),
    };
  }

  /** The state as JSON, and a fingerprint that does not change when only time passes. */
  async serialized(): Promise<{ readonly json: string; readonly fingerprint: string }> {
    const state = await this.state();
    const { ahead, frozenAt } = this.clock.setting;
    return {
      json: JSON.stringify(state),
      fingerprint: JSON.stringify({ ...state, clock: { ahead, frozenAt } }),
    };
  }

  async targets(databaseName: string): Promise<PageTargets> {
    const { targets, revision } = await this.revisionOf(databaseName);
    return { revision, targets: targets.map(shownTarget) };
  }

  /** Records are immutable, so the same record objects mean the same state. */
  private async revisionOf(name: string): Promise<Revision> {
    const targets = await this.store.listTargets(name);
    const before = this.latest.get(name);
    if (
      before?.targets.length === targets.length &&
      targets.every((target, at) => target === before.targets[at])
    )
      return before;
    this.revisions += 1;
    const now = { targets, revision: `${this.epoch}.${this.revisions}` };
    this.latest.set(name, now);
    return now;
  }
}

function shownDataset({ requestBody: { name, models }, ...dataset }: Dataset): PageDataset {
  return {
    ...dataset,
    name: typeof name === "string" ? name : null,
    models: Array.isArray(models) ? models.length : 0,
  };
}

/** The headers and the body of an answer may be long. */
function shownFault({ answer, ...fault }: AddedFault): PageFault {
  if (answer === null || "resultCode" in answer) return { ...fault, answer };
  return { ...fault, answer: { status: answer.status } };
}
