import { newTemplateTarget, newVuMarkDatabase } from "../../domain/new-database.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import {
  anyRequest,
  bodyAccepted,
  databaseConflict,
  knownVuMarkDatabase,
  unknownDatabase,
} from "./guards.ts";
import {
  readTemplateTarget,
  readVuMarkDatabase,
  readVuMarkState,
  templateTargetResource,
  vuMarkDatabaseResource,
} from "./vumark-resource.ts";

/** `GET /vumark_databases`. Protocol section 10. */
export const listVuMarkDatabases = endpoint(
  "manager.listVuMarkDatabases",
  "GET",
  "/vumark_databases",
  anyRequest,
  async (call) => {
    const { store } = call.services;
    const databases = await store.listVuMarkDatabases();
    const resources = databases.map(async (database) =>
      vuMarkDatabaseResource(database, await store.listTemplateTargets(database.name)),
    );
    return jsonReply(call, 200, await Promise.all(resources));
  },
);

/** `POST /vumark_databases`: adds an empty database; what is not given is generated. Protocol section 10. */
export const addVuMarkDatabase = endpoint(
  "manager.addVuMarkDatabase",
  "POST",
  "/vumark_databases",
  anyRequest.adding(bodyAccepted(readVuMarkDatabase)),
  async (call) => {
    const database = newVuMarkDatabase(call.given, call.random);
    const taken = await call.services.store.createDatabase(database);
    return taken === undefined
      ? jsonReply(call, 201, vuMarkDatabaseResource(database, []))
      : databaseConflict(taken);
  },
);

/** `DELETE /vumark_databases/{database_name}`: with its template targets. Protocol section 10. */
export const deleteVuMarkDatabase = endpoint(
  "manager.deleteVuMarkDatabase",
  "DELETE",
  "/vumark_databases/{database_name}",
  anyRequest.adding(knownVuMarkDatabase),
  async (call) => {
    await call.services.store.deleteDatabase(call.database.name);
    return emptyReply(call, 200);
  },
);

/** `POST …/vumark_targets`: adds a template target, or puts it in the place of the one with its id. Protocol section 10. */
export const addVuMarkTarget = endpoint(
  "manager.addVuMarkTarget",
  "POST",
  "/vumark_databases/{database_name}/vumark_targets",
  anyRequest.adding(knownVuMarkDatabase).adding(bodyAccepted(readTemplateTarget)),
  async (call) => {
    const { database, given, services, random, now } = call;
    const target = newTemplateTarget(given, random, now);
    const added = await services.store.addTemplateTarget(database.name, target);
    return added
      ? jsonReply(call, 201, templateTargetResource(target))
      : unknownDatabase(call, "VuMark database");
  },
);

/** `PUT /vumark_databases/{database_name}`: changes the state. Not in the protocol. */
export const updateVuMarkDatabase = endpoint(
  "manager.updateVuMarkDatabase",
  "PUT",
  "/vumark_databases/{database_name}",
  anyRequest.adding(knownVuMarkDatabase).adding(bodyAccepted(readVuMarkState)),
  async (call) => {
    const { store } = call.services;
    const updated = await store.updateDatabase(call.database.name, call.given);
    return updated?.kind === "vumark"
      ? jsonReply(call, 200, vuMarkDatabaseResource(updated, await store.listTemplateTargets(updated.name)))
      : unknownDatabase(call, "VuMark database");
  },
);
