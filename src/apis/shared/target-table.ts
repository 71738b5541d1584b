import { CheckTable } from "../../core/check.ts";
import {
  authorizationGiven,
  authorizationWellFormed,
  knownAccessKey,
  knownKeyOfAnyDatabase,
  ownDatabaseNamed,
  signatureMatches,
  withinRateLimits,
} from "./authentication.ts";
import { contentLengthFits, headerLinesFit } from "./framing.ts";
import { knownTarget, knownTargetOfAnyDatabase } from "./path-target.ts";
import { requestQuotaLeft, stateAllows, stateAllowsMore, targetQuotaLeft } from "./project-state.ts";
import {
  bodyIsObject,
  bodyKeysAllowed,
  contentTypeGiven,
  dateCurrent,
  instanceBodyGiven,
  instanceBodyIsObject,
  instanceKeysAllowed,
  noUnexpectedBody,
  reportBodyGiven,
  targetBodyGiven,
} from "./request-body.ts";
import type { ApiContext } from "./services.ts";
import {
  activeFlagBoolean,
  changedNameFree,
  imageAcceptable,
  imageIsBase64,
  instanceIdGiven,
  metadataFits,
  newNameFree,
  widthPositive,
} from "./target-fields.ts";

type TargetApiOperation =
  | "addTarget"
  | "listTargets"
  | "getTarget"
  | "updateTarget"
  | "deleteTarget"
  | "getDuplicates"
  | "databaseSummary"
  | "targetSummary"
  | "generateInstance"
  | "requestReport";

/**
 * The target API's checks, top to bottom, as `apis/target/README.md` has them. A row that answers differently to some
 * operations is several checks of one name.
 */
export const targetTable = CheckTable.on<ApiContext, TargetApiOperation>()
  .row(headerLinesFit) // 1
  .row(withinRateLimits) // 2
  .row(authorizationGiven) // 3
  .row(authorizationWellFormed) // 4
  .row(knownAccessKey) // 5: from here on the context has a database
  .row(knownKeyOfAnyDatabase)
  .row(signatureMatches) // 6
  .row(ownDatabaseNamed) // 7
  .row(requestQuotaLeft) // 8
  .row(stateAllows) // 9
  .row(stateAllowsMore)
  .row(targetQuotaLeft) // 10
  .row(knownTarget) // 11: from here on it has the path's target
  .row(knownTargetOfAnyDatabase)
  .row(noUnexpectedBody) // 12
  .row(dateCurrent) // 13
  .row(targetBodyGiven) // 14
  .row(reportBodyGiven)
  .row(instanceBodyGiven)
  .row(bodyIsObject) // 15
  .row(instanceBodyIsObject)
  .row(bodyKeysAllowed) // 16
  .row(instanceKeysAllowed)
  .row(metadataFits) // 17
  .row(activeFlagBoolean) // 18
  .row(instanceIdGiven) // 19
  .row(imageIsBase64) // 20: from here on it has the image's bytes
  .row(imageAcceptable) // 21
  .row(newNameFree) // 22
  .row(changedNameFree)
  .row(widthPositive) // 23
  .row(contentTypeGiven) // 24
  .row(contentLengthFits); // 25
