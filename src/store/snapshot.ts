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
import { MemoryStore } from "./memory-store.ts";
import { exactly, isNumber, isText, listOf, objectOf, problemIn, tableOf } from "./record-guards.ts";
import type { StoreState } from "./state.ts";

const isSnapshot = objectOf({
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

/**
 * A mock's whole state as plain JSON: databases with their keys and targets, reports, rate-limit histories, datasets and
 * credentials, and every image once, as base64 by its SHA-256. Frozen. Holds secrets, but not the journal.
 */
export type Snapshot = typeof isSnapshot extends (value: unknown) => value is infer T ? T : never;

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

/** A snapshot that cannot be restored: what of it is wrong, and what is accepted. */
export class InvalidSnapshotError extends TypeError {
  /** Tells the error from others. */
  override readonly name = "InvalidSnapshotError";
}

/**
 * What a snapshot was taken of.
 *
 * @param value - a snapshot, or one that was written to JSON and read again.
 * @param findImage - an image that is known already, by its SHA-256; it need not be read again.
 * @throws InvalidSnapshotError naming the first thing that is wrong; shows no value, for it may be a secret.
 */
export function readSnapshot(value: unknown, findImage: (sha256: string) => Buffer | undefined): StoreState {
  const known = typeof value === "object" && value !== null ? states.get(value) : undefined;
  if (known !== undefined) return known;
  if (!isSnapshot(value)) throw new InvalidSnapshotError(problemIn(isSnapshot, value, "snapshot"));
  refuseConflicts(value);
  const images = new Map<string, Buffer>();
  for (const [sha256, text] of Object.entries(value.images)) {
    images.set(sha256, findImage(sha256) ?? imageOf(sha256, text));
  }
  return {
    databases: value.databases.map(({ targets, ...rest }, index) => ({
      ...rest,
      targets: targets.map((target, place) => {
        const bytes = images.get(target.image);
        if (bytes !== undefined) return decodeTarget(target, (sha256) => ({ sha256, bytes: () => bytes }));
        throw new InvalidSnapshotError(
          `snapshot.databases[${index}].targets[${place}].image is ${show(target.image)}, which snapshot.images does not hold`,
        );
      }),
    })),
    datasets: value.datasets,
    credentials: value.credentials,
    images,
  };
}

function imageOf(sha256: string, text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return bytes;
  throw new InvalidSnapshotError(
    `snapshot.images[${show(sha256)}] is not the base64 of an image with that SHA-256`,
  );
}

/** What must be different in different records. */
function refuseConflicts({ databases }: Snapshot): void {
  const store = new MemoryStore(() => Promise.reject(new Error("holds no images")));
  for (const [index, { database, targets }] of databases.entries()) {
    const at = `snapshot.databases[${index}]`;
    const taken = store.createDatabase(database);
    if (taken !== undefined) {
      throw new InvalidSnapshotError(`${at}.database.${taken.conflict} is that of another database too`);
    }
    const names = new Set<string>();
    const ids = new Set<string>();
    for (const [place, { id, name, deletedAt }] of targets.entries()) {
      const nameCounts = deletedAt === null;
      if (ids.has(id) || (nameCounts && names.has(name))) {
        const field = ids.has(id) ? "id" : "name";
        throw new InvalidSnapshotError(`${at}.targets[${place}].${field} is that of another target too`);
      }
      ids.add(id);
      if (nameCounts) names.add(name);
    }
  }
}
