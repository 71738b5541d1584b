import { CheckTable, check } from "../../emulator/check.ts";
import { arraySchema, objectSchema, openObjectSchema, stringSchema } from "../../emulator/json-schemas.ts";
import { header } from "../../emulator/message.ts";
import { operation } from "../../emulator/operation.ts";
import { ok, type Refusal, refuse } from "../../emulator/response.ts";
import { isJsonObject } from "../../general/json.ts";
import { isUnset, show } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import { type ClientCredential, MAX_CLIENT_CREDENTIALS } from "../../schema/model-target.ts";
import * as changes from "../../store/changes.ts";
import * as reads from "../../store/reads.ts";
import type { ApiContext } from "../services.ts";
import {
  bearerToken,
  CLIENT_CREDENTIALS,
  databaseOfClient,
  holdsScope,
  jsonContentType,
  validJson,
} from "./checks.ts";
import { expected } from "./dataset-request.ts";
import { missingTopLevel } from "./dataset-validation.ts";
import { emptyResponse, serviceError, success, validationError } from "./responses.ts";

const PATH = "/oauth2/clientcredentials";
/** Without characters that some clients form-encode in HTTP Basic. */
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const isScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((scope) => typeof scope === "string");

/** The kind of a JSON value, without the value: text may be a misplaced secret. */
const kindOf = (value: unknown): string => (typeof value === "string" ? "text" : show(value));

/** The real service treats any other JSON value as a dataset request without any field. */
const bodyIsJsonObject = check({
  name: "bodyIsJsonObject",
  operations: ["createCredential"],
  refusals: [validationError],
  test: ({ body: { json } }: ApiContext) => {
    if (json.error !== undefined || isJsonObject(json.value)) return true;
    const messages = missingTopLevel({}).map(({ message }) => message);
    return refuse(validationError, cause("scopes.body", { given: kindOf(json.value) }), messages);
  },
});

/** `scopes` is an array of strings. Adds them to the context. */
const scopesGiven = check({
  name: "scopesGiven",
  operations: ["createCredential"],
  refusals: [validationError],
  test: ({ body }: ApiContext): Refusal | { readonly wanted: readonly string[] } => {
    const { scopes } = body.fields;
    if (isScopes(scopes)) return { wanted: scopes };
    const { message } = expected("/scopes", "jsarray", scopes);
    return refuse(validationError, cause("scopes.type", { given: kindOf(scopes) }), [message]);
  },
});

const unknownCredential = serviceError<string>(
  404,
  "NOT_FOUND",
  "No client credential has that id.",
  (id) => ({ message: `Clientcredential with ID=${id} not found`, target: "clientcredential" }),
);

const credentialUnknown = (id: string): Refusal =>
  refuse(
    unknownCredential,
    cause("credential.unknown", { id: show(id), ...(isUnset(id) && { isUnset: true }) }),
    id,
  );

/** The path names a credential. Adds it to the context. */
const knownCredential = check({
  name: "knownCredential",
  operations: ["updateCredentialScopes", "deleteCredential"],
  refusals: [unknownCredential],
  testLater: async ({ params: { id = "" }, services }: ApiContext) => {
    const credential = await services.store.read(reads.credential(id));
    return credential === undefined ? credentialUnknown(id) : { credential };
  },
});

const invalidScopes = serviceError(400, "BAD_REQUEST", "The body is not an array of strings.", () => ({
  message: "Invalid scopes",
  target: "scopes",
}));

/** The body is an array of strings. Adds them to the context. */
const scopesValid = check({
  name: "scopesValid",
  operations: ["updateCredentialScopes"],
  refusals: [invalidScopes],
  test: ({ body: { json } }: ApiContext): AnyCause | { readonly wanted: readonly string[] } =>
    json.error === undefined && isScopes(json.value) ? { wanted: json.value } : cause("scopes.type", {}),
});

type CredentialOperation =
  | "createCredential"
  | "listCredentials"
  | "updateCredentialScopes"
  | "deleteCredential";

