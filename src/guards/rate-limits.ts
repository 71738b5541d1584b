import type { Database, RequestRateLimits } from "../domain/database.ts";
import { refuse, step } from "../http/guard.ts";
import { header } from "../http/wire-message.ts";
import { tooManyRequests } from "../responses/target-api.ts";
import type { Operation } from "../runtime/operation.ts";
import type { Call } from "../services.ts";
import type { RateRule } from "../store/store.ts";

/** The access key that an `Authorization` header names: between the space and the colon. */
export function namedAccessKey(authorization: string | undefined): string | undefined {
  return /^[^ :]+ ([^ :]+):/.exec(authorization ?? "")?.[1];
}

const GROUPS: Partial<Record<Operation, Exclude<keyof RequestRateLimits, "other">>> = {
  listTargets: "listTargets",
  getTarget: "getTarget",
  getDuplicates: "getDuplicates",
};

/** The limits that a request must fit into: the one per second first, then its group's. */
function rulesFor(database: Database, operation: Operation): readonly RateRule[] {
  if (database.kind !== "cloud") return [];
  const { requestsPerSecondLimit, requestRateLimits } = database;
  const own = GROUPS[operation];
  const group = own !== undefined && requestRateLimits?.[own] != null ? own : "other";
  const limit = requestRateLimits?.[group];
  return [
    ...(requestsPerSecondLimit === null
      ? []
      : [{ key: "perSecond", maxRequests: requestsPerSecondLimit, windowSeconds: 1 }]),
    ...(limit == null ? [] : [{ key: group, ...limit }]),
  ];
}

/**
 * Row 2: rate limits of the database whose access key is named, before the signature is looked at. A refused request
 * uses no budget. Adds the owner of the key, if it is known.
 */
export const withinRateLimits = step<Call, { keyOwner: Database | undefined }>(
  "withinRateLimits",
  async ({ request, services: { store }, operation, now, trace }) => {
    const accessKey = namedAccessKey(header(request, "authorization"));
    const keyOwner =
      accessKey === undefined ? undefined : await store.findDatabaseByServerAccessKey(accessKey);
    if (keyOwner === undefined) return { keyOwner };
    trace.database = keyOwner.name;
    const rules = rulesFor(keyOwner, operation);
    const full = rules.length === 0 ? undefined : await store.takeRateToken(keyOwner.name, rules, now);
    if (full === undefined) return { keyOwner };
    const limit = full.key === "perSecond" ? "requestsPerSecondLimit" : `requestRateLimits.${full.key}`;
    return refuse(
      tooManyRequests,
      `${limit} allows ${full.maxRequests} requests in ${full.windowSeconds} s, and as many were accepted in that time`,
    );
  },
);
