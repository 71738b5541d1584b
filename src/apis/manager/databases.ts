import type { JsonObject } from "../../emulator/json.ts";
import { largeJsonBody } from "../../emulator/json-body.ts";
import type { MaybePromise } from "../../emulator/message.ts";
import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";
import {
  type CloudDatabase,
  cloudDatabaseJson,
  newCloudDatabase,
  postedCloudDatabase,
  putCloudDatabase,
} from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import { targetJson } from "../../schema/target.ts";
import {
  newVuMarkDatabase,
  postedVuMarkDatabase,
  putVuMarkDatabase,
  templateTargetJson,
  type VuMarkDatabase,
  vuMarkDatabaseJson,
} from "../../schema/vumark-database.ts";
import type { ApiContext } from "../services.ts";
import { anyRequest, bodyAccepted, isOfKind, jsonBody, knownDatabase, unknownDatabase } from "./checks.ts";
import {
  addedWith,
  databaseConflict,
  doneWith,
  doneWithLarge,
  noBody,
  taken,
  unknown,
  unknownToDelete,
} from "./responses.ts";
import { targetViewAt } from "./targets.ts";

const CLOUD_DATABASES = "/cloud_databases";
const VUMARK_DATABASES = "/vumark_databases";

/** With its targets, deleted ones too. */
async function cloudDatabaseView({ services, now }: ApiContext, database: CloudDatabase) {
  const targets = await services.store.listTargets(database.databaseName, { deleted: true });
  const views = await Promise.all(targets.map((target) => targetViewAt(target, now)));
  return { ...database, targets: views };
}

async function vuMarkDatabaseView({ services }: ApiContext, database: VuMarkDatabase) {
  return { ...database, vumarkTargets: await services.store.listTemplateTargets(database.databaseName) };
}

/** How many targets are written before other work may run. */
const TARGETS_PER_SLICE = 100;

/** Databases with their targets, in JSON, written in slices: there may be many. */
async function writeAll<Written extends Database, Item>(
  databases: readonly Written[],
  targetsOf: (database: Written) => MaybePromise<readonly Item[]>,
  write: (database: Written) => JsonObject,
  field: string,
  writeTarget: (target: Item) => MaybePromise<JsonObject>,
) {
  const lists = await Promise.all(databases.map(targetsOf));
  const written: JsonObject[] = [];
  for (const [index, database] of databases.entries()) {
    const targets: JsonObject[] = [];
    for (const target of lists[index] ?? []) {
      targets.push(await writeTarget(target));
      if (targets.length % TARGETS_PER_SLICE === 0) await yieldToEventLoop();
    }
    written.push({ ...write(database), [field]: targets });
  }
  return largeJsonBody(written);
}

const cloudDatabases = doneWithLarge(cloudDatabaseJson);

export const listCloudDatabases = operation({
  name: "manager.listCloudDatabases",
  method: "GET",
  path: CLOUD_DATABASES,
  summary: "Lists the cloud databases with all their targets.",
  checks: anyRequest,
  responses: [cloudDatabases],
  handle: async ({ services: { store }, now }) => {
    const body = await writeAll(
      await store.listCloudDatabases(),
      ({ databaseName }) => store.listTargets(databaseName, { deleted: true }),
      (database) => cloudDatabaseJson.write({ ...database, targets: [] }),
      "targets",
      async (target) => targetJson.write(await targetViewAt(target, now)),
    );
    return ok(cloudDatabases, body);
  },
});

const newCloudDatabaseBody = jsonBody(postedCloudDatabase.schema);
const cloudDatabaseAdded = addedWith(cloudDatabaseJson);

export const addCloudDatabase = operation({
  name: "manager.addCloudDatabase",
  method: "POST",
  path: CLOUD_DATABASES,
  summary: "Adds a cloud database; keys, names and ids that are not given are generated.",
  body: newCloudDatabaseBody,
  checks: anyRequest.row(bodyAccepted(newCloudDatabaseBody)),
  responses: [cloudDatabaseAdded, taken],
  handle: async ({ given, services, random }) => {
    const database = newCloudDatabase(given, random, services.settings.databaseDefaults);
    const conflict = await services.store.createDatabase(database);
    return conflict === undefined
      ? ok(cloudDatabaseAdded, { ...database, targets: [] })
      : databaseConflict(conflict);
  },
});

const cloudDatabaseChanges = jsonBody(putCloudDatabase.schema);
const cloudDatabase = doneWith(cloudDatabaseJson);

