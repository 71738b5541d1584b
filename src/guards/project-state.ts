import type { Database } from "../domain/database.ts";
import { guard, refuse } from "../http/guard.ts";
import { failure } from "../responses/target-api.ts";
import type { Call } from "../services.ts";

type Context = Call & { readonly database: Database };

/** Row 8: the request quota is not 0. Template databases have none. */
export const requestQuotaLeft = guard<Context>("requestQuotaLeft", ({ database }) =>
  database.kind === "cloud" && database.requestQuota === 0
    ? refuse(failure("RequestQuotaReached"), `the request quota of the database "${database.name}" is 0`)
    : undefined,
);

/** Row 9: the database's state allows the request. */
export const stateAllows = guard<Context>("stateAllows", ({ database, request, operation }) => {
  const { state, name } = database;
  const shown = `the state of the database "${name}" is ${state}`;
  if (state === "PROJECT_HAS_NO_API_ACCESS") return refuse(failure("ProjectHasNoApiAccess"), shown);
  if (state === "PROJECT_SUSPENDED") return refuse(failure("ProjectSuspended"), shown);
  const readsOnly = request.method === "GET" && operation !== "getDuplicates";
  if (state === "PROJECT_INACTIVE" && database.kind === "cloud" && !readsOnly) {
    return refuse(
      failure("ProjectInactive"),
      `${shown}, which serves GET requests other than duplicates only`,
    );
  }
  return undefined;
});

/** Row 10: adding a target needs room in the target quota. */
export const targetQuotaLeft = guard<Context>(
  "targetQuotaLeft",
  async ({ database, operation, services }) => {
    if (operation !== "addTarget" || database.kind !== "cloud") return undefined;
    const count = await services.store.countTargets(database.name);
    return count >= database.targetQuota ? targetQuotaReached(database.targetQuota) : undefined;
  },
);

export const targetQuotaReached = (quota: number) =>
  refuse(
    failure("TargetQuotaReached"),
    `the target quota of the database is ${quota}, and it holds as many targets`,
  );
