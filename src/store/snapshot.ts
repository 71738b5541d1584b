import { createHash } from "node:crypto";
import { show } from "../core/text.ts";
import { Base64Text } from "../schema/base64.ts";
import { read } from "../schema/kernel/problems.ts";
import { type Snapshot, snapshot as snapshotSchema } from "../schema/snapshot.ts";
import { decodeTarget, encodeTarget, firstProblem } from "./codec.ts";
import { type KeptImage, keptImage } from "./image-blobs.ts";
import type { StoreState } from "./state.ts";
import { UNIQUE_FIELDS } from "./unique-fields.ts";

/** The states that this process's snapshots were taken of. Snapshots are frozen, so they need not be parsed again. */
const states = new WeakMap<object, StoreState>();

export function snapshotOf(state: StoreState): Snapshot {
  const { databases, datasets, credentials, images } = state;
  const records = databases.map(({ targets, ...others }) => ({
    ...others,
    targets: targets.map(encodeTarget),
  }));
  const rest: Omit<Snapshot, "images"> = { version: 1, databases: records, datasets, credentials };
  // A copy, because it is frozen below, and users' objects must not be.
  const copy: typeof rest = JSON.parse(JSON.stringify(rest));
  const snapshot = deeplyFrozen({ ...copy, images: lazyTable(images) });
  states.set(snapshot, state);
  return snapshot;
}

/** A snapshot as a response holds it: its images are encoded while they are sent. */
export function snapshotJson(snapshot: Snapshot): object {
  const images = [...(states.get(snapshot)?.images ?? [])];
  if (images.length === 0) return snapshot;
  return {
    ...snapshot,
    images: Object.fromEntries(images.map(([sha256, image]) => [sha256, new Base64Text(image.bytes())])),
  };
}

/** Images are only encoded when they are read: most snapshots are only ever restored. */
function lazyTable(images: StoreState["images"]): Readonly<Record<string, string>> {
  const table = {};
  for (const [sha256, image] of images) {
    Object.defineProperty(table, sha256, { enumerable: true, get: () => image.bytes().toString("base64") });
  }
  return table;
}

function deeplyFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const { value: part } of Object.values(Object.getOwnPropertyDescriptors(value))) deeplyFrozen(part);
  return Object.freeze(value);
}

/** A snapshot that cannot be restored. The message says what is wrong, without values, because they may be secrets. */
export class InvalidSnapshotError extends TypeError {
  /** Identifies the error. */
  override readonly name = "InvalidSnapshotError";
}

/**
 * Reads the state in a snapshot, or describes the first problem with it, without values, because they may be secrets.
 *
 * @param value - a snapshot, possibly converted to JSON and back.
 * @param given - images by SHA-256 that arrived beside it.
 * @param findKept - finds a known image by its SHA-256, which then need not be decoded.
 */
export function readSnapshot(
  value: unknown,
  given: ReadonlyMap<string, Buffer> = new Map(),
  findKept: (sha256: string) => KeptImage | undefined = () => undefined,
): StoreState | string {
  const known = typeof value === "object" && value !== null ? states.get(value) : undefined;
  if (known !== undefined) return known;
  const reading = read(snapshotSchema, value);
  if ("problems" in reading) return firstProblem("snapshot", reading.problems);
  const { databases, datasets, credentials, images: texts } = reading.value;
  const images = new Map<string, KeptImage>();
  for (const [sha256, text] of Object.entries(texts)) {
    const beside = given.get(sha256);
    const known = findKept(sha256) ?? (beside && keptImage(sha256, beside));
    const bytes = known?.bytes() ?? Buffer.from(text, "base64");
    if (known === undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) {
      return `snapshot.images[${show(sha256)}] is not the base64 of an image with that SHA-256`;
    }
    images.set(sha256, known ?? keptImage(sha256, bytes));
  }
  const wrong = conflictIn(reading.value) ?? missingImageIn(reading.value, images);
  if (wrong !== undefined) return wrong;
  return {
    databases: databases.map(({ targets, ...rest }) => ({
      ...rest,
      targets: targets.map((target) =>
        decodeTarget(target, (sha256) => images.get(sha256) ?? keptImage(sha256, Buffer.alloc(0))),
      ),
    })),
    datasets,
    credentials,
    images,
  };
}

function missingImageIn({ databases }: Snapshot, images: StoreState["images"]): string | undefined {
  for (const [index, { targets }] of databases.entries()) {
    const place = targets.findIndex(({ image, deleteDate }) => deleteDate === null && !images.has(image));
    const image = targets[place]?.image;
    if (image === undefined) continue;
    return `snapshot.databases[${index}].targets[${place}].image is ${show(image)}, which snapshot.images does not hold`;
  }
  return undefined;
}

/** Finds a value that has to be unique, and is not. */
function conflictIn({ databases }: Snapshot): string | undefined {
  const found = databases.flatMap(({ database, targets }, index) => {
    const at = `snapshot.databases[${index}]`;
    const ofDatabase = UNIQUE_FIELDS.map((field) => ({
      path: `${at}.database.${field}`,
      value: [field, Reflect.get(database, field)],
    })).filter(({ value }) => value[1] !== undefined);
    const ofTargets = targets.flatMap(({ targetId, name, deleteDate }, place) => [
      { path: `${at}.targets[${place}].targetId`, value: [index, "targetId", targetId] },
      ...(deleteDate === null
        ? [{ path: `${at}.targets[${place}].name`, value: [index, "name", name] }]
        : []),
    ]);
    return [...ofDatabase, ...ofTargets];
  });
  const taken = new Set<string>();
  for (const { path, value } of found) {
    const key = JSON.stringify(value);
    if (taken.has(key)) return `${path}: expected a unique value; got that of another record`;
    taken.add(key);
  }
  return undefined;
}
