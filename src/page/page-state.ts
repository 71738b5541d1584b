import type { MovableClock } from "../emulator/clock.ts";
import type { SharedFaults } from "../emulator/faults.ts";
import { release } from "../emulator/version.ts";
import { comparisonOf, type ImageMatcher } from "../images/matching/comparison.ts";
import { type CloudDatabase, cloudDatabaseJson } from "../schema/cloud-database.ts";
import type { Dataset } from "../schema/dataset.ts";
import type { AddedFault } from "../schema/fault.ts";
import type { Report } from "../schema/report.ts";
import { statusAt, type Target } from "../schema/target.ts";
import type { TemplateTarget } from "../schema/vumark-database.ts";
import type { Store } from "../store/store.ts";
import type {
  PageCloudDatabase,
  PageDataset,
  PageFault,
  PageMatcher,
  PageReport,
  PageState,
  PageTarget,
  PageTargetCounts,
  PageTargets,
  PageVuMarkDatabase,
} from "./page-data.ts";

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

const MAX_METADATA_SHOWN = 4096;

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
      clock: { now, frozen: clock.isFrozen },
      matcher: matcherOf(queryMatcher),
      paused: pause !== undefined,
      cloud_databases: await Promise.all(
        cloud.map(async (database): Promise<PageCloudDatabase> => {
          const { targets, revision } = await this.revisionOf(database.databaseName);
          const written = cloudDatabaseJson.write({ ...database, targets: [] });
          const { targets: _, database_type_name: __, ...resource } = written;
          // The page's types repeat what the schema writes; a test of the page compares them.
          const shown = resource as Omit<PageCloudDatabase, "counts" | "revision">;
          return { ...shown, counts: countsOf(targets, now), revision };
        }),
      ),
      vumark_databases: await Promise.all(
        vumark.map(
          async (database): Promise<PageVuMarkDatabase> => ({
            database_name: database.databaseName,
            server_access_key: database.serverAccessKey,
            server_secret_key: database.serverSecretKey,
            state_name: database.stateName,
            vumark_targets: (await store.listTemplateTargets(database.databaseName)).map(templateOf),
          }),
        ),
      ),
      datasets: datasets.map(datasetOf),
      credentials: credentials.map(({ clientId, clientSecret, scopes }) => ({
        client_id: clientId,
        client_secret: clientSecret,
        scopes,
      })),
      reports: reports.map((report) => reportOf(report, cloud)),
      faults: faults.map(faultOf),
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
    return { revision, targets: targets.map(targetOf) };
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

export function matcherOf(matcher: ImageMatcher): PageMatcher {
  const comparison = comparisonOf(matcher);
  if (comparison === undefined) return { name: "custom", threshold: null };
  return comparison.by === "bytes"
    ? { name: "exact", threshold: null }
    : { name: "structural_similarity", threshold: comparison.threshold };
}

function countsOf(targets: readonly Target[], now: number): PageTargetCounts {
  const counts = { success: 0, processing: 0, failed: 0, inactive: 0 };
  for (const target of targets) {
    counts[statusAt(target, now)] += 1;
    if (!target.activeFlag) counts.inactive += 1;
  }
  return counts;
}

const targetOf = (target: Target): PageTarget => ({
  target_id: target.targetId,
  name: target.name,
  width: target.width,
  active_flag: target.activeFlag,
  application_metadata: target.applicationMetadata?.slice(0, MAX_METADATA_SHOWN) ?? null,
  metadata_length: target.applicationMetadata?.length ?? 0,
  sha256: target.image.sha256,
  processing_time_seconds: target.processingTimeSeconds,
  uploaded_at: target.uploadDate,
  modified_at: target.lastModifiedDate,
  outcome: target.outcome,
  rating: target.rating,
  finished: target.processed,
  rated: target.rated,
  current_month_recos: target.currentMonthRecos,
  previous_month_recos: target.previousMonthRecos,
  total_recos: target.totalRecos,
});

const templateOf = (target: TemplateTarget): PageVuMarkDatabase["vumark_targets"][number] => ({
  target_id: target.targetId,
  name: target.name,
  processing_time_seconds: target.processingTimeSeconds,
  modified_at: target.lastModifiedDate,
  finished: target.processed,
});

const faultOf = (fault: AddedFault): PageFault => ({
  id: fault.id,
  api: fault.api,
  operation: fault.operation,
  database_name: fault.database,
  has_when: fault.hasWhen,
  answer: fault.answer && {
    status: fault.answer.status,
    result_code: "resultCode" in fault.answer ? fault.answer.resultCode : null,
  },
  reset_connection: fault.resetConnection,
  executed: fault.executed,
  delay_seconds: fault.delaySeconds,
  times: fault.times,
  probability: fault.probability,
  times_applied: fault.timesApplied,
});

const reportOf = (report: Report, databases: readonly CloudDatabase[]): PageReport => ({
  database_id: report.databaseId,
  database_name:
    databases.find(({ databaseId }) => databaseId === report.databaseId)?.databaseName ?? report.databaseId,
  file: report.file,
  rows: report.rows.length,
  requested_at: report.requestedAt,
  processing_time_seconds: report.processingTimeSeconds,
  finished: report.processed,
});

function datasetOf(dataset: Dataset): PageDataset {
  const { name, models } = dataset.requestBody;
  return {
    uuid: dataset.uuid,
    family: dataset.datasetTypeName,
    name: typeof name === "string" ? name : null,
    models: Array.isArray(models) ? models.length : 0,
    created_at: dataset.createdAt,
    processing_time_seconds: dataset.processingTimeSeconds,
    finished: dataset.processed,
    failure_message: dataset.generationFailureMessage,
    warning_message: dataset.generationWarning?.message ?? null,
  };
}
