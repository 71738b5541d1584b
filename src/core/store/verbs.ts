import type { ChangeableFields, CloudDatabase } from "../schema/cloud-database.ts";
import type { Database, TemplateTarget } from "../schema/database.ts";
import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import { isRatingShown, statusAt, type TargetStatus } from "../schema/processing.ts";
import type { Report } from "../schema/report.ts";
import type { NewImage, RecognitionCounts, Target, TargetImage } from "../schema/target.ts";
import { type Change, isOfCloud, type ReadableRecords, type RecordsOf } from "./records.ts";

/*
 * Every change of state, each a pure function from one database's records to changes and a result. Conflicts are results. The
 * store runs a verb again if the records changed meanwhile. Verbs return only changed records: committing costs no more with
 * many others.
 */

type TargetFields = Pick<
  Target,
  "targetId" | "width" | "activeFlag" | "applicationMetadata" | "processingTimeSeconds"
> & {
  /** Default: its id. */
  readonly name?: string;
  readonly processed?: boolean;
  /** Instead of the result of processing the image. */
  readonly outcome?: "failed" | undefined;
  /** Draws another id if that one is taken. Default: a conflict. */
  readonly anotherId?: () => string;
};

/** A stored image, and the result of processing it. */
export type ProcessedImage = Pick<Target, "image" | "outcome" | "rating">;

/** Written out, not spread: thousands of objects of one hidden class are read ten times as fast. */
function newTarget(given: TargetFields, targetId: string, made: ProcessedImage, preciseNow: number): Target {
  const { processed = false } = given;
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

const NOTHING = Buffer.alloc(0);

/** The image of a deleted target: only its hash. */
export const freedImage = ({ sha256 }: Pick<TargetImage, "sha256">): TargetImage => ({
  sha256,
  bytes: () => NOTHING,
});

/** What stays of a deleted target: all but its image and metadata. */
export const withoutContent = (target: Target): Target => ({
  ...target,
  applicationMetadata: null,
  image: freedImage(target.image),
});

interface Decision<Result> {
  readonly result: Result;
  readonly changes?: readonly Change[];
}

/** @param records - undefined if there is no such database. */
export type Verb<Result> = (records: ReadableRecords | undefined) => Decision<Result>;

const changeOfTarget = (record: Target): Change => ({ kind: "target", key: record.targetId, record });

export const updateDatabase =
  (changes: Partial<ChangeableFields>): Verb<Database | undefined> =>
  (records) => {
    const database = records?.database;
    if (database === undefined) return { result: undefined };
    const updated: Database =
      database.kind === "cloud"
        ? { ...database, ...changes }
        : { ...database, stateName: changes.stateName ?? database.stateName };
    return { result: updated, changes: [{ kind: "database", key: "", record: updated }] };
  };

export const deleteDatabase: Verb<boolean> = (records) =>
  records?.database === undefined
    ? { result: false }
    : { result: true, changes: [{ kind: "database", key: "", record: null }] };

/** Whether another target fits into the quota of a cloud database. */
export const hasRoom = ({ targets, database }: RecordsOf<CloudDatabase>): boolean =>
  targets.size < database.targetQuota;

/** Whether no other undeleted target has a name. */
export function isNameFree(records: ReadableRecords, name: string, targetId?: string): boolean {
  const namesake = records.targetNamed(name);
  return namesake === undefined || namesake.targetId === targetId;
}

/** An id, or if it can be drawn again, one that is not taken. */
function freeId(drawn: string, isTaken: (id: string) => boolean, anotherId?: () => string): string {
  let id = drawn;
  while (anotherId !== undefined && isTaken(id)) id = anotherId();
  return id;
}

export const createTarget =
  (
    given: TargetFields,
    made: ProcessedImage,
    preciseNow: number,
  ): Verb<Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached"> =>
  (records) => {
    if (!isOfCloud(records)) return { result: "unknownDatabase" };
    const { targets, deleted } = records;
    const targetId = freeId(given.targetId, (id) => targets.has(id) || deleted.has(id), given.anotherId);
    if (!isNameFree(records, given.name ?? targetId)) return { result: "nameTaken" };
    if (targets.has(targetId) || deleted.has(targetId)) return { result: "idTaken" };
    if (!hasRoom(records)) return { result: "quotaReached" };
    const created = newTarget(given, targetId, made, preciseNow);
    return { result: created, changes: [changeOfTarget(created)] };
  };

export const updateTarget =
  (
    targetId: string,
    changes: Omit<TargetChanges, "image">,
    made: ProcessedImage | undefined,
    now: number,
    onlyAfter: readonly TargetStatus[],
  ): Verb<Target | "unknown" | "nameTaken" | "wrongStatus"> =>
  (records) => {
    const current = records?.targets.get(targetId);
    if (records === undefined || current === undefined) return { result: "unknown" };
    if (!onlyAfter.includes(statusAt(current, now))) return { result: "wrongStatus" };
    if (changes.name !== undefined && !isNameFree(records, changes.name, targetId))
      return { result: "nameTaken" };
    const updated = changedTarget(current, { ...changes, ...made }, now);
    return { result: updated, changes: [changeOfTarget(updated)] };
  };

export const deleteTarget =
  (targetId: string, now: number, evenProcessing: boolean): Verb<Target | "unknown" | "processing"> =>
  (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: "unknown" };
    if (!evenProcessing && statusAt(current, now) === "processing") return { result: "processing" };
    const deleted: Target = { ...current, deleteDate: now };
    return { result: deleted, changes: [changeOfTarget(withoutContent(deleted))] };
  };

