import type * as z from "zod/mini";
import { CheckTable, check } from "../../emulator/check.ts";
import type { DeclaredBody } from "../../emulator/operation.ts";
import type { DeclaredResponse, Refusal } from "../../emulator/response.ts";
import type { JsonObject } from "../../general/json.ts";
import { show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import type { Target } from "../../schema/target.ts";
import { type Problem, read } from "../../schema/zod/problems.ts";
import * as reads from "../../store/reads.ts";
import type { ApiContext } from "../services.ts";
import {
  type FieldError,
  fieldsRefused,
  refuseFields,
  refuseUnknown,
  unknown,
  unknownToDelete,
} from "./responses.ts";

export type ManagerOperation = `manager.${string}`;
export type OperationTitle = readonly [name: ManagerOperation, summary: string];
export const named = ([name, summary]: OperationTitle) => ({ name, summary });

/** The manager needs no authentication, only existing names and a valid body. */
export const anyRequest = CheckTable.on<ApiContext, ManagerOperation>();

export type DatabaseKind = Database["kind"];
export type DatabaseOf<K extends DatabaseKind> = Extract<Database, { readonly kind: K }>;

export const isOfKind = <K extends DatabaseKind>(
  database: Database | undefined,
  kind: K,
): database is DatabaseOf<K> => database?.kind === kind;

/** The path names a database of this kind. Adds it to the context. */
export const knownDatabase = <K extends DatabaseKind>(kind: K, missing: DeclaredResponse<string> = unknown) =>
  check<ApiContext, { database: DatabaseOf<K> }, ManagerOperation>({
    name: "knownDatabase",
    refusals: [missing],
    testLater: async (context) => {
      const { params, services } = context;
      const database = await services.store.read(reads.database(params.database_name ?? ""));
      return isOfKind(database, kind) ? { database } : unknownDatabase(context, kind, missing);
    },
  });

const KIND_NAMES: Readonly<Record<DatabaseKind, string>> = {
  cloud: "cloud database",
  vumark: "VuMark database",
};

export const unknownDatabase = (
  { params }: ApiContext,
  kind: DatabaseKind,
  missing?: DeclaredResponse<string>,
): Refusal =>
  refuseUnknown(
    cause("database.unknown", { type: KIND_NAMES[kind], name: show(params.database_name) }),
    missing,
  );

type InDatabase = ApiContext & { database: CloudDatabase };

const targetNamed = (missing: DeclaredResponse<string>) =>
  check<InDatabase, { target: Target }, ManagerOperation>({
    name: "knownTarget",
    refusals: [missing],
    testLater: async (context) => {
      const { database, params, services } = context;
      const target = await services.store.read(reads.target(database.databaseName, params.target_id ?? ""));
      return target === undefined ? unknownTarget(context, missing) : { target };
    },
  });

/** The path names an undeleted target of the database. Adds it to the context. */
export const knownTarget = targetNamed(unknown);
export const knownTargetToDelete = targetNamed(unknownToDelete);

export const unknownTarget = (
  { database, params }: InDatabase,
  missing?: DeclaredResponse<string>,
): Refusal =>
  refuseUnknown(
    cause("target.unknown", {
      database: show(database.databaseName),
      id: show(params.target_id),
      isManager: true,
    }),
    missing,
  );

const A_JSON_OBJECT = "a JSON object";

interface JsonBody<Given> extends DeclaredBody {
  readonly schema: z.ZodMiniType<Given>;
}

export const bodyMatching = <Given>(schema: z.ZodMiniType<Given>): JsonBody<Given> => ({
  contentType: "application/json",
  schema,
});

/**
 * The body is JSON that matches its schema. Adds its value to the context.
 *
 * @param inspect - adds problems that the schema cannot see, so that one response lists all; or what it found, to the context.
 */
export const bodyAccepted = <Given, Found extends object = object>(
  { schema }: JsonBody<Given>,
  inspect: (body: JsonObject) => Promise<readonly FieldError[] | Found> = async () => [],
) =>
  check<ApiContext, { given: Given } & Found, ManagerOperation>({
    name: "bodyAccepted",
    refusals: [fieldsRefused],
    testLater: async ({ body }) => {
      if (body.json.error !== undefined) {
        return refuseFields([{ field: "body", message: "body is not valid JSON", accepted: A_JSON_OBJECT }]);
      }
      const reading = read(schema, body.json.value);
      const found = await inspect(body.fields);
      const { problems, more } = "problems" in reading ? reading : { problems: [], more: 0 };
      const all = problems.map(fieldError);
      if (Array.isArray(found)) all.push(...found);
      if (!("value" in reading) || all.length > 0) return refuseFields(all, more);
      return { given: reading.value, ...(found as Found) };
    },
  });

function fieldError({ path, given, expected }: Problem): FieldError {
  if (path === "") return { field: "body", message: `body is ${given}`, accepted: A_JSON_OBJECT };
  const message = given === undefined ? `${path} is missing` : `${path} is ${given}`;
  return { field: path, message, accepted: expected };
}
