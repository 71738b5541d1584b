import { routeNamed } from "../conformance/request.ts";
import { type PlacedRow, refusalsOf } from "../conformance/rows.ts";

/** The operations of the target API, and how the rows name their routes. */
export const TARGET_ROUTES: Readonly<Record<string, string>> = {
  addTarget: "add",
  listTargets: "list",
  getTarget: "get",
  updateTarget: "update",
  deleteTarget: "delete",
  getDuplicates: "duplicates",
  databaseSummary: "summary",
  targetSummary: "target summary",
  generateInstance: "instance",
  requestReport: "report",
};

const REFUSALS = refusalsOf("target");
const CHECKS = Object.keys(REFUSALS);
/** Checks that every operation has come first; the others are of operations with a body. */
const LAST_COMMON = CHECKS.indexOf("dateCurrent");
/** About what the path names: their requests are to one operation only. */
const OF_PATHS = ["ownDatabaseNamed", "knownTarget"];
/** Sockets bring something else to the emulator. */
const OF_LENGTHS = ["contentLengthIsInteger", "contentLengthFits"];

/** What can be wrong with a request to a route: one row for each response that a check has. */
export function refusedRows(route: string, overSockets: boolean): readonly PlacedRow[] {
  const takesBody = routeNamed(route).fields !== undefined;
  const checks = CHECKS.filter(
    (check) =>
      (takesBody || CHECKS.indexOf(check) <= LAST_COMMON) &&
      !OF_PATHS.includes(check) &&
      !(overSockets && OF_LENGTHS.includes(check)),
  );
  return checks.flatMap((check) => {
    const rows = REFUSALS[check] ?? [];
    return rows.filter((row) => rows.find(({ get }) => get === row.get) === row);
  });
}
