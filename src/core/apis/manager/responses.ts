import * as z from "zod/mini";
import {
  arraySchema,
  objectSchema,
  stringSchema,
  wholeNumberSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import type { BodyStream } from "../../emulator/message.ts";
import {
  type BodySchema,
  type DeclaredResponse,
  dated,
  type Refusal,
  refuse,
} from "../../emulator/response.ts";
import { writeJson } from "../../emulator/write-json.ts";
import { type AnyCause, cause, sentenceOf } from "../../schema/causes/causes.ts";
import type { WireForm } from "../../schema/zod/wire.ts";
import type { Conflict } from "../../store/state.ts";
import { plainText } from "../signed/responses.ts";

const json = <Details>(
  status: number,
  description: string,
  schema: BodySchema,
  write: (details: Details) => unknown,
): DeclaredResponse<Details> => ({
  status,
  description,
  headers: dated("application/json"),
  schema,
  body: (_context, details) => writeJson(write(details)),
});
const empty = (status: number, description: string): DeclaredResponse => ({
  status,
  description,
  headers: dated(),
});

export const okInJson = <Content>(schema: BodySchema): DeclaredResponse<Content> =>
  json(200, "Done.", schema, (content: Content) => content);
/** The body is made in steps, because it may be large. */
export const okInSteps = (schema: BodySchema): DeclaredResponse<Buffer | BodyStream> => ({
  status: 200,
  description: "Done.",
  headers: dated("application/json"),
  schema,
  body: (_context, body) => body,
});
export const doneWith = <T>({ schema, write }: WireForm<T>) => json(200, "Done.", schema, write);
export const addedWith = <T>({ schema, write }: WireForm<T>) => json(201, "Added.", schema, write);
export const doneWithAll = <T>({ schema, write }: WireForm<T>) =>
  json(200, "Done.", z.array(schema), (resources: readonly T[]) => resources.map(write));
/** The body is an array of resources, each of which may be large. */
export const doneWithLarge = <T>({ schema }: WireForm<T>) => okInSteps(z.array(schema));
export const noBody = empty(200, "Done (empty body).");
export const noContent = empty(204, "Done (empty body).");

/** Details: one line that names what does not exist. */
export const unknown = plainText(404, "What the path names does not exist.");
export const unknownToDelete = empty(404, "What the path names does not exist (empty body).");

/** The line, if there is one, is the sentence. */
export const refuseUnknown = (why: AnyCause, declared: DeclaredResponse<string> = unknown): Refusal =>
  refuse(declared, why, sentenceOf(why));

/** Details: one line that names what is taken. */
export const taken = plainText(
  409,
  "A key, a name or an id is taken, or the quota is reached; the body says which.",
);

export const conflict = (why: AnyCause, line = sentenceOf(why)): Refusal => refuse(taken, why, line);

const NOUNS: Readonly<Record<Conflict["conflict"], string>> = {
  databaseId: "database id",
  databaseName: "name",
  serverAccessKey: "server access key",
  serverSecretKey: "server secret key",
  clientAccessKey: "client access key",
  clientSecretKey: "client secret key",
};

/** The response shows the conflicting value, which may be a secret; the reason does not. */
export function databaseConflict({ conflict: field, value }: Conflict): Refusal {
  const noun = NOUNS[field];
  return conflict(
    cause("database.taken", { field: noun }),
    `All ${noun}s must be unique. There is already a database with the ${noun} "${value}".`,
  );
}

/** An invalid field; nested fields as `outer.inner`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly accepted: string;
}

export const fieldsRefused = json(
  400,
  "The body is not a JSON object, or has invalid fields.",
  objectSchema(
    {
      errors: arraySchema(
        objectSchema({ field: stringSchema, message: stringSchema, accepted: stringSchema }),
      ),
    },
    { more_errors: withDescription(wholeNumberSchema, "How many further errors are not listed.") },
  ),
  (content: { readonly errors: readonly FieldError[]; readonly more_errors?: number }) => content,
);

const ERRORS_IN_REASON = 5;

/**
 * Names the invalid fields.
 *
 * @param more - how many errors are not among the named ones.
 */
export function refuseFields(errors: readonly FieldError[], more = 0): Refusal {
  const shown = errors.slice(0, ERRORS_IN_REASON);
  const why = cause("fields.refused", { errors: shown, more: errors.length - shown.length + more });
  return refuse(fieldsRefused, why, { errors, ...(more > 0 && { more_errors: more }) });
}