export const credentialTable = CheckTable.on<ApiContext, CredentialOperation>()
  .and(bearerToken)
  .and(holdsScope(CLIENT_CREDENTIALS))
  .and(knownCredential)
  .and({ ...jsonContentType, operations: ["createCredential"] })
  .and({ ...validJson, operations: ["createCredential"] })
  .and(bodyIsJsonObject)
  .and(scopesGiven)
  .and(scopesValid);

const authorized = { security: "bearer", checks: credentialTable } as const;
const credentialSchema = objectSchema({ clientId: stringSchema, scopes: arraySchema(stringSchema) });

const created = success(
  201,
  "The client. Its secret is not shown again.",
  objectSchema({ client_id: stringSchema, client_secret: stringSchema }),
);
const tooMany = serviceError(
  409,
  "CONFLICT",
  `${MAX_CLIENT_CREDENTIALS} client credentials exist already.`,
  () => ({ message: "Maximum number of client credentials reached", target: "clientcredential" }),
);

export const createCredential = operation({
  name: "createCredential",
  method: "POST",
  path: PATH,
  summary: "Creates a client with the given scopes.",
  ...authorized,
  body: { contentType: "application/json", schema: openObjectSchema({ scopes: arraySchema(stringSchema) }) },
  responses: [created, tooMany],
  handle: async ({ wanted, random, request, services }) => {
    const { store } = services;
    const databaseName = (await databaseOfClient(header(request, "authorization"), services))?.databaseName;
    let clientId = random.hex(21).toUpperCase();
    while ((await store.read(reads.credential(clientId))) !== undefined)
      clientId = random.hex(21).toUpperCase();
    const clientSecret = random.text(33, SECRET_ALPHABET);
    const outcome = await store.run(
      changes.createCredential(
        { clientId, clientSecret, scopes: wanted, databaseName },
        MAX_CLIENT_CREDENTIALS,
      ),
    );
    return outcome === "created"
      ? ok(created, { client_id: clientId, client_secret: clientSecret })
      : refuse(tooMany, cause("quota.credentials", { most: MAX_CLIENT_CREDENTIALS }));
  },
});

const list = success(200, "The clients.", arraySchema(credentialSchema));

export const listCredentials = operation({
  name: "listCredentials",
  method: "GET",
  path: PATH,
  summary: "Lists the created clients without their secrets.",
  ...authorized,
  responses: [list],
  handle: async ({ request, services }) => {
    const databaseName = (await databaseOfClient(header(request, "authorization"), services))?.databaseName;
    const credentials = await services.store.read(reads.credentials);
    const isSeen = (each: ClientCredential) =>
      databaseName === undefined || each.databaseName === databaseName;
    return ok(
      list,
      credentials.filter(isSeen).map(({ clientId, scopes }) => ({ clientId, scopes })),
    );
  },
});

const updated = success(200, "The client.", credentialSchema);

export const updateCredentialScopes = operation({
  name: "updateCredentialScopes",
  method: "PUT",
  path: `${PATH}/{id}/scopes`,
  summary: "Replaces a client's scopes.",
  ...authorized,
  body: { contentType: "application/json", schema: arraySchema(stringSchema) },
  responses: [updated, unknownCredential],
  handle: async ({ credential: { clientId }, wanted, services: { store } }) => {
    const changed = await store.run(changes.setCredentialScopes(clientId, wanted));
    return changed === undefined
      ? credentialUnknown(clientId)
      : ok(updated, { clientId: changed.clientId, scopes: changed.scopes });
  },
});

const deleted = emptyResponse(204);

export const deleteCredential = operation({
  name: "deleteCredential",
  method: "DELETE",
  path: `${PATH}/{id}`,
  summary: "Deletes a client, which then gets no more tokens.",
  ...authorized,
  responses: [deleted, unknownCredential],
  handle: async ({ credential: { clientId }, services: { store } }) =>
    (await store.run(changes.deleteCredential(clientId))) ? ok(deleted) : credentialUnknown(clientId),
});
