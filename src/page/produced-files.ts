import { datasetArchive } from "../apis/model-target/dataset-archive.ts";
import { svgInstance } from "../apis/vumark/instances.ts";
import { datasetStatusAt } from "../schema/dataset.ts";
import { reportCsv } from "../schema/report.ts";
import { isProcessed } from "../schema/target.ts";
import type { Store } from "../store/store.ts";
import type { PageReportRow } from "./page-data.ts";

/* What clients download from the other APIs, without their keys. Undefined: there is no such file, or not yet. */

export async function datasetFile(store: Store, uuid: string, now: number): Promise<Buffer | undefined> {
  const dataset = await store.findDataset(uuid);
  return dataset !== undefined && datasetStatusAt(dataset, now) === "done"
    ? datasetArchive(dataset)
    : undefined;
}

/** The SVG of an instance of a template target. */
export async function instanceImage(
  store: Store,
  wanted: { readonly database: string; readonly target: string; readonly id: string },
  now: number,
): Promise<Buffer | undefined> {
  const template = await store.findTemplateTarget(wanted.database, wanted.target);
  return template !== undefined && isProcessed(template, now) && wanted.id !== ""
    ? svgInstance(wanted.id)
    : undefined;
}

export async function reportFile(
  store: Store,
  databaseId: string,
  file: string,
): Promise<Buffer | undefined> {
  const report = await store.findReport(databaseId, file);
  return report && Buffer.from(reportCsv(report));
}

/** The rows of a report with the names of their targets, most recognitions first. */
export async function rowsOfReport(
  store: Store,
  databaseId: string,
  file: string,
): Promise<readonly PageReportRow[] | undefined> {
  const report = await store.findReport(databaseId, file);
  if (report === undefined) return undefined;
  const databases = await store.listCloudDatabases();
  const name = databases.find((database) => database.databaseId === databaseId)?.databaseName;
  const targets = name === undefined ? [] : await store.listTargets(name);
  const names = new Map(targets.map((target) => [target.targetId, target.name]));
  return report.rows
    .map(({ targetId, count }) => ({ target_id: targetId, name: names.get(targetId) ?? null, count }))
    .sort((a, b) => b.count - a.count);
}
