import type { Api } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import type { Services } from "../services.ts";
import { ownerOfServerKey } from "../signed/authentication.ts";
import { emptyNotFound, plainText } from "../signed/responses.ts";
import { cloudDatabases, vuMarkDatabases } from "./databases.ts";
import {
  advanceClock,
  clearRequests,
  finishProcessing,
  listRequests,
  live,
  readClock,
  ready,
  reset,
  resetClock,
  restoreSnapshot,
  setClock,
  takeSnapshot,
} from "./operating.ts";
import { credentials, datasets, faults } from "./resources.ts";
import { addTarget, addVuMarkTarget, deleteTarget, setRecognitionCounts, updateTarget } from "./targets.ts";

const malformed = plainText(400, "The request is not valid HTTP/1.1.");

/** The target manager; see README.md. */
export const managerApi: Api<Services> = {
  name: "manager",
  title: "target manager",
  urlOption: "managerUrl",
  operations: [
    cloudDatabases.list,
    cloudDatabases.add,
    cloudDatabases.delete,
    addTarget,
    updateTarget,
    deleteTarget,
    setRecognitionCounts,
    vuMarkDatabases.list,
    vuMarkDatabases.add,
    vuMarkDatabases.delete,
    addVuMarkTarget,
    datasets.list,
    datasets.add,
    datasets.delete,
    credentials.list,
    credentials.add,
    credentials.delete,
    cloudDatabases.update,
    vuMarkDatabases.update,
    listRequests,
    clearRequests,
    faults.list,
    faults.add,
    faults.delete,
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
  ],
  unserved: () => ok(emptyNotFound),
  failure: (code, status) => ok(plainText(status, "A failure."), code),
  serverText: plainText,
  malformed: {
    contentLength: malformed,
    malformed,
    unended: malformed,
    headersTooLarge: plainText(431, "The header lines are too long."),
    bodyTooLarge: plainText(413),
    overloaded: plainText(503),
  },
  holdsSecrets: true,
  isDelayed: false,
  owner: ownerOfServerKey,
};
