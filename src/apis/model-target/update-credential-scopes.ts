import { endpoint } from "../../http/endpoint.ts";
import { refuse, step } from "../../http/guard.ts";
import { modelTargetJson, serviceError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { isScopes, knownCredentialChecks, unknownCredential } from "./credential-checks.ts";

const scopesValid = step<Call, { wanted: readonly string[] }>("scopesValid", ({ body: { json } }) =>
  json.error === undefined && isScopes(json.value)
    ? { wanted: json.value }
    : refuse(
        serviceError(400, { code: "BAD_REQUEST", message: "Invalid scopes", target: "scopes" }),
        "the body must be a JSON array of strings",
      ),
);

/** `PUT /oauth2/clientcredentials/{id}/scopes`: gives a credential other scopes. Protocol section 9. */
export const updateCredentialScopes = endpoint(
  "updateCredentialScopes",
  "PUT",
  "/oauth2/clientcredentials/{id}/scopes",
  knownCredentialChecks.adding(scopesValid),
  async ({ credential: { clientId }, wanted, services: { store } }) => {
    const changed = await store.setCredentialScopes(clientId, wanted);
    return changed === undefined
      ? unknownCredential(clientId)
      : modelTargetJson(200, { clientId: changed.clientId, scopes: changed.scopes });
  },
);
