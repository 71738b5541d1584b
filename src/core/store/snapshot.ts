import { hash } from "node:crypto";
import { show } from "../general/text.ts";
import { Base64Text } from "../schema/base64.ts";
import { type Snapshot, snapshot as snapshotSchema } from "../schema/snapshot.ts";
import { read } from "../schema/zod/problems.ts";
import { decodeTarget, encodeTarget, firstProblem } from "./codec.ts";
import { type LoadedImage, loadedImage } from "./image-blobs.ts";
import { type StoreState, uniqueValues } from "./state.ts";
import type { PlainChange, Read } from "./store.ts";

/** The states behind this process's snapshots: frozen snapshots need not be parsed again. */
const states = new WeakMap<object, StoreState>();

/** Copies its contents on access: most snapshots are only restored or sent. */
function snapshotOf(state: StoreState): Snapshot {
  let copy: Snapshot | undefined;
  const content = () => {
    copy ??= contentOf(state);
    return copy;
  };
  const snapshot: Snapshot = Object.freeze({
    version: 2 as const,
    get databases() {
      return content().databases;
    },
    get datasets() {
      return content().datasets;
    },
    get credentials() {
      return content().credentials;
    },
    get images() {
      return content().images;
    },
  });
  states.set(snapshot, state);
  return snapshot;
}

function contentOf(state: StoreState): Snapshot {
  // A copy: it is frozen, and users' objects must not be.
  const copy: ReturnType<typeof recordsOf> = JSON.parse(JSON.stringify(recordsOf(state)));
  return deeplyFrozen({ ...copy, images: lazyTable(state.images) });
}

function recordsOf({ databases, datasets, credentials }: StoreState): Omit<Snapshot, "images"> {
  const records = databases.map(({ targets, ...others }) => ({
    ...others,
    targets: targets.map(encodeTarget),
  }));
  return { version: 2, databases: records, datasets, credentials };
}

export const wholeSnapshot: Read<Snapshot> = { of: "state", answer: snapshotOf };

export const deleteState: PlainChange<void> = {
  on: "state",
  decide: () => ({
    result: undefined,
    state: { databases: [], datasets: [], credentials: [], images: new Map() },
  }),
};

/**
 * Replaces all state with that of a snapshot.
 *
 * @param images - by SHA-256; the snapshot need not hold these itself.
 * @returns what is wrong with the snapshot; the state is then unchanged.
 */
export const restoreSnapshot = (
  snapshot: unknown,
  images?: ReadonlyMap<string, Buffer>,
): PlainChange<string | undefined> => ({
  on: "state",
  decide: (findImage) => {
    const state = readSnapshot(snapshot, images, findImage);
    return typeof state === "string" ? { result: state } : { result: undefined, state };
  },
});

/** Images are encoded while they are sent. */
export function snapshotJson(snapshot: Snapshot): object {
  const state = states.get(snapshot);
  if (state === undefined) return snapshot;
  const images = [...state.images].map(([sha256, image]) => [sha256, new Base64Text(image.bytes())]);
  return { ...recordsOf(state), images: Object.fromEntries(images) };
}

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

/**
 * Reads the state in a snapshot, or describes the first problem without values, which may be secrets.
 *
 * @param value - a snapshot, possibly converted to JSON and back.
 * @param given - images by SHA-256 that arrived beside it.
 * @param findKept - finds a known image by its SHA-256, which then need not be decoded.
 */
function readSnapshot(
  value: unknown,
  given: ReadonlyMap<string, Buffer> = new Map(),
  findKept: (sha256: string) => LoadedImage | undefined = () => undefined,
): StoreState | string {
  const known = typeof value === "object" && value !== null ? states.get(value) : undefined;
  if (known !== undefined) return known;
  const snapshot = contentIn(value);
  if (typeof snapshot === "string") return snapshot;
  const { databases, datasets, credentials, images: texts } = snapshot;
  const images = new Map<string, LoadedImage>();
  for (const [sha256, text] of Object.entries(texts)) {
    const beside = given.get(sha256);
    const known = findKept(sha256) ?? (beside && loadedImage(sha256, beside));
    const bytes = known?.bytes() ?? Buffer.from(text, "base64");
    if (known === undefined && hash("sha256", bytes) !== sha256) {
      return `snapshot.images[${show(sha256)}] is not the base64 of an image with that SHA-256`;
    }
    images.set(sha256, known ?? loadedImage(sha256, bytes));
  }
  const wrong = conflictIn(snapshot) ?? missingImageIn(snapshot, images);
  if (wrong !== undefined) return wrong;
  return {
    databases: databases.map(({ targets, ...rest }) => ({
      ...rest,
      targets: targets.map((target) =>
        decodeTarget(target, (sha256) => images.get(sha256) ?? loadedImage(sha256, Buffer.alloc(0))),
      ),
    })),
    datasets,
    credentials,
    images,
  };
}

function contentIn(value: unknown): Snapshot | string {
  const reading = read(snapshotSchema, value);
  return "problems" in reading ? firstProblem("snapshot", reading.problems) : reading.value;
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

function conflictIn({ databases }: Snapshot): string | undefined {
  const taken = new Set<string>();
  const isTaken = (...key: readonly unknown[]): boolean => {
    const text = JSON.stringify(key);
    const known = taken.has(text);
    taken.add(text);
    return known;
  };
  const conflict = (path: string) => `${path}: expected a unique value; got that of another record`;
  for (const [index, { database, targets }] of databases.entries()) {
    const at = `snapshot.databases[${index}]`;
    for (const { conflict: field, value } of uniqueValues(database))
      if (isTaken(field, value)) return conflict(`${at}.database.${field}`);
    for (const [place, { targetId, name, deleteDate }] of targets.entries()) {
      if (isTaken(index, "targetId", targetId)) return conflict(`${at}.targets[${place}].targetId`);
      if (deleteDate === null && isTaken(index, "name", name))
        return conflict(`${at}.targets[${place}].name`);
    }
  }
  return undefined;
}
