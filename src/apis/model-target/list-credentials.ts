import { endpoint } from "../../http/endpoint.ts";
import { modelTargetJson } from "../../responses/model-target.ts";
import { credentialChecks } from "./credential-checks.ts";

/** `GET /oauth2/clientcredentials`: the created credentials, without their secrets. Protocol section 9. */
export const listCredentials = endpoint(
  "listCredentials",
  "GET",
  "/oauth2/clientcredentials",
  credentialChecks,
  async ({ services: { store } }) => {
    const credentials = await store.listCredentials();
    return modelTargetJson(
      200,
      credentials.map(({ clientId, scopes }) => ({ clientId, scopes })),
    );
  },
);
