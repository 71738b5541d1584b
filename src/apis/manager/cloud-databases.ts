import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import {
  type CloudDatabase,
  cloudDatabaseJson,
  newCloudDatabase,
  postedCloudDatabase,
  putCloudDatabase,
} from "../../schema/cloud-database.ts";
import type { ApiContext } from "../shared/services.ts";
import {
  anyRequest,
  bodyAccepted,
  knownCloudDatabase,
  knownCloudDatabaseToDelete,
  unknownDatabase,
} from "./checks.ts";
import { added, databaseConflict, done, emptied, taken, unknown } from "./responses.ts";
import { targetViewAt } from "./targets.ts";

/** The resource of a database with all its targets, deleted ones too. */
async function cloudDatabaseWithTargets({ services, now }: ApiContext, database: CloudDatabase) {
  const targets = await services.store.listTargets(database.databaseName, { deleted: true });
  const views = await Promise.all(targets.map((target) => targetViewAt(target, now)));
  return cloudDatabaseJson.write({ ...database, targets: views });
}

export const listCloudDatabases = operation({
  name: "manager.listCloudDatabases",
  method: "GET",
  path: "/cloud_databases",
  summary: "Lists the cloud databases, with all their targets.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => {
    const databases = await call.services.store.listCloudDatabases();
    return ok(done, await Promise.all(databases.map((database) => cloudDatabaseWithTargets(call, database))));
  },
});

export const addCloudDatabase = operation({
  name: "manager.addCloudDatabase",
  method: "POST",
  path: "/cloud_databases",
  summary: "Adds a cloud database; what is not given is generated.",
  checks: anyRequest.row(bodyAccepted(postedCloudDatabase.schema)),
  responses: [added, taken],
  handle: async (call) => {
    const { given, services, random } = call;
    const database = newCloudDatabase(given, random, services.settings.databaseDefaults);
    const taken = await services.store.createDatabase(database);
    return taken === undefined
      ? ok(added, cloudDatabaseJson.write({ ...database, targets: [] }))
      : databaseConflict(taken);
  },
});

export const deleteCloudDatabase = operation({
  name: "manager.deleteCloudDatabase",
  method: "DELETE",
  path: "/cloud_databases/{database_name}",
  summary: "Deletes a cloud database and all that belongs to it.",
  checks: anyRequest.row(knownCloudDatabaseToDelete),
  responses: [emptied],
  handle: async (call) => {
    await call.services.store.deleteDatabase(call.database.databaseName);
    return ok(emptied);
  },
});

export const updateCloudDatabase = operation({
  name: "manager.updateCloudDatabase",
  method: "PUT",
  path: "/cloud_databases/{database_name}",
  summary: "Changes a cloud database's state, quotas, counts or limits.",
  checks: anyRequest.row(knownCloudDatabase).row(bodyAccepted(putCloudDatabase.schema)),
  responses: [done, unknown],
  handle: async (call) => {
    const updated = await call.services.store.updateDatabase(call.database.databaseName, call.given);
    return updated?.kind === "cloud"
      ? ok(done, await cloudDatabaseWithTargets(call, updated))
      : unknownDatabase(call, "cloud database");
  },
});
