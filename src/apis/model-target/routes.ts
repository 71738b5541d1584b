import type { ServiceEndpoint } from "../../services.ts";
import { createCredential } from "./create-credential.ts";
import { createDataset } from "./create-dataset.ts";
import { datasetStatus } from "./dataset-status.ts";
import { deleteCredential } from "./delete-credential.ts";
import { deleteDataset } from "./delete-dataset.ts";
import { downloadDataset } from "./download-dataset.ts";
import { listCredentials } from "./list-credentials.ts";
import { token } from "./token.ts";
import { updateCredentialScopes } from "./update-credential-scopes.ts";

/** The routes of protocol section 9. */
export const modelTargetEndpoints: readonly ServiceEndpoint[] = [
  token,
  createCredential,
  listCredentials,
  updateCredentialScopes,
  deleteCredential,
  createDataset("STANDARD"),
  datasetStatus("STANDARD"),
  downloadDataset("STANDARD"),
  deleteDataset("STANDARD"),
  createDataset("ADVANCED"),
  datasetStatus("ADVANCED"),
  downloadDataset("ADVANCED"),
  deleteDataset("ADVANCED"),
];
