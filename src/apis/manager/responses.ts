import { listOf, object, text } from "../../core/json-schema.ts";
import { type DeclaredResponse, type JsonSchema, type Refusal, refuse } from "../../core/response.ts";
import { asciiJson } from "../../core/text.ts";
import type { Conflict } from "../../store/unique-fields.ts";
import { plainText } from "../shared/pages.ts";
import { dated } from "../shared/plain.ts";

const json = (status: number, description: string, schema?: JsonSchema): DeclaredResponse => ({
  status,
  description,
  headers: dated("application/json"),
  ...(schema && { schema }),
  body: (_context, content) => asciiJson(content),
});
const empty = (status: number, description: string): DeclaredResponse => ({
  status,
  description,
  headers: dated(),
});

export const done = json(200, "Done.");
export const added = json(201, "Added.");
export const emptied = empty(200, "Done (empty body).");
export const noContent = empty(204, "Done (empty body).");

/** Details: one line that says what is unknown. */
export const unknown = plainText(404, "What the path names does not exist.");
export const unknownToDelete = empty(404, "What the path names does not exist (empty body).");

/** Either of them: the reason is the line, if there is one. */
export const refuseUnknown = (reason: string, declared: DeclaredResponse<string> = unknown): Refusal =>
  refuse(declared, reason, reason);

/** Details: one line that says what is taken. */
export const taken = plainText(
  409,
  "A key, a name or an id is taken, or the quota is reached; the body says which.",
);

export const conflict = (line: string, reason = line): Refusal => refuse(taken, reason, line);

const NOUNS: Readonly<Record<Conflict["conflict"], string>> = {
  databaseId: "database id",
  databaseName: "name",
  serverAccessKey: "server access key",
  serverSecretKey: "server secret key",
  clientAccessKey: "client access key",
  clientSecretKey: "client secret key",
};

/** Of a new database. The response shows the value, which may be a secret; the reason does not. */
export function databaseConflict({ conflict: field, value }: Conflict): Refusal {
  const noun = NOUNS[field];
  return conflict(
    `All ${noun}s must be unique. There is already a database with the ${noun} "${value}".`,
    `another database has the same ${noun}`,
  );
}

/** One field whose value is not accepted; nested fields as `outer.inner`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly accepted: string;
}

export const fieldsRefused = json(
  400,
  "The body is not a JSON object, or has fields that are not accepted.",
  object({ errors: listOf(object({ field: text, message: text, accepted: text })) }),
);

/** Names every field that is not accepted. */
export const refuseFields = (errors: readonly FieldError[]): Refusal =>
  refuse(
    fieldsRefused,
    errors.map(({ message, accepted }) => `${message}; expected ${accepted}`).join(". "),
    { errors },
  );
