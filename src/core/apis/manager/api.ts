import type { Api } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import type { Services } from "../services.ts";
import { databaseOfServerKey } from "../signed/authentication.ts";
import { malformedChecks } from "../signed/framing.ts";
import { emptyNotFound, plainText, retriable } from "../signed/responses.ts";
import { cloudDatabases, vuMarkDatabases } from "./databases.ts";
import { journalOperations, stateOperations } from "./operating.ts";
import { credentials, datasets, faults } from "./resources.ts";
import { addVuMarkTarget, targetRoutes } from "./targets.ts";

const malformed = plainText(400, "The request is not valid HTTP/1.1.");

/** The target manager; see README.md. */
export const managerApi: Api<Services> = {
  name: "manager",
  title: "target manager",
  urlOption: "managerUrl",
  operations: [
    ...cloudDatabases,
    ...targetRoutes,
    ...vuMarkDatabases,
    addVuMarkTarget,
    ...datasets,
    ...credentials,
    ...journalOperations,
    ...faults,
    ...stateOperations,
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
    overloaded: retriable(plainText(503)),
  },
  malformedChecks,
  holdsSecrets: true,
  isDelayed: false,
  databaseOf: databaseOfServerKey,
};
