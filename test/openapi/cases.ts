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
/** What can be wrong with a request to a route: one row for each response that a check has. */
export function refusedRows(route: string, overSockets: boolean): readonly PlacedRow[] {
  const takesBody = routeNamed(route).fields !== undefined;
  const isOfRoute = ({ send: { path, length, type, fields, without, json } = {} }: PlacedRow): boolean =>
    // Another path is a request to one operation only.
    path === undefined &&
    (takesBody || [type, fields, without, json].every((change) => change === undefined)) &&
    // Over sockets, another length brings something else to the emulator.
    !(overSockets && length !== undefined);
  return Object.values(REFUSALS).flatMap((all) => {
    const rows = all.filter(isOfRoute);
    return rows.filter((row) => rows.find(({ get }) => get === row.get) === row);
  });
}
