import { MAX_CLIENT_CREDENTIALS } from "../../domain/credential.ts";
import { endpoint } from "../../http/endpoint.ts";
import { guard, refuse, step } from "../../http/guard.ts";
import { isJsonObject } from "../../http/request-body.ts";
import { show } from "../../http/show.ts";
import { modelTargetJson, serviceError, validationError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { credentialChecks, isScopes } from "./credential-checks.ts";
import { jsonContentType, validJson } from "./json-body.ts";
import { expected } from "./validation/finding.ts";
import { missingTopLevel } from "./validation/top-level.ts";

const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The real service reads any other JSON value as a dataset request that lacks everything. */
const bodyIsJsonObject = guard<Call>("bodyIsJsonObject", ({ body: { json } }) => {
  if (json.error !== undefined || isJsonObject(json.value)) return undefined;
  return refuse(
    validationError(missingTopLevel({}).map(({ message }) => message)),
    `the body must be a JSON object with scopes, got ${show(json.value)}`,
  );
});

const scopesGiven = step<Call, { wanted: readonly string[] }>("scopesGiven", ({ body }) => {
  const { scopes } = body.fields;
  if (isScopes(scopes)) return { wanted: scopes };
  const { message } = expected("/scopes", "jsarray", scopes);
  return refuse(validationError([message]), `scopes must be an array of strings, got ${show(scopes)}`);
});

const createChecks = credentialChecks
  .checking(jsonContentType, validJson, bodyIsJsonObject)
  .adding(scopesGiven);

/** `POST /oauth2/clientcredentials`: makes a client with scopes of its own. Protocol section 9. */
export const createCredential = endpoint(
  "createCredential",
  "POST",
  "/oauth2/clientcredentials",
  createChecks,
  async ({ wanted, random, services: { store } }) => {
    const clientId = random.hex(21).toUpperCase();
    const clientSecret = random.text(33, SECRET_ALPHABET);
    const outcome = await store.createCredential(
      { clientId, clientSecret, scopes: wanted },
      MAX_CLIENT_CREDENTIALS,
    );
    return outcome === "created"
      ? modelTargetJson(201, { client_id: clientId, client_secret: clientSecret })
      : refuse(
          serviceError(409, {
            code: "CONFLICT",
            message: "Maximum number of client credentials reached",
            target: "clientcredential",
          }),
          `${MAX_CLIENT_CREDENTIALS} client credentials exist, and no more are allowed: delete one first`,
        );
  },
);
