import type { Database } from "../domain/database.ts";
import { Checks, guard, refuse, type Step } from "../http/guard.ts";
import { failure } from "../responses/target-api.ts";
import type { Call } from "../services.ts";
import {
  authorizationGiven,
  authorizationWellFormed,
  knownAccessKey,
  signatureMatches,
} from "./authorization.ts";
import { contentLengthFits } from "./content-length.ts";
import { headerLinesFit } from "./header-lines.ts";
import {
  bodyGiven,
  bodyIsJsonObject,
  contentTypeGiven,
  dateCurrent,
  keysAllowed,
  noUnexpectedBody,
} from "./json-request.ts";
import { requestQuotaLeft, stateAllows, targetQuotaLeft } from "./project-state.ts";
import { withinRateLimits } from "./rate-limits.ts";
import {
  activeFlagBoolean,
  imageAcceptable,
  imageIsBase64,
  instanceIdGiven,
  metadataFits,
  nameFree,
  widthPositive,
} from "./target-fields.ts";

/** Row 7: the report route names the keys' own database. */
const ownDatabaseNamed = guard<Call & { database: Database }>(
  "ownDatabaseNamed",
  ({ operation, params, database }) => {
    if (operation !== "requestReport") return undefined;
    return database.kind === "cloud" && database.id === params.database_id
      ? undefined
      : refuse(
          failure("AuthenticationFailure"),
          "the path's database id is not the id of the database that the keys belong to",
        );
  },
);

/**
 * The table of protocol section 4, top to bottom. Every route of the target API runs it; checks that do not concern an
 * operation pass.
 *
 * @param accepts - row 5: the kinds of database whose keys the route takes.
 * @param target - row 11: what the path's id names.
 */
export const targetApiTable = <Kind extends Database, Found extends object>(
  accepts: (database: Database) => database is Kind,
  target: Step<Call & { database: Database }, Found>,
) =>
  Checks.on<Call>()
    .checking(headerLinesFit) // 1
    .adding(withinRateLimits) // 2
    .checking(
      authorizationGiven, // 3
      authorizationWellFormed, // 4
    )
    .adding(knownAccessKey(accepts)) // 5: from here on the context has a database
    .checking(
      signatureMatches, // 6
      ownDatabaseNamed, // 7
      requestQuotaLeft, // 8
      stateAllows, // 9
      targetQuotaLeft, // 10
    )
    .adding(target) // 11
    .checking(
      noUnexpectedBody, // 12
      dateCurrent, // 13
      bodyGiven, // 14
      bodyIsJsonObject, // 15
      keysAllowed, // 16
      metadataFits, // 17
      activeFlagBoolean, // 18
      instanceIdGiven, // 19
      imageIsBase64, // 20
      imageAcceptable, // 21
      nameFree, // 22
      widthPositive, // 23
      contentTypeGiven, // 24
      contentLengthFits, // 25
    );
