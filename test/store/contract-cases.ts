import { test } from "vitest";
import { createRandom } from "../../src/core/emulator/random.ts";
import { newCloudDatabase } from "../../src/core/schema/cloud-database.ts";
import { newTemplateTarget, newVuMarkDatabase } from "../../src/core/schema/database.ts";
import type { NewImage, Target } from "../../src/core/schema/target.ts";
import * as changes from "../../src/core/store/changes.ts";
import * as reads from "../../src/core/store/reads.ts";
import { ofDatabase, type RecordsOf } from "../../src/core/store/records.ts";
import type { AssessImage, DatabaseKey, Read, Store } from "../../src/core/store/store.ts";

/** A store under test, and how to close it. */
export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

export type StoreFactory = () => Promise<OpenStore>;

/** A moment in 2026, in milliseconds. */
export const NOW = Date.UTC(2026, 10, 21, 10, 42);

const random = createRandom("store contract");

export const cloud = (given: Parameters<typeof newCloudDatabase>[0] = {}) => newCloudDatabase(given, random);
export const vuMark = (given: Parameters<typeof newVuMarkDatabase>[0] = {}) =>
  newVuMarkDatabase(given, random);
export const template = (name: string, id = random.hex(32)) =>
  newTemplateTarget({ name, targetId: id }, random, NOW);

/** Rates an "image" by its first byte; an even second byte fails. Slow enough for requests to overtake each other. */
export const assessByBytes: AssessImage = async ({ bytes }) => {
  await new Promise(setImmediate);
  return { outcome: (bytes[1] ?? 1) % 2 === 0 ? "failed" : "success", rating: (bytes[0] ?? 0) % 6 };
};

export const image = (...bytes: number[]): NewImage => ({ bytes: Buffer.from(bytes) });

export const newTarget = (given: Partial<changes.NewTarget> = {}) => ({
  targetId: random.hex(32),
  name: random.hex(8),
  width: 1,
  image: image(4, 1),
  activeFlag: true,
  applicationMetadata: null,
  processingTimeSeconds: 2,
  ...given,
});

export { deleteState, restoreSnapshot, wholeSnapshot } from "../../src/core/store/snapshot.ts";
export { changes, reads };

export const recordsOf = (key: DatabaseKey): Read<RecordsOf | undefined> => ({ key, answer: ofDatabase });

/** With ids and processing times of its own, if none are given. */
export const createTarget = (databaseName: string, given: changes.NewTarget, now: number) =>
  changes.createTarget({ random, answerOptions: { processingTimeSeconds: 2 } }, databaseName, given, now);

/** Creates a target, which must succeed. */
export async function created(
  store: Store,
  database: string,
  given: Partial<changes.NewTarget> = {},
  now = NOW,
): Promise<Target> {
  const target = await store.run(createTarget(database, newTarget(given), now));
  if (typeof target === "string") throw new Error(`the target was not created: ${target}`);
  return target;
}

/** A target's own data with its image's bytes, for comparing. */
export async function whole(target: Target | undefined): Promise<unknown> {
  if (target === undefined) return undefined;
  const { image: stored, ...rest } = target;
  return { ...rest, sha256: stored.sha256, bytes: (await stored.bytes()).toString("hex") };
}

/** Vitest's `test` with a new store for each test. */
export const testStore = (open: StoreFactory, prepare: (store: Store) => unknown = () => {}) =>
  test.extend<{ store: Store }>({
    store: async ({ task: _task }, use) => {
      const opened = await open();
      await prepare(opened.store);
      await use(opened.store);
      await opened.close();
    },
  });

/** How many undeleted targets a database has. */
export const countTargets = async (store: Pick<Store, "read">, databaseName: string): Promise<number> =>
  (await store.read(recordsOf(["databaseName", databaseName])))?.targets.size ?? 0;

/** The undeleted target of that name. */
export const targetNamed = async (store: Pick<Store, "read">, databaseName: string, name: string) =>
  (await store.read(recordsOf(["databaseName", databaseName])))?.targetNamed(name);
