import { CheckTable } from "../../emulator/check.ts";
import type { ApiContext } from "../services.ts";
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
 * The target API's checks, in the order of `apis/target/README.md`. A row whose responses differ between operations is
 * several checks with the same name.
 */
export const targetTable = CheckTable.on<ApiContext, TargetApiOperation>()
  .row(headerLinesFit) // 1
  .row(withinRateLimits) // 2
  .row(authorizationGiven) // 3
  .row(authorizationWellFormed) // 4
  .row(knownAccessKey) // 5: finds the database
  .row(knownKeyOfAnyDatabase)
  .row(signatureMatches) // 6
  .row(ownDatabaseNamed) // 7
  .row(requestQuotaLeft) // 8
  .row(stateAllows) // 9
  .row(stateAllowsMore)
  .row(targetQuotaLeft) // 10
  .row(knownTarget) // 11: finds the path's target
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
  .row(imageIsBase64) // 20: finds the image's bytes
  .row(imageAcceptable) // 21
  .row(newNameFree) // 22
  .row(changedNameFree)
  .row(widthPositive) // 23
  .row(contentTypeGiven) // 24
  .row(contentLengthFits); // 25
