import type { ServiceEndpoint } from "../../services.ts";
import { advanceClock, readClock, resetClock, setClock } from "./clock.ts";
import {
  addCloudDatabase,
  deleteCloudDatabase,
  listCloudDatabases,
  updateCloudDatabase,
} from "./cloud-databases.ts";
import { deleteCredential, listCredentials, putCredential } from "./credentials.ts";
import { addDataset, deleteDataset, listDatasets } from "./datasets.ts";
import {
  clearRequests,
  finishProcessing,
  listRequests,
  live,
  ready,
  reset,
  restoreSnapshot,
  takeSnapshot,
} from "./operating.ts";
import { addTarget, deleteTarget, setRecognitionCounts, updateTarget } from "./targets.ts";
import {
  addVuMarkDatabase,
  addVuMarkTarget,
  deleteVuMarkDatabase,
  listVuMarkDatabases,
  updateVuMarkDatabase,
} from "./vumark-databases.ts";

/** The routes of protocol section 10, then those that are this project's own. */
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
  updateCloudDatabase,
  updateVuMarkDatabase,
  listRequests,
  clearRequests,
  reset,
  takeSnapshot,
  restoreSnapshot,
  finishProcessing,
  readClock,
  setClock,
  advanceClock,
  resetClock,
  live,
  ready,
];
