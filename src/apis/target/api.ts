import type { Api } from "../../core/api.ts";
import { ok } from "../../core/response.ts";
import { headerLinesFit } from "../shared/framing.ts";
import { ownerOfServerKey } from "../shared/key-owner.ts";
import { malformedPages, notFound, plainText } from "../shared/pages.ts";
import type { Services } from "../shared/services.ts";
import { anyFailure } from "../shared/target-responses.ts";
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
