import {
  type CloudDatabaseFields,
  checkVuMarkDatabase,
  cloudDatabase,
  type VuMarkDatabaseFields,
} from "./database-fields.ts";
import type { CloudDatabase, Database, VuMarkDatabase } from "./domain/database.ts";
import {
  type DefaultLimits,
  newCloudDatabase,
  newTemplateTarget,
  newVuMarkDatabase,
} from "./domain/new-database.ts";
import type { Random } from "./runtime/random.ts";
import type { MemoryStore } from "./store/memory-store.ts";

/**
 * Adds a cloud database as a user describes it.
 *
 * @throws InvalidOptionError naming a field that is not accepted; Error when a key, name or id is taken.
 */
export function addedCloudDatabase(
  store: MemoryStore,
  fields: CloudDatabaseFields,
  random: Random,
  defaults: DefaultLimits | undefined,
): CloudDatabase {
  const database = newCloudDatabase(cloudDatabase(fields), random, defaults);
  add(store, database);
  return database;
}

/**
 * Adds a VuMark database with its template targets as a user describes them.
 *
 * @throws as {@link addedCloudDatabase}.
 */
export function addedVuMarkDatabase(
  store: MemoryStore,
  { targets = [], ...fields }: VuMarkDatabaseFields,
  random: Random,
  now: number,
): VuMarkDatabase {
  checkVuMarkDatabase({ targets, ...fields });
  const { databaseName: name, stateName: state, serverAccessKey, serverSecretKey } = fields;
  const database = newVuMarkDatabase({ name, state, serverAccessKey, serverSecretKey }, random);
  add(store, database);
  for (const { targetId: id, ...rest } of targets) {
    store.addTemplateTarget(database.name, newTemplateTarget({ id, ...rest }, random, now));
  }
  return database;
}

function add(store: MemoryStore, database: Database): void {
  const taken = store.createDatabase(database);
  if (taken === undefined) return;
  const shown = /secret/i.test(taken.conflict) ? "that value" : JSON.stringify(taken.value);
  throw new Error(`a database with the ${taken.conflict} ${shown} exists already; it must be unique`);
}
