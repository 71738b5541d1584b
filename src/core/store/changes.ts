import type { ChangeableFields, CloudDatabase, HexSource } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget } from "../schema/database.ts";
import { isRatingShown, statusAt, type TargetStatus } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { NewImage, RecognitionCounts, Target, TargetSettings } from "../schema/target.ts";
import {
  freeId,
  isOfCloud,
  type ReadableRecords,
  type RecordsOf,
  type Write,
  withoutContent,
} from "./records.ts";
import { type Conflict, wasGenerated } from "./state.ts";
import type { Change, Decision, ImageChange, PlainChange, ProcessedImage, RecordsKey } from "./store.ts";

export * from "./global-changes.ts";

/*
 * Every change of state. What one writes depends only on what changes: committing costs no more with many other records.
 */

export interface NewTarget extends TargetSettings {
  /** The store rates it. */
  readonly image: NewImage;
  /** Default: generated. */
  readonly targetId?: string;
  /** Default: its id. */
  readonly name?: string;
  /** Default: as the options say. */
  readonly processingTimeSeconds?: number;
  readonly processed?: boolean;
  /** Instead of the result of processing the image. */
  readonly outcome?: "failed" | undefined;
}

export interface TargetChanges extends Partial<TargetSettings> {
  readonly name?: string;
  readonly image?: NewImage;
}

/** The parts of an emulator that decide what is not given. */
interface Defaults {
  readonly random: HexSource;
  readonly answerOptions: { readonly processingTimeSeconds: number };
}

/** Written out, not spread: thousands of objects of one hidden class are read ten times as fast. */
function newTarget(
  given: NewTarget & { readonly targetId: string; readonly processingTimeSeconds: number },
  made: ProcessedImage,
  preciseNow: number,
): Target {
  const { targetId, processed = false } = given;
  return {
    targetId,
    name: given.name ?? targetId,
    width: given.width,
    activeFlag: given.activeFlag,
    applicationMetadata: given.applicationMetadata,
    processingTimeSeconds: given.processingTimeSeconds,
    outcome: given.outcome ?? made.outcome,
    rating: made.rating,
    image: made.image,
    uploadDate: preciseNow,
    lastModifiedDate: Math.floor(preciseNow),
    deleteDate: null,
    processed,
    rated: processed,
    currentMonthRecos: 0,
    previousMonthRecos: 0,
    totalRecos: 0,
  };
}

/** The target is processed again. A visible rating stays visible; a new image's shows at once. */
function changedTarget(target: Target, changes: Partial<Target>, now: number): Target {
  const rated = changes.rating !== undefined || isRatingShown(target, now);
  return { ...target, ...changes, lastModifiedDate: now, processed: false, rated };
}

const inDatabase = (name: string): RecordsKey => ["databaseName", name];

const writeOfTarget = (record: Target): Write => ({ kind: "target", key: record.targetId, record });

/** Creates a database of given fields and generated ones, and generates again what another database has. */
export const createGeneratedDatabase = <Made extends Database>(
  given: object,
  generate: () => Made,
): PlainChange<Made | Conflict> => ({
  on: "databases",
  decide: (conflict) => {
    if (conflict !== undefined && !wasGenerated(conflict, given)) return { result: conflict };
    const database = generate();
    return { result: database, database };
  },
});

/** Creates an empty database, unless another one shares a unique field. */
export const createDatabase = (database: Database): PlainChange<Conflict | undefined> => ({
  on: "databases",
  decide: (conflict) => (conflict === undefined ? { result: undefined, database } : { result: conflict }),
});

export const updateDatabase = (
  name: string,
  changes: Partial<ChangeableFields>,
): PlainChange<Database | undefined> => ({
  key: inDatabase(name),
  decide: (records) => {
    const database = records?.database;
    if (database === undefined) return { result: undefined };
    const updated: Database =
      database.kind === "cloud"
        ? { ...database, ...changes }
        : { ...database, stateName: changes.stateName ?? database.stateName };
    return { result: updated, writes: [{ kind: "database", key: "", record: updated }] };
  },
});

/** Deletes the database with its targets, reports and rate-limit history. Returns false if there was none. */
export const deleteDatabase = (name: string): PlainChange<boolean> => ({
  key: inDatabase(name),
  decide: (records) =>
    records?.database === undefined
      ? { result: false }
      : { result: true, writes: [{ kind: "database", key: "", record: null }] },
});

/** Whether another target fits into the quota of a cloud database. */
export const hasRoom = ({ targets, database }: RecordsOf<CloudDatabase>): boolean =>
  targets.size < database.targetQuota;

/** Whether no other undeleted target has a name. */
export function isNameFree(records: ReadableRecords, name: string, targetId?: string): boolean {
  const namesake = records.targetNamed(name);
  return namesake === undefined || namesake.targetId === targetId;
}

export type CreatedTarget = Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached";

/**
 * @param defaults - of what is not given.
 * @param preciseNow - its upload, in milliseconds since the epoch, with microseconds if the clock has them.
 */
