import type { CloudDatabase } from "../../domain/database.ts";
import { newCloudDatabase } from "../../domain/new-database.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import type { Call } from "../../services.ts";
import { cloudDatabaseResource, readCloudDatabase, readDatabaseSettings } from "./cloud-database-resource.ts";
import { anyRequest, bodyAccepted, databaseConflict, knownCloudDatabase, unknownDatabase } from "./guards.ts";
import { targetResource } from "./target-resource.ts";

/** The resource of a database with all its targets, deleted ones too. */
async function cloudDatabaseWithTargets({ services, now }: Call, database: CloudDatabase) {
  const targets = await services.store.listTargets(database.name, { deleted: true });
  const resources = await Promise.all(targets.map((target) => targetResource(target, now)));
  return cloudDatabaseResource(database, resources);
}

/** `GET /cloud_databases`. Protocol section 10. */
export const listCloudDatabases = endpoint(
  "manager.listCloudDatabases",
  "GET",
  "/cloud_databases",
  anyRequest,
  async (call) => {
    const databases = await call.services.store.listCloudDatabases();
    return jsonReply(
      call,
      200,
      await Promise.all(databases.map((database) => cloudDatabaseWithTargets(call, database))),
    );
  },
);

/** `POST /cloud_databases`: adds an empty database; what is not given is generated. Protocol section 10. */
export const addCloudDatabase = endpoint(
  "manager.addCloudDatabase",
  "POST",
  "/cloud_databases",
  anyRequest.adding(bodyAccepted(readCloudDatabase)),
  async (call) => {
    const { given, services, random } = call;
    const database = newCloudDatabase(given, random, services.settings.databaseDefaults);
    const taken = await services.store.createDatabase(database);
    return taken === undefined
      ? jsonReply(call, 201, cloudDatabaseResource(database, []))
      : databaseConflict(taken);
  },
);

/** `DELETE /cloud_databases/{database_name}`: with its targets, reports and rate-limit history. Protocol section 10. */
export const deleteCloudDatabase = endpoint(
  "manager.deleteCloudDatabase",
  "DELETE",
  "/cloud_databases/{database_name}",
  anyRequest.adding(knownCloudDatabase),
  async (call) => {
    await call.services.store.deleteDatabase(call.database.name);
    return emptyReply(call, 200);
  },
);

/**
 * `PUT /cloud_databases/{database_name}`: changes the state, quotas, counts and limits that are given, from the next
 * request on. Not in the protocol.
 */
export const updateCloudDatabase = endpoint(
  "manager.updateCloudDatabase",
  "PUT",
  "/cloud_databases/{database_name}",
  anyRequest.adding(knownCloudDatabase).adding(bodyAccepted(readDatabaseSettings)),
  async (call) => {
    const updated = await call.services.store.updateDatabase(call.database.name, call.given);
    return updated?.kind === "cloud"
      ? jsonReply(call, 200, await cloudDatabaseWithTargets(call, updated))
      : unknownDatabase(call, "cloud database");
  },
);
