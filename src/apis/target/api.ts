import type { Api } from "../../emulator/api.ts";
import { ok } from "../../emulator/response.ts";
import type { Services } from "../services.ts";
import { headerLinesFit } from "../signed/framing.ts";
import { ownerOfServerKey } from "../signed/key-owner.ts";
import { malformedPages, notFound, plainText } from "../signed/pages.ts";
import { anyFailure } from "../signed/target-responses.ts";
import { targetOperations } from "./operations.ts";

/** The target API; see README.md. */
export const targetApi: Api<Services> = {
  name: "target",
  title: "target API",
  urlOption: "targetUrl",
  operations: targetOperations,
  unservedChecks: [headerLinesFit],
  unserved: notFound,
  failure: (code, status) => ok(anyFailure(code, status)),
  serverText: plainText,
  malformed: malformedPages,
  holdsSecrets: false,
  isDelayed: true,
  owner: ownerOfServerKey,
};
