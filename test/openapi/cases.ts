import type { Draft } from "../../src/verify/requests.ts";
import { TARGET_BREAKS } from "../../src/verify/target-rows.ts";
import { newTarget } from "../protocol/target/requests.ts";
import type { DatabaseKeys } from "../support/backends.ts";

/** A request to one operation of the target API that is right in every point. */
export interface TargetCase {
  readonly operation: string;
  readonly takesBody: boolean;
  readonly draft: (targetId: string, keys: DatabaseKeys, now: Date) => Draft;
}

const plain = (operation: string, method: string, path: (id: string) => string): TargetCase => ({
  operation,
  takesBody: false,
  draft: (id) => ({ method, path: path(id), headers: {} }),
});
const withFields = (
  operation: string,
  method: string,
  path: (id: string, keys: DatabaseKeys) => string,
  fields: (now: Date) => Record<string, unknown>,
  headers: Record<string, string> = {},
): TargetCase => ({
  operation,
  takesBody: true,
  draft: (id, keys, now) => ({
    method,
    path: path(id, keys),
    fields: fields(now),
    headers: { ...headers },
  }),
});

export const TARGET_CASES: readonly TargetCase[] = [
  withFields(
    "addTarget",
    "POST",
    () => "/targets",
    () => newTarget({ name: "new" }),
  ),
  plain("listTargets", "GET", () => "/targets"),
  plain("getTarget", "GET", (id) => `/targets/${id}`),
  withFields(
    "updateTarget",
    "PUT",
    (id) => `/targets/${id}`,
    () => ({}),
  ),
  plain("deleteTarget", "DELETE", (id) => `/targets/${id}`),
  plain("getDuplicates", "GET", (id) => `/duplicates/${id}`),
  plain("databaseSummary", "GET", () => "/summary"),
  plain("targetSummary", "GET", (id) => `/summary/${id}`),
  withFields(
    "generateInstance",
    "POST",
    (id) => `/targets/${id}/instances`,
    () => ({ instance_id: "1" }),
    { Accept: "image/png" },
  ),
  withFields(
    "requestReport",
    "POST",
    (_id, { databaseId }) => `/imagetargets/databases/${databaseId}/reports/recoCounts`,
    (now) => ({ month: now.toISOString().slice(0, 7) }),
  ),
];

/** Rows that every operation has; those after them are of operations with a body. */
const LAST_COMMON_ROW = 13;
/** Rows about what the path names, whose requests are to one operation only. */
const PATH_ROWS = [7, 11];
/** Sockets bring something else to the emulator. */
const LENGTH_ROW = 25;

/** What can be wrong with a request to an operation: one for each response that a row of the table has. */
export function breaksOf({ takesBody }: TargetCase, overSockets: boolean) {
  const possible = TARGET_BREAKS.filter(
    ({ row }) =>
      (takesBody || row <= LAST_COMMON_ROW) &&
      !PATH_ROWS.includes(row) &&
      !(overSockets && row === LENGTH_ROW),
  );
  const kind = ({ row, answer }: (typeof TARGET_BREAKS)[number]): string => `${row} ${answer}`;
  return possible.filter((one) => possible.find((other) => kind(other) === kind(one)) === one);
}