export const updateCloudDatabase = operation({
  name: "manager.updateCloudDatabase",
  method: "PUT",
  path: `${CLOUD_DATABASES}/{database_name}`,
  summary: "Changes a cloud database's state, quotas, counts or limits.",
  body: cloudDatabaseChanges,
  checks: anyRequest.row(knownDatabase("cloud")).row(bodyAccepted(cloudDatabaseChanges)),
  responses: [cloudDatabase, unknown],
  handle: async (context) => {
    const { database, given, services } = context;
    const updated = await services.store.updateDatabase(database.databaseName, given);
    return isOfKind(updated, "cloud")
      ? ok(cloudDatabase, await cloudDatabaseView(context, updated))
      : unknownDatabase(context, "cloud");
  },
});

/** Deletes a database of either kind, with everything that belongs to it. */
async function deleteDatabase({ database, services }: ApiContext & { readonly database: Database }) {
  await services.store.deleteDatabase(database.databaseName);
  return ok(noBody);
}

export const deleteCloudDatabase = operation({
  name: "manager.deleteCloudDatabase",
  method: "DELETE",
  path: `${CLOUD_DATABASES}/{database_name}`,
  summary: "Deletes a cloud database and everything that belongs to it.",
  checks: anyRequest.row(knownDatabase("cloud", unknownToDelete)),
  responses: [noBody],
  handle: deleteDatabase,
});

const vuMarkDatabases = doneWithLarge(vuMarkDatabaseJson);

export const listVuMarkDatabases = operation({
  name: "manager.listVuMarkDatabases",
  method: "GET",
  path: VUMARK_DATABASES,
  summary: "Lists the VuMark databases with their template targets.",
  checks: anyRequest,
  responses: [vuMarkDatabases],
  handle: async ({ services: { store } }) => {
    const body = await writeAll(
      await store.listVuMarkDatabases(),
      ({ databaseName }) => store.listTemplateTargets(databaseName),
      (database) => vuMarkDatabaseJson.write({ ...database, vumarkTargets: [] }),
      "vumark_targets",
      templateTargetJson.write,
    );
    return ok(vuMarkDatabases, body);
  },
});

const newVuMarkDatabaseBody = jsonBody(postedVuMarkDatabase.schema);
const vuMarkDatabaseAdded = addedWith(vuMarkDatabaseJson);

export const addVuMarkDatabase = operation({
  name: "manager.addVuMarkDatabase",
  method: "POST",
  path: VUMARK_DATABASES,
  summary: "Adds a VuMark database; keys and names that are not given are generated.",
  body: newVuMarkDatabaseBody,
  checks: anyRequest.row(bodyAccepted(newVuMarkDatabaseBody)),
  responses: [vuMarkDatabaseAdded, taken],
  handle: async ({ given, services, random }) => {
    const database = newVuMarkDatabase(given, random);
    const conflict = await services.store.createDatabase(database);
    return conflict === undefined
      ? ok(vuMarkDatabaseAdded, { ...database, vumarkTargets: [] })
      : databaseConflict(conflict);
  },
});

const vuMarkDatabaseChanges = jsonBody(putVuMarkDatabase.schema);
const vuMarkDatabase = doneWith(vuMarkDatabaseJson);

export const updateVuMarkDatabase = operation({
  name: "manager.updateVuMarkDatabase",
  method: "PUT",
  path: `${VUMARK_DATABASES}/{database_name}`,
  summary: "Changes a VuMark database's state.",
  body: vuMarkDatabaseChanges,
  checks: anyRequest.row(knownDatabase("vumark")).row(bodyAccepted(vuMarkDatabaseChanges)),
  responses: [vuMarkDatabase, unknown],
  handle: async (context) => {
    const { database, given, services } = context;
    const updated = await services.store.updateDatabase(database.databaseName, given);
    return isOfKind(updated, "vumark")
      ? ok(vuMarkDatabase, await vuMarkDatabaseView(context, updated))
      : unknownDatabase(context, "vumark");
  },
});

export const deleteVuMarkDatabase = operation({
  name: "manager.deleteVuMarkDatabase",
  method: "DELETE",
  path: `${VUMARK_DATABASES}/{database_name}`,
  summary: "Deletes a VuMark database and its template targets.",
  checks: anyRequest.row(knownDatabase("vumark", unknownToDelete)),
  responses: [noBody],
  handle: deleteDatabase,
});
