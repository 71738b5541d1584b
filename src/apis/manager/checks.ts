import type * as z from "zod/mini";
import { CheckTable, check } from "../../core/check.ts";
import type { JsonObject } from "../../core/json.ts";
import type { MaybePromise } from "../../core/message.ts";
import type { DeclaredResponse, Refusal } from "../../core/response.ts";
import { show } from "../../core/text.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import { type Problem, read } from "../../schema/kernel/problems.ts";
import type { Target } from "../../schema/target.ts";
import type { VuMarkDatabase } from "../../schema/vumark-database.ts";
import type { ApiContext } from "../shared/services.ts";
import {
  type FieldError,
  fieldsRefused,
  refuseFields,
  refuseUnknown,
  unknown,
  unknownToDelete,
} from "./responses.ts";

type ManagerOperation = `manager.${
  | `${"add" | "update" | "delete"}${"CloudDatabase" | "VuMarkDatabase"}`
  | "listCloudDatabases"
  | "listVuMarkDatabases"
  | "addTarget"
  | "updateTarget"
  | "deleteTarget"
  | "setRecognitionCounts"
  | "addVuMarkTarget"
  | "listDatasets"
  | "addDataset"
  | "deleteDataset"
  | "listCredentials"
  | "putCredential"
  | "deleteCredential"
  | "listRequests"
  | "clearRequests"
  | "reset"
  | "takeSnapshot"
  | "restoreSnapshot"
  | "finishProcessing"
  | "readClock"
  | "setClock"
  | "advanceClock"
  | "resetClock"
  | "live"
  | "ready"}`;

/** Routes of the manager need no authentication: a request is served if what it names exists and its body is read. */
export const anyRequest = CheckTable.on<ApiContext, ManagerOperation>();

const cloudDatabaseNamed = (missing: DeclaredResponse<string>) =>
  check<ApiContext, { database: CloudDatabase }, ManagerOperation>({
    name: "knownDatabase",
    refusals: [missing],
    test: async (call) => {
      const database = await namedDatabase(call);
      return database?.kind === "cloud" ? { database } : unknownDatabase(call, "cloud database", missing);
    },
  });

/** The path names a cloud database. */
export const knownCloudDatabase = cloudDatabaseNamed(unknown);
export const knownCloudDatabaseToDelete = cloudDatabaseNamed(unknownToDelete);

const vuMarkDatabaseNamed = (missing: DeclaredResponse<string>) =>
  check<ApiContext, { database: VuMarkDatabase }, ManagerOperation>({
    name: "knownDatabase",
    refusals: [missing],
    test: async (call) => {
      const database = await namedDatabase(call);
      return database?.kind === "vumark" ? { database } : unknownDatabase(call, "VuMark database", missing);
    },
  });

/** The path names a VuMark database. */
export const knownVuMarkDatabase = vuMarkDatabaseNamed(unknown);
export const knownVuMarkDatabaseToDelete = vuMarkDatabaseNamed(unknownToDelete);

const namedDatabase = ({ params, services: { store } }: ApiContext) =>
  store.findDatabaseByName(params.database_name ?? "");

export const unknownDatabase = (
  { params }: ApiContext,
  what: string,
  missing?: DeclaredResponse<string>,
): Refusal => refuseUnknown(`there is no ${what} with the name ${show(params.database_name)}`, missing);

type InDatabase = ApiContext & { database: CloudDatabase };

const targetNamed = (missing: DeclaredResponse<string>) =>
  check<InDatabase, { target: Target }, ManagerOperation>({
    name: "knownTarget",
    refusals: [missing],
    test: async (call) => {
      const { database, params, services } = call;
      const target = await services.store.findTarget(database.databaseName, params.target_id ?? "");
      return target === undefined ? unknownTarget(call, missing) : { target };
    },
  });

/** The path names an undeleted target of the database. */
export const knownTarget = targetNamed(unknown);
export const knownTargetToDelete = targetNamed(unknownToDelete);

export const unknownTarget = (
  { database, params }: InDatabase,
  missing?: DeclaredResponse<string>,
): Refusal =>
  refuseUnknown(
    `the cloud database ${show(database.databaseName)} has no undeleted target with the id ${show(params.target_id)}`,
    missing,
  );

const A_JSON_OBJECT = "a JSON object";

/**
 * The body is JSON that the schema takes.
 *
 * @param inspect - finds what only a closer look can tell, so that one response names it beside the rest.
 */
export const bodyAccepted = <Given>(
  schema: z.ZodMiniType<Given>,
  inspect: (body: JsonObject) => MaybePromise<readonly FieldError[]> = () => [],
) =>
  check<ApiContext, { given: Given }, ManagerOperation>({
    name: "bodyAccepted",
    refusals: [fieldsRefused],
    test: async ({ body }) => {
      if (body.json.error !== undefined) {
        return refuseFields([{ field: "body", message: "body is not valid JSON", accepted: A_JSON_OBJECT }]);
      }
      const reading = read(schema, body.json.value);
      const found = await inspect(body.fields);
      if ("value" in reading && found.length === 0) return { given: reading.value };
      return refuseFields([...("problems" in reading ? reading.problems.map(fieldError) : []), ...found]);
    },
  });

function fieldError({ path, given, expected }: Problem): FieldError {
  if (path === "") return { field: "body", message: `body is ${given}`, accepted: A_JSON_OBJECT };
  const message = given === undefined ? `${path} is missing` : `${path} is ${given}`;
  return { field: path, message, accepted: expected };
}
