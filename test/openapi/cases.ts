import type { Draft } from "../../src/verify/requests.ts";
import { rowsOf } from "../../src/verify/row.ts";
import { TARGET_REFUSED } from "../../src/verify/target-refusals.ts";
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

const ROWS = rowsOf(TARGET_REFUSED);
const CHECKS = Object.keys(TARGET_REFUSED.rows);
/** Checks that every operation has come first; the others are of operations with a body. */
const LAST_COMMON = CHECKS.indexOf("dateCurrent");
/** About what the path names: their requests are to one operation only. */
const OF_PATHS = ["ownDatabaseNamed", "knownTarget"];

/** What can be wrong with a request to an operation: one for each response that a check has. */
export function refusedRows({ takesBody }: TargetCase, overSockets: boolean) {
  const possible = ROWS.filter(
    ({ check = "" }) =>
      (takesBody || CHECKS.indexOf(check) <= LAST_COMMON) &&
      !OF_PATHS.includes(check) &&
      // Sockets bring something else to the emulator.
      !(overSockets && check.startsWith("contentLength")),
  );
  const kind = ({ check, answer }: (typeof ROWS)[number]): string => `${check} ${answer}`;
  return possible.filter((one) => possible.find((other) => kind(other) === kind(one)) === one);
}
