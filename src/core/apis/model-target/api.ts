import type { FaultRule } from "../../emulator/faults.ts";
import type { Api } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { Operation } from "../../schema/protocol.ts";
import type { ModelTargetPhase, ResolvedAnswerOptions, Services } from "../services.ts";
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

const PHASE_OF: ReadonlyMap<Operation | undefined, ModelTargetPhase> = new Map([
  ["createDataset", "create"],
  ["datasetStatus", "status"],
  ["downloadDataset", "download"],
  ["deleteDataset", "delete"],
]);

/** `modelTargetFailure`: every request of its phases gets the configured response. */
function presetFaults({ modelTargetFailure }: ResolvedAnswerOptions): readonly FaultRule[] {
  if (modelTargetFailure === undefined) return [];
  const { phases = [...PHASE_OF.values()], ...response } = modelTargetFailure;
  return [
    {
      origin: "modelTargetFailure",
      effect: cause("fault.model-target", { phases: phases.join(", ") }),
      matches: ({ operation }) => phases.some((phase) => phase === PHASE_OF.get(operation)),
      response,
    },
  ];
}

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
  presetFaults,
  holdsSecrets: true,
  isDelayed: true,
  databaseOf: databaseOfClient,
};
