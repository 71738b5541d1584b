import type { ResolvedAnswerOptions } from "../core/apis/services.ts";
import type { Random } from "../core/emulator/random.ts";
import { inspectTargetImage } from "../core/images/on-demand.ts";
import { sentenceOf } from "../core/schema/causes/causes.ts";
import {
  type CloudDatabase,
  type CloudDatabaseFields,
  type DefaultLimits,
  newCloudDatabase,
  newCloudDatabaseFields,
} from "../core/schema/cloud-database.ts";
import {
  type Database,
  newTemplateTarget,
  newVuMarkDatabase,
  type VuMarkDatabase,
  type VuMarkDatabaseFields,
  vuMarkDatabaseFields,
} from "../core/schema/database.ts";
import { whyNotFound } from "../core/schema/processing.ts";
import {
  type NewImage,
  type Target,
  type TargetFields,
  type TargetUpdates,
  targetFields,
  targetUpdates,
} from "../core/schema/target.ts";
import { checked } from "../core/schema/zod/problems.ts";
import * as changes from "../core/store/changes.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";

/** @throws InvalidOptionError for an invalid field; Error if a key, name or id is taken. */
export function createCloudDatabase(
  store: MemoryStore,
  fields: CloudDatabaseFields,
  random: Random,
  defaults: DefaultLimits,
): CloudDatabase {
  const given = checked("database", newCloudDatabaseFields, fields);
  return add(store, given, () => newCloudDatabase(given, random, defaults));
}

/** @throws as {@link createCloudDatabase}. */
export function createVuMarkDatabase(
  store: MemoryStore,
  fields: VuMarkDatabaseFields,
  random: Random,
  now: number,
): VuMarkDatabase {
  const { targets = [], ...given } = checked("database", vuMarkDatabaseFields, fields);
  const database = add(store, given, () => newVuMarkDatabase(given, random));
  for (const target of targets) {
    const added = newTemplateTarget(target, random, now);
    store.runNow(changes.addTemplateTarget(database.databaseName, added));
  }
  return database;
}

function add<Made extends Database>(store: MemoryStore, given: object, generate: () => Made): Made {
  const created = store.runNow(changes.createGeneratedDatabase(given, generate));
  if (!("conflict" in created)) return created;
  const { conflict, value } = created;
  // Secrets are never shown.
  const shown = /secret/i.test(conflict) ? `this ${conflict}` : `the ${conflict} ${JSON.stringify(value)}`;
  throw new Error(`a database with ${shown} already exists; it must be unique`);
}

/**
 * Checks a target's fields and its image, and adds the defaults.
 *
 * @throws InvalidOptionError for an invalid field; Error when the target API would refuse the image.
 */
export async function newTarget(fields: TargetFields, answerOptions: ResolvedAnswerOptions) {
  const { status, ...given } = checked("target", targetFields, fields);
  const { image } = await acceptedImage(given.image, answerOptions);
  const applicationMetadata = asBase64(given.applicationMetadata ?? null);
  return { width: 1, activeFlag: true, ...given, image, applicationMetadata, outcome: status };
}

/** @returns the added target, or an error. */
export function addedTarget(
  added: changes.CreatedTarget,
  databaseName: string,
  { name, targetId }: TargetFields,
): Target {
  if (typeof added !== "string") return added;
  const messages = {
    unknownDatabase: noDatabase(databaseName),
    nameTaken: nameTaken(name ?? targetId),
    idTaken: `the database already has, or had, a target with the id ${JSON.stringify(targetId)}`,
    quotaReached: "the database has reached its targetQuota",
  };
  throw new Error(messages[added]);
}

/**
 * Warns when a test adds a processed target that no query can find, because its image failed or is rated 0.
 *
 * @param warned - the warnings of this mock so far; each is emitted once.
 */
export function warnIfNeverFound(
  target: Target,
  { processed, status }: TargetFields,
  warned: Set<string>,
): void {
  if (processed !== true || status !== undefined || !target.activeFlag) return;
  const obstacle = whyNotFound(target, target.uploadDate);
  const why = obstacle && sentenceOf(obstacle);
  if (why === undefined || warned.has(why)) return;
  warned.add(why);
  process.emitWarning(
    `no query will find the target ${JSON.stringify(target.name)}: ${why}; use another image, such as samplePicture(1), or add it ` +
      'with status: "failed" if it should fail',
    { code: "MOCK_CLOUD_RECO_TARGET" },
  );
}

/**
 * @throws InvalidOptionError for an invalid field; Error when the target API would refuse the image, the name is taken or there
 * is no such target.
 */
export async function changeTarget(
  {
    store,
    answerOptions,
    now,
  }: { readonly store: MemoryStore; readonly answerOptions: ResolvedAnswerOptions; readonly now: number },
  databaseName: string,
  targetId: string,
  fields: TargetUpdates,
): Promise<Target> {
  const { image, applicationMetadata: metadata, ...given } = checked("target", targetUpdates, fields);
  const wanted = {
    ...given,
    ...(metadata !== undefined && { applicationMetadata: asBase64(metadata) }),
    ...(image !== undefined && (await acceptedImage(image, answerOptions))),
  };
  const updated = await store.run(changes.updateTarget(databaseName, targetId, wanted, now));
  if (typeof updated !== "string") return updated;
  throw new Error(updated === "nameTaken" ? nameTaken(given.name) : noTarget(databaseName, targetId));
}

export const noDatabase = (databaseName: string): string =>
  `there is no database "${databaseName}" here: it was deleted, or belongs to another mock`;

export const noTarget = (databaseName: string, targetId: string): string =>
  `the database "${databaseName}" has no target with the id ${JSON.stringify(targetId)}`;

const nameTaken = (name: string | undefined): string =>
  `the database already has a target with the name ${JSON.stringify(name)}`;

const asBase64 = (metadata: string | Uint8Array | null): string | null =>
  typeof metadata === "object" && metadata !== null ? Buffer.from(metadata).toString("base64") : metadata;

/** @throws Error when the target API would refuse the image. */
async function acceptedImage(
  given: Uint8Array,
  answerOptions: ResolvedAnswerOptions,
): Promise<{ readonly image: NewImage }> {
  const image = Buffer.from(given);
  const verdict = await inspectTargetImage(image, answerOptions.wantedMeasures);
  if (!verdict.ok)
    throw new Error(`invalid target.image (${verdict.resultCode}): ${sentenceOf(verdict.cause)}`);
  return verdict;
}
