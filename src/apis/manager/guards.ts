import type { CloudDatabase, VuMarkDatabase } from "../../domain/database.ts";
import type { Target } from "../../domain/target.ts";
import type { Exchange } from "../../http/exchange.ts";
import { Checks, type Refusal, refuse, step } from "../../http/guard.ts";
import type { JsonObject } from "../../http/request-body.ts";
import { show } from "../../http/show.ts";
import { emptyReply, jsonReply, textReply } from "../../responses/plain.ts";
import type { Awaitable } from "../../runtime/awaitable.ts";
import type { Call } from "../../services.ts";
import type { Conflict } from "../../store/store.ts";
import { type FieldError, type Reader, readObject } from "./fields.ts";

/** Routes of the manager need no authentication: a request is served if what it names exists and its body is read. */
export const anyRequest = Checks.on<Call>();

/** The path names a cloud database. */
export const knownCloudDatabase = step<Call, { database: CloudDatabase }>("knownDatabase", async (call) => {
  const database = await namedDatabase(call);
  return database?.kind === "cloud" ? { database } : unknownDatabase(call, "cloud database");
});

/** The path names a VuMark database. */
export const knownVuMarkDatabase = step<Call, { database: VuMarkDatabase }>("knownDatabase", async (call) => {
  const database = await namedDatabase(call);
  return database?.kind === "vumark" ? { database } : unknownDatabase(call, "VuMark database");
});

const namedDatabase = ({ params, services: { store } }: Call) =>
  store.findDatabaseByName(params.database_name ?? "");

export const unknownDatabase = ({ params }: Call, what: string): Refusal =>
  unknown(`there is no ${what} with the name ${show(params.database_name)}`);

/** The path names an undeleted target of the database. */
export const knownTarget = step<Call & { database: CloudDatabase }, { target: Target }>(
  "knownTarget",
  async (call) => {
    const { database, params, services } = call;
    const target = await services.store.findTarget(database.name, params.target_id ?? "");
    return target === undefined ? unknownTarget(call) : { target };
  },
);

export const unknownTarget = ({ database, params }: Call & { database: CloudDatabase }): Refusal =>
  unknown(
    `the cloud database ${show(database.name)} has no undeleted target with the id ${show(params.target_id)}`,
  );

/**
 * The body is a JSON object whose fields are all accepted.
 *
 * @param inspect - finds what only a closer look can tell, so that one response names it beside the rest.
 */
export const bodyAccepted = <Given>(
  read: Reader<Given>,
  inspect: (body: JsonObject) => Awaitable<readonly FieldError[]> = () => [],
) =>
  step<Call, { given: Given }>("bodyAccepted", async ({ body }) => {
    if (body.json.error !== undefined) {
      return refuseFields([{ field: "body", message: "body is no JSON", accepted: "a JSON object" }]);
    }
    const reading = readObject(body.json.value, read);
    const found = await inspect(body.fields);
    if ("value" in reading && found.length === 0) return { given: reading.value };
    return refuseFields([...("errors" in reading ? reading.errors : []), ...found]);
  });

/** 400, naming every field that is not accepted. */
export const refuseFields = (errors: readonly FieldError[]): Refusal =>
  refuse(
    (exchange) => jsonReply(exchange, 400, { errors }),
    errors.map(({ message, accepted }) => `${message}; accepted is ${accepted}`).join(". "),
  );

/** 404: one line that says what is unknown; to `DELETE`, nothing. */
export const unknown = (reason: string): Refusal =>
  refuse(
    (exchange) => (isDelete(exchange) ? emptyReply(exchange, 404) : textReply(exchange, 404, reason)),
    reason,
  );

const isDelete = ({ request }: Exchange): boolean => request.method === "DELETE";

/** 409: one line that says what is taken. */
export const conflict = (line: string, reason = line): Refusal =>
  refuse((exchange) => textReply(exchange, 409, line), reason);

const NOUNS: Readonly<Record<Conflict["conflict"], string>> = {
  id: "database id",
  name: "name",
  serverAccessKey: "server access key",
  serverSecretKey: "server secret key",
  clientAccessKey: "client access key",
  clientSecretKey: "client secret key",
};

/** 409 of a new database. The response shows the value, which may be a secret; the reason does not. */
export function databaseConflict({ conflict: field, value }: Conflict): Refusal {
  const noun = NOUNS[field];
  return conflict(
    `All ${noun}s must be unique. There is already a database with the ${noun} "${value}".`,
    `another database has the same ${noun}`,
  );
}