export function createTarget(
  { random, answerOptions }: Defaults,
  databaseName: string,
  given: NewTarget,
  preciseNow: number,
): ImageChange<CreatedTarget> {
  const generate = () => random.hex(32);
  const { targetId: first = generate(), processingTimeSeconds = answerOptions.processingTimeSeconds } = given;
  const again = given.targetId === undefined ? generate : undefined;
  return {
    key: inDatabase(databaseName),
    image: given.image,
    decide(records, made) {
      if (!isOfCloud(records)) return { result: "unknownDatabase" };
      const { targets, deleted } = records;
      const targetId = freeId(first, (id) => targets.has(id) || deleted.has(id), again);
      if (!isNameFree(records, given.name ?? targetId)) return { result: "nameTaken" };
      if (targets.has(targetId) || deleted.has(targetId)) return { result: "idTaken" };
      if (!hasRoom(records)) return { result: "quotaReached" };
      const created = newTarget({ ...given, targetId, processingTimeSeconds }, made, preciseNow);
      return { result: created, writes: [writeOfTarget(created)] };
    },
  };
}

const ANY_STATUS: readonly TargetStatus[] = ["processing", "success", "failed"];

export type UpdatedTarget = Target | "unknown" | "nameTaken" | "wrongStatus";

/** Starts processing again. `onlyAfter`: the statuses in which an update is allowed. */
export function updateTarget(
  databaseName: string,
  targetId: string,
  { image, ...changes }: TargetChanges,
  now: number,
  onlyAfter = ANY_STATUS,
): Change<UpdatedTarget> {
  const decide = (records: ReadableRecords | undefined, made?: ProcessedImage): Decision<UpdatedTarget> => {
    const current = records?.targets.get(targetId);
    if (records === undefined || current === undefined) return { result: "unknown" };
    if (!onlyAfter.includes(statusAt(current, now))) return { result: "wrongStatus" };
    if (changes.name !== undefined && !isNameFree(records, changes.name, targetId))
      return { result: "nameTaken" };
    const updated = changedTarget(current, { ...changes, ...made }, now);
    return { result: updated, writes: [writeOfTarget(updated)] };
  };
  return { key: inDatabase(databaseName), decide, ...(image !== undefined && { image }) };
}

export type DeletedTarget = Target | "unknown" | "processing";

/** `evenProcessing`: delete whatever the status. */
export const deleteTarget = (
  databaseName: string,
  targetId: string,
  now: number,
  evenProcessing = false,
): PlainChange<DeletedTarget> => ({
  key: inDatabase(databaseName),
  decide: (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: "unknown" };
    if (!evenProcessing && statusAt(current, now) === "processing") return { result: "processing" };
    const deleted: Target = { ...current, deleteDate: now };
    return { result: deleted, writes: [writeOfTarget(withoutContent(deleted))] };
  },
});

/** Fields not given stay; last-modified does not change. */
export const setRecognitionCounts = (
  databaseName: string,
  targetId: string,
  counts: Partial<RecognitionCounts>,
): PlainChange<Target | undefined> => ({
  key: inDatabase(databaseName),
  decide: (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: undefined };
    const counted: Target = { ...current, ...counts };
    return { result: counted, writes: [writeOfTarget(counted)] };
  },
});

/** Adds, or replaces, as {@link createDataset} does. Undefined: no such database. */
export const addTemplateTarget = (
  databaseName: string,
  template: TemplateTarget,
  anotherId?: () => string,
): PlainChange<TemplateTarget | undefined> => ({
  key: inDatabase(databaseName),
  decide: (records) => {
    if (records?.database?.kind !== "vumark") return { result: undefined };
    const targetId = freeId(template.targetId, (id) => records.templates.has(id), anotherId);
    const record = { ...template, targetId };
    return { result: record, writes: [{ kind: "template", key: targetId, record }] };
  },
});

/** Stores the report, or returns the existing one of its database and file. */
export const openReport = (report: Report): PlainChange<Report> => ({
  key: ["databaseId", report.databaseId],
  decide: (records) => {
    const kept = records?.reports.get(report.file);
    if (kept !== undefined) return { result: kept };
    return { result: report, writes: [{ kind: "report", key: report.file, record: report }] };
  },
});

/** Returns false if there is no such target. */
export const finishTarget = (databaseName: string, targetId: string): PlainChange<boolean> => ({
  key: inDatabase(databaseName),
  decide: (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: false };
    return { result: true, writes: [writeOfTarget({ ...current, processed: true, rated: true })] };
  },
});

export const finishProcessing: PlainChange<void> = {
  on: "everything",
  decide: (records) => {
    const processed = true;
    const writes: Write[] = [];
    for (const [key, record] of records?.targets ?? [])
      writes.push({ kind: "target", key, record: { ...record, processed, rated: true } });
    for (const [key, record] of records?.templates ?? [])
      writes.push({ kind: "template", key, record: { ...record, processed } });
    for (const [key, record] of records?.reports ?? [])
      writes.push({ kind: "report", key, record: { ...record, processed } });
    for (const [key, record] of records?.datasets ?? [])
      writes.push({ kind: "dataset", key, record: { ...record, processed } });
    return { result: undefined, writes };
  },
};
