import type { ServiceEndpoint } from "../../services.ts";
import { addCloudDatabase, deleteCloudDatabase, listCloudDatabases } from "./cloud-databases.ts";
import { deleteCredential, listCredentials, putCredential } from "./credentials.ts";
import { addDataset, deleteDataset, listDatasets } from "./datasets.ts";
import { addTarget, deleteTarget, setRecognitionCounts, updateTarget } from "./targets.ts";
import {
  addVuMarkDatabase,
  addVuMarkTarget,
  deleteVuMarkDatabase,
  listVuMarkDatabases,
} from "./vumark-databases.ts";

/** The routes of protocol section 10. */
export const managerEndpoints: readonly ServiceEndpoint[] = [
  listCloudDatabases,
  addCloudDatabase,
  deleteCloudDatabase,
  addTarget,
  updateTarget,
  deleteTarget,
  setRecognitionCounts,
  listVuMarkDatabases,
  addVuMarkDatabase,
  deleteVuMarkDatabase,
  addVuMarkTarget,
  listDatasets,
  addDataset,
  deleteDataset,
  listCredentials,
  putCredential,
  deleteCredential,
];
