import type {
  CloudDatabaseFields,
  DatabaseChanges,
  ManualClock,
  RecognitionCountChanges,
  VuMarkDatabaseFields,
} from "mock-cloud-reco";
import { createRandom } from "../../src/core/emulator/random.ts";
import {
  databaseChanges,
  newCloudDatabase,
  newCloudDatabaseFields,
} from "../../src/core/schema/cloud-database.ts";
import {
  type Database,
  newTemplateTarget,
  newVuMarkDatabase,
  vuMarkDatabaseFields,
} from "../../src/core/schema/database.ts";
import { checked } from "../../src/core/schema/zod/problems.ts";
import * as changes from "../../src/core/store/changes.ts";
import type { Store } from "../../src/core/store/store.ts";
import type { ResolvedOptions } from "../../src/options/options.ts";
import type { DatabaseKeys } from "./backends.ts";

export const wholeSecondsNow = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000);

/** Time to wait for a client that stops in the middle of a body; 2 seconds in production. */
export const IDLE_MILLISECONDS = 150;

type Server = { readonly url: string };
export const urlsOf = ({
  target,
  query,
  manager,
}: Readonly<Record<"target" | "query" | "manager", Server>>) => ({
  target: target.url,
  modelTarget: target.url,
  query: query.url,
  manager: manager.url,
});

/** What tests do to state without a request. */
export function changing(store: Store, { answerOptions, seed }: ResolvedOptions, clock: ManualClock) {
  const random = createRandom(seed);
  const add = async (database: Database) => {
    const taken = await store.run(changes.createDatabase(database));
    if (taken !== undefined) throw new Error(`the ${taken.conflict} is taken`);
  };
  return {
    async addCloudDatabase(fields: CloudDatabaseFields = {}) {
      const given = checked("database", newCloudDatabaseFields, fields);
      const database = newCloudDatabase(given, random, answerOptions);
      await add(database);
      return database;
    },
    async addVuMarkDatabase(fields: VuMarkDatabaseFields = {}) {
      const { targets = [], ...given } = checked("database", vuMarkDatabaseFields, fields);
      const database = newVuMarkDatabase(given, random);
      await add(database);
      for (const target of targets) {
        const template = newTemplateTarget(target, random, clock.now().getTime());
        await store.run(changes.addTemplateTarget(database.databaseName, template));
      }
      return database;
    },
    async updateDatabase({ databaseName }: DatabaseKeys, fields: DatabaseChanges) {
      const given = checked("database", databaseChanges, fields);
      await store.run(changes.updateDatabase(databaseName, given));
    },
    async setRecognitionCounts(
      { databaseName }: DatabaseKeys,
      targetId: string,
      counts: RecognitionCountChanges,
    ) {
      await store.run(changes.setRecognitionCounts(databaseName, targetId, counts));
    },
  };
}
