import type { ApiOperation } from "../../core/operation.ts";
import type { Services } from "../shared/services.ts";
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

/** Resources first, then the journal, the state, the clock and health. */
export const managerOperations: readonly ApiOperation<Services>[] = [
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
