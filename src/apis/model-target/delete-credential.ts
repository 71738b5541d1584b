import { endpoint } from "../../http/endpoint.ts";
import { emptyReply } from "../../responses/model-target.ts";
import { knownCredentialChecks, unknownCredential } from "./credential-checks.ts";

/** `DELETE /oauth2/clientcredentials/{id}`: the credential gives no more tokens. Protocol section 9. */
export const deleteCredential = endpoint(
  "deleteCredential",
  "DELETE",
  "/oauth2/clientcredentials/{id}",
  knownCredentialChecks,
  async ({ credential: { clientId }, services: { store } }) =>
    (await store.deleteCredential(clientId)) ? emptyReply(204) : unknownCredential(clientId),
);
