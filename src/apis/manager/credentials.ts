import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import { show } from "../../core/text.ts";
import { credentialJson } from "../../schema/credential.ts";
import { anyRequest, bodyAccepted } from "./checks.ts";
import { done, noContent, refuseUnknown, unknownToDelete } from "./responses.ts";

export const listCredentials = operation({
  name: "manager.listCredentials",
  method: "GET",
  path: "/oauth2_client_credentials",
  summary: "Lists the OAuth 2.0 client credentials, with their secrets.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => ok(done, (await call.services.store.listCredentials()).map(credentialJson.write)),
});

export const putCredential = operation({
  name: "manager.putCredential",
  method: "POST",
  path: "/oauth2_client_credentials",
  summary: "Adds a client credential, or replaces the one with its client id.",
  checks: anyRequest.row(bodyAccepted(credentialJson.schema)),
  responses: [noContent],
  handle: async (call) => {
    await call.services.store.putCredential(call.given);
    return ok(noContent);
  },
});

export const deleteCredential = operation({
  name: "manager.deleteCredential",
  method: "DELETE",
  path: "/oauth2_client_credentials/{client_id}",
  summary: "Deletes a client credential.",
  checks: anyRequest,
  responses: [noContent, unknownToDelete],
  handle: async (call) => {
    const { client_id = "" } = call.params;
    const deleted = await call.services.store.deleteCredential(client_id);
    return deleted
      ? ok(noContent)
      : refuseUnknown(`there is no client credential with the id ${show(client_id)}`, unknownToDelete);
  },
});
