import type { Random } from "../emulator/random.ts";
import {
  type CloudDatabase,
  type CloudDatabaseFields,
  type DefaultLimits,
  newCloudDatabase,
  newCloudDatabaseFields,
} from "../schema/cloud-database.ts";
import type { Database } from "../schema/database.ts";
import { checked } from "../schema/kernel/problems.ts";
import {
  newTemplateTarget,
  newVuMarkDatabase,
  type VuMarkDatabase,
  type VuMarkDatabaseFields,
  vuMarkDatabaseFields,
} from "../schema/vumark-database.ts";
import type { MemoryStore } from "../store/memory-store.ts";

/**
 * Adds a cloud database.
 *
 * @throws InvalidOptionError for an invalid field; Error when a key, name or id is taken.
 */
export function createCloudDatabase(
  store: MemoryStore,
  fields: CloudDatabaseFields,
  random: Random,
  defaults: DefaultLimits,
): CloudDatabase {
  const database = newCloudDatabase(checked("database", newCloudDatabaseFields, fields), random, defaults);
  add(store, database);
  return database;
}

/**
 * Adds a VuMark database with its template targets.
 *
 * @throws the errors of {@link createCloudDatabase}.
 */
export function createVuMarkDatabase(
  store: MemoryStore,
  fields: VuMarkDatabaseFields,
  random: Random,
  now: number,
): VuMarkDatabase {
  const { targets = [], ...given } = checked("database", vuMarkDatabaseFields, fields);
  const database = newVuMarkDatabase(given, random);
  add(store, database);
  for (const target of targets) {
    store.addTemplateTarget(database.databaseName, newTemplateTarget(target, random, now));
  }
  return database;
}

function add(store: MemoryStore, database: Database): void {
  const taken = store.createDatabase(database);
  if (taken === undefined) return;
  const { conflict, value } = taken;
  // Secrets are never shown.
  const shown = /secret/i.test(conflict) ? `this ${conflict}` : `the ${conflict} ${JSON.stringify(value)}`;
  throw new Error(`a database with ${shown} already exists; it must be unique`);
}
