import type { Api } from "../../core/api.ts";
import { ok } from "../../core/response.ts";
import { emptyNotFound, plainText } from "../shared/pages.ts";
import type { Services } from "../shared/services.ts";
import { managerOperations } from "./operations.ts";

const malformed = plainText(400, "What was sent is not an HTTP/1.1 request.");

/** The target manager; see README.md. */
export const managerApi: Api<Services> = {
  name: "manager",
  title: "target manager",
  urlOption: "managerUrl",
  operations: managerOperations,
  unserved: () => ok(emptyNotFound),
  failure: (code, status) => ok(plainText(status, "A failure."), code),
  serverText: plainText,
  malformed: {
    contentLength: malformed,
    malformed,
    headersTooLarge: plainText(431, "The header lines are too long."),
    bodyTooLarge: plainText(413),
    overloaded: plainText(503),
  },
  holdsSecrets: true,
  isDelayed: false,
  keyOwner: (accessKey, { store }) => store.findDatabaseByServerAccessKey(accessKey),
};
