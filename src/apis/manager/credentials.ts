import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { credentialJson, postedCredential } from "../../schema/credential.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { doneWithAll, noContent, refuseUnknown, unknownToDelete } from "./responses.ts";

const CREDENTIALS = "/oauth2_client_credentials";
const credentials = doneWithAll(credentialJson);

export const listCredentials = operation({
  name: "manager.listCredentials",
  method: "GET",
  path: CREDENTIALS,
  summary: "Lists the OAuth 2.0 client credentials with their secrets.",
  checks: anyRequest,
  responses: [credentials],
  handle: async ({ services: { store } }) => ok(credentials, await store.listCredentials()),
});

const credentialBody = jsonBody(postedCredential.schema);

export const putCredential = operation({
  name: "manager.putCredential",
  method: "POST",
  path: CREDENTIALS,
  summary: "Adds a client credential, or replaces the one with its client id.",
  body: credentialBody,
  checks: anyRequest.row(bodyAccepted(credentialBody)),
  responses: [noContent],
  handle: async ({ given, services: { store } }) => {
    await store.putCredential(given);
    return ok(noContent);
  },
});

export const deleteCredential = operation({
  name: "manager.deleteCredential",
  method: "DELETE",
  path: `${CREDENTIALS}/{client_id}`,
  summary: "Deletes a client credential.",
  checks: anyRequest,
  responses: [noContent, unknownToDelete],
  handle: async ({ params: { client_id = "" }, services: { store } }) =>
    (await store.deleteCredential(client_id))
      ? ok(noContent)
      : refuseUnknown(`there is no client credential with the id ${show(client_id)}`, unknownToDelete),
});
