import { endpoint } from "../../http/endpoint.ts";
import { show } from "../../http/show.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import { credentialResource, readCredential } from "./credential-resource.ts";
import { anyRequest, bodyAccepted, unknown } from "./guards.ts";

/** `GET /oauth2_client_credentials`. Protocol section 10. */
export const listCredentials = endpoint(
  "manager.listCredentials",
  "GET",
  "/oauth2_client_credentials",
  anyRequest,
  async (call) => jsonReply(call, 200, (await call.services.store.listCredentials()).map(credentialResource)),
);

/** `POST /oauth2_client_credentials`: adds a credential, or replaces the one with its client id. Protocol section 10. */
export const putCredential = endpoint(
  "manager.putCredential",
  "POST",
  "/oauth2_client_credentials",
  anyRequest.adding(bodyAccepted(readCredential)),
  async (call) => {
    await call.services.store.putCredential(call.given);
    return emptyReply(call, 204);
  },
);

/** `DELETE /oauth2_client_credentials/{client_id}`. Protocol section 10. */
export const deleteCredential = endpoint(
  "manager.deleteCredential",
  "DELETE",
  "/oauth2_client_credentials/{client_id}",
  anyRequest,
  async (call) => {
    const { client_id = "" } = call.params;
    const deleted = await call.services.store.deleteCredential(client_id);
    return deleted
      ? emptyReply(call, 204)
      : unknown(`there is no client credential with the id ${show(client_id)}`);
  },
);