export const setRecognitionCounts =
  (targetId: string, counts: Partial<RecognitionCounts>): Verb<Target | undefined> =>
  (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: undefined };
    const counted: Target = { ...current, ...counts };
    return { result: counted, changes: [changeOfTarget(counted)] };
  };

export const addTemplateTarget =
  (template: TemplateTarget, anotherId?: () => string): Verb<TemplateTarget | undefined> =>
  (records) => {
    if (records?.database?.kind !== "vumark") return { result: undefined };
    const targetId = freeId(template.targetId, (id) => records.templates.has(id), anotherId);
    const record = { ...template, targetId };
    return { result: record, changes: [{ kind: "template", key: targetId, record }] };
  };

export const openReport =
  (report: Report): Verb<Report> =>
  (records) => {
    const kept = records?.reports.get(report.file);
    if (kept !== undefined) return { result: kept };
    return { result: report, changes: [{ kind: "report", key: report.file, record: report }] };
  };

export const createDataset =
  (dataset: Dataset, anotherId?: () => string): Verb<Dataset> =>
  (records) => {
    const uuid = freeId(dataset.uuid, (id) => records?.datasets.has(id) ?? false, anotherId);
    const record = { ...dataset, uuid };
    return { result: record, changes: [{ kind: "dataset", key: uuid, record }] };
  };

export const createCredential =
  (credential: ClientCredential, maximum: number): Verb<"created" | "full"> =>
  (records) =>
    (records?.credentials.size ?? 0) >= maximum
      ? { result: "full" }
      : {
          result: "created",
          changes: [{ kind: "credential", key: credential.clientId, record: credential }],
        };

export const setCredentialScopes =
  (clientId: string, scopes: readonly string[]): Verb<ClientCredential | undefined> =>
  (records) => {
    const credential = records?.credentials.get(clientId);
    if (credential === undefined) return { result: undefined };
    const record = { ...credential, scopes };
    return { result: record, changes: [{ kind: "credential", key: clientId, record }] };
  };

export const put =
  (change: Change): Verb<void> =>
  () => ({ result: undefined, changes: [change] });

/** Returns false if there was nothing to remove. */
export const remove =
  (kind: "dataset" | "credential", key: string): Verb<boolean> =>
  (records) => {
    const found = (kind === "dataset" ? records?.datasets : records?.credentials)?.has(key) ?? false;
    return found ? { result: true, changes: [{ kind, key, record: null }] } : { result: false };
  };

/** Returns false if there is no such target. */
export const finishTarget =
  (targetId: string): Verb<boolean> =>
  (records) => {
    const current = records?.targets.get(targetId);
    if (current === undefined) return { result: false };
    return { result: true, changes: [changeOfTarget({ ...current, processed: true, rated: true })] };
  };

export const finishProcessing: Verb<void> = (records) => {
  const processed = true;
  const changes: Change[] = [];
  for (const [key, record] of records?.targets ?? [])
    changes.push({ kind: "target", key, record: { ...record, processed, rated: true } });
  for (const [key, record] of records?.templates ?? [])
    changes.push({ kind: "template", key, record: { ...record, processed } });
  for (const [key, record] of records?.reports ?? [])
    changes.push({ kind: "report", key, record: { ...record, processed } });
  for (const [key, record] of records?.datasets ?? [])
    changes.push({ kind: "dataset", key, record: { ...record, processed } });
  return { result: undefined, changes };
};

/** A target to create. The store rates the image. */
export interface NewTarget extends TargetFields {
  readonly image: NewImage;
}

export type TargetChanges = Partial<
  Pick<NewTarget, "name" | "width" | "activeFlag" | "applicationMetadata" | "image">
>;

export type AssessImage = (
  image: NewImage,
) => Promise<Pick<Target, "outcome" | "rating"> & { readonly sha256?: string }>;

/** An image that is retained until a target uses it. */
export interface RetainedImage extends ProcessedImage {
  release(): void;
}
