import type { Api } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import type { Services } from "../services.ts";
import { malformedChecks } from "../signed/framing.ts";
import { malformedPages, notFound, plainText } from "../signed/responses.ts";
import { databaseOfClient } from "./checks.ts";
import {
  createCredential,
  deleteCredential,
  listCredentials,
  updateCredentialScopes,
} from "./credentials.ts";
import { advancedDatasets, standardDatasets } from "./datasets.ts";
import { serviceError, tokenError } from "./responses.ts";
import { token } from "./token.ts";

/** OAuth 2.0 and Model Targets; see README.md. */
export const modelTargetApi: Api<Services> = {
  name: "modelTarget",
  title: "Model Target API",
  urlOption: "modelTargetUrl",
  operations: [
    token,
    createCredential,
    listCredentials,
    updateCredentialScopes,
    deleteCredential,
    ...standardDatasets,
    ...advancedDatasets,
  ],
  unserved: notFound,
  failure: (code, status, operation) =>
    operation?.name === "token"
      ? ok(tokenError(status, code, "A failure."))
      : ok(serviceError(status, code, "A failure.", () => ({ message: "a fault of the test" }))),
  serverText: plainText,
  malformed: malformedPages,
  malformedChecks,
  holdsSecrets: true,
  isDelayed: true,
  databaseOf: databaseOfClient,
};
