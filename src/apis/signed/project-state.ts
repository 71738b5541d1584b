import { check } from "../../emulator/check.ts";
import { refuse } from "../../emulator/response.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import type { ApiContext } from "../services.ts";
import { failure } from "./target-responses.ts";

type DatabaseContext = ApiContext & { readonly database: Database };

/** Row 8: the request quota is not 0. Template databases have none. */
export const requestQuotaLeft = check({
  name: "requestQuotaLeft",
  refusals: [failure("RequestQuotaReached")],
  test: ({ database }: DatabaseContext) =>
    database.kind !== "cloud" ||
    database.requestQuota !== 0 ||
    `the request quota of the database "${database.databaseName}" is 0`,
});

const stateOf = ({ databaseName, stateName }: Database): string =>
  `the state of the database "${databaseName}" is ${stateName}`;

/** Row 9: the database's state allows requests. */
export const stateAllows = check({
  name: "stateAllows",
  refusals: [failure("ProjectHasNoApiAccess"), failure("ProjectSuspended")],
  test: ({ database }: DatabaseContext) => {
    if (database.stateName === "PROJECT_HAS_NO_API_ACCESS")
      return refuse(failure("ProjectHasNoApiAccess"), stateOf(database));
    return (
      database.stateName !== "PROJECT_SUSPENDED" || refuse(failure("ProjectSuspended"), stateOf(database))
    );
  },
});

/** Row 9 of duplicates and all requests but `GET`: a cloud database is not inactive. */
export const stateAllowsMore = check({
  name: "stateAllows",
  concerns: [
    "addTarget",
    "updateTarget",
    "deleteTarget",
    "getDuplicates",
    "generateInstance",
    "requestReport",
  ],
  refusals: [failure("ProjectInactive")],
  test: ({ database }: DatabaseContext) =>
    database.stateName !== "PROJECT_INACTIVE" ||
    database.kind !== "cloud" ||
    `${stateOf(database)}; only GET requests other than duplicates are served in this state`,
});

/** Row 10: there is room in the target quota. */
export const targetQuotaLeft = check({
  name: "targetQuotaLeft",
  concerns: ["addTarget"],
  refusals: [failure("TargetQuotaReached")],
  test: async ({ database, services }: ApiContext & { readonly database: CloudDatabase }) =>
    (await services.store.countTargets(database.databaseName)) < database.targetQuota ||
    targetQuotaReached(database.targetQuota),
});

export const targetQuotaReached = (quota: number): string =>
  `the database already has as many targets as its target quota allows: ${quota}`;
