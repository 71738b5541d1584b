import type { ClientCredential } from "../../domain/credential.ts";
import { Checks, type Refusal, refuse, step } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { serviceError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { bearerToken, holdsScope } from "./bearer.ts";
import { CLIENT_CREDENTIALS } from "./scopes.ts";

export const isScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((scope) => typeof scope === "string");

export const unknownCredential = (id: string): Refusal =>
  refuse(
    serviceError(404, {
      code: "NOT_FOUND",
      message: `Clientcredential with ID=${id} not found`,
      target: "clientcredential",
    }),
    `no client credential has the id ${show(id)}; GET /oauth2/clientcredentials lists those that exist`,
  );

const knownCredential = step<Call, { credential: ClientCredential }>(
  "knownCredential",
  async ({ params: { id = "" }, services: { store } }) => {
    const credential = await store.findCredential(id);
    return credential === undefined ? unknownCredential(id) : { credential };
  },
);

/** Routes about client credentials. */
export const credentialChecks = Checks.on<Call>()
  .adding(bearerToken)
  .checking(holdsScope(CLIENT_CREDENTIALS));

/** Routes about the credential that the path names. */
export const knownCredentialChecks = credentialChecks.adding(knownCredential);
