import { createHash } from "node:crypto";
import { show } from "../http/show.ts";
import {
  decodeTarget,
  encodeTarget,
  isCredentialRecord,
  isDatabaseRecord,
  isDatasetRecord,
  isReportRecord,
  isTargetRecord,
  isTemplateTargetRecord,
} from "./codec.ts";
import { UNIQUE_FIELDS } from "./database-index.ts";
import {
  exactly,
  type Guard,
  isNumber,
  isText,
  listOf,
  objectOf,
  problemIn,
  tableOf,
} from "./record-guards.ts";
import type { Snapshot, StoreState } from "./state.ts";

export const isSnapshot: Guard<Snapshot> = objectOf({
  version: exactly(1),
  databases: listOf(
    objectOf({
      database: isDatabaseRecord,
      targets: listOf(isTargetRecord),
      templates: listOf(isTemplateTargetRecord),
      reports: listOf(isReportRecord),
      accepted: listOf(objectOf({ limit: isText, moments: listOf(isNumber) })),
    }),
  ),
  datasets: listOf(isDatasetRecord),
  credentials: listOf(isCredentialRecord),
  images: tableOf(isText),
});

/** What snapshots of this process were taken of: nothing can have changed in them, so nothing needs to be read again. */
const states = new WeakMap<object, StoreState>();

export function snapshotOf(state: StoreState): Snapshot {
  const { databases, datasets, credentials, images } = state;
  const records = databases.map(({ targets, ...others }) => ({
    ...others,
    targets: targets.map(encodeTarget),
  }));
  const rest: Omit<Snapshot, "images"> = { version: 1, databases: records, datasets, credentials };
  // A copy, because it is going to be frozen, and requests and options are not ours to freeze.
  const copy: typeof rest = JSON.parse(JSON.stringify(rest));
  const snapshot = deeplyFrozen({ ...copy, images: lazyTable(images) });
  states.set(snapshot, state);
  return snapshot;
}

/** Texts are made when they are read: most snapshots are only ever restored. */
function lazyTable(images: StoreState["images"]): Readonly<Record<string, string>> {
  const table = {};
  for (const [sha256, bytes] of images) {
    Object.defineProperty(table, sha256, { enumerable: true, get: () => bytes.toString("base64") });
  }
  return table;
}

function deeplyFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const { value: part } of Object.values(Object.getOwnPropertyDescriptors(value))) deeplyFrozen(part);
  return Object.freeze(value);
}

/** A snapshot that cannot be restored: what of it is wrong, and what is accepted. Shows no value, for it may be a secret. */
export class InvalidSnapshotError extends TypeError {
  /** Tells the error from others. */
  override readonly name = "InvalidSnapshotError";
}

/**
 * What a snapshot was taken of, or the first thing that is wrong with it; that shows no value, for it may be a secret.
 *
 * @param value - a snapshot, or one that was written to JSON and read again.
 * @param findImage - an image that is known already, by its SHA-256; it need not be read again.
 */
export function readSnapshot(
  value: unknown,
  findImage: (sha256: string) => Buffer | undefined,
): StoreState | string {
  const known = typeof value === "object" && value !== null ? states.get(value) : undefined;
  if (known !== undefined) return known;
  if (!isSnapshot(value)) return problemIn(isSnapshot, value, "snapshot") ?? "the snapshot is not accepted";
  const images = new Map<string, Buffer>();
  for (const [sha256, text] of Object.entries(value.images)) {
    const known = findImage(sha256);
    const bytes = known ?? Buffer.from(text, "base64");
    if (known === undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) {
      return `snapshot.images[${show(sha256)}] is not the base64 of an image with that SHA-256`;
    }
    images.set(sha256, bytes);
  }
  const wrong = conflictIn(value) ?? missingImageIn(value, images);
  if (wrong !== undefined) return wrong;
  return {
    databases: value.databases.map(({ targets, ...rest }) => ({
      ...rest,
      targets: targets.map((target) =>
        decodeTarget(target, (sha256) => ({ sha256, bytes: () => images.get(sha256) ?? Buffer.alloc(0) })),
      ),
    })),
    datasets: value.datasets,
    credentials: value.credentials,
    images,
  };
}

function missingImageIn({ databases }: Snapshot, images: StoreState["images"]): string | undefined {
  for (const [index, { targets }] of databases.entries()) {
    const place = targets.findIndex(({ image }) => !images.has(image));
    const image = targets[place]?.image;
    if (image === undefined) continue;
    return `snapshot.databases[${index}].targets[${place}].image is ${show(image)}, which snapshot.images does not hold`;
  }
  return undefined;
}

/** What must be different in different records, and is not. */
function conflictIn({ databases }: Snapshot): string | undefined {
  const found = databases.flatMap(({ database, targets }, index) => {
    const at = `snapshot.databases[${index}]`;
    const ofDatabase = UNIQUE_FIELDS.map((field) => ({
      path: `${at}.database.${field}`,
      value: [field, Reflect.get(database, field)],
    })).filter(({ value }) => value[1] !== undefined);
    const ofTargets = targets.flatMap(({ id, name, deletedAt }, place) => [
      { path: `${at}.targets[${place}].id`, value: [index, "id", id] },
      ...(deletedAt === null ? [{ path: `${at}.targets[${place}].name`, value: [index, "name", name] }] : []),
    ]);
    return [...ofDatabase, ...ofTargets];
  });
  const taken = new Set<string>();
  for (const { path, value } of found) {
    const key = JSON.stringify(value);
    if (taken.has(key)) return `${path} is that of another record too`;
    taken.add(key);
  }
  return undefined;
}
