import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import {
  newTemplateTarget,
  newVuMarkDatabase,
  postedTemplateTarget,
  postedVuMarkDatabase,
  putVuMarkDatabase,
  templateTargetJson,
  type VuMarkDatabase,
  vuMarkDatabaseJson,
} from "../../schema/vumark-database.ts";
import type { ApiContext } from "../shared/services.ts";
import {
  anyRequest,
  bodyAccepted,
  knownVuMarkDatabase,
  knownVuMarkDatabaseToDelete,
  unknownDatabase,
} from "./checks.ts";
import { added, databaseConflict, done, emptied, taken, unknown } from "./responses.ts";

async function withTemplateTargets({ services: { store } }: ApiContext, database: VuMarkDatabase) {
  const vumarkTargets = await store.listTemplateTargets(database.databaseName);
  return vuMarkDatabaseJson.write({ ...database, vumarkTargets });
}

export const listVuMarkDatabases = operation({
  name: "manager.listVuMarkDatabases",
  method: "GET",
  path: "/vumark_databases",
  summary: "Lists the VuMark databases, with their template targets.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => {
    const databases = await call.services.store.listVuMarkDatabases();
    const resources = databases.map((database) => withTemplateTargets(call, database));
    return ok(done, await Promise.all(resources));
  },
});

export const addVuMarkDatabase = operation({
  name: "manager.addVuMarkDatabase",
  method: "POST",
  path: "/vumark_databases",
  summary: "Adds a VuMark database; what is not given is generated.",
  checks: anyRequest.row(bodyAccepted(postedVuMarkDatabase.schema)),
  responses: [added, taken],
  handle: async (call) => {
    const database = newVuMarkDatabase(call.given, call.random);
    const taken = await call.services.store.createDatabase(database);
    return taken === undefined
      ? ok(added, vuMarkDatabaseJson.write({ ...database, vumarkTargets: [] }))
      : databaseConflict(taken);
  },
});

export const deleteVuMarkDatabase = operation({
  name: "manager.deleteVuMarkDatabase",
  method: "DELETE",
  path: "/vumark_databases/{database_name}",
  summary: "Deletes a VuMark database and its template targets.",
  checks: anyRequest.row(knownVuMarkDatabaseToDelete),
  responses: [emptied],
  handle: async (call) => {
    await call.services.store.deleteDatabase(call.database.databaseName);
    return ok(emptied);
  },
});

export const addVuMarkTarget = operation({
  name: "manager.addVuMarkTarget",
  method: "POST",
  path: "/vumark_databases/{database_name}/vumark_targets",
  summary: "Adds a template target, or replaces the one with its id.",
  checks: anyRequest.row(knownVuMarkDatabase).row(bodyAccepted(postedTemplateTarget.schema)),
  responses: [added, unknown],
  handle: async (call) => {
    const { database, given, services, random, now } = call;
    const target = newTemplateTarget(given, random, now);
    const isAdded = await services.store.addTemplateTarget(database.databaseName, target);
    return isAdded ? ok(added, templateTargetJson.write(target)) : unknownDatabase(call, "VuMark database");
  },
});

export const updateVuMarkDatabase = operation({
  name: "manager.updateVuMarkDatabase",
  method: "PUT",
  path: "/vumark_databases/{database_name}",
  summary: "Changes a VuMark database's state.",
  checks: anyRequest.row(knownVuMarkDatabase).row(bodyAccepted(putVuMarkDatabase.schema)),
  responses: [done, unknown],
  handle: async (call) => {
    const { databaseName } = call.database;
    const updated = await call.services.store.updateDatabase(databaseName, call.given);
    return updated?.kind === "vumark"
      ? ok(done, await withTemplateTargets(call, updated))
      : unknownDatabase(call, "VuMark database");
  },
});
