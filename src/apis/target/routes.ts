import type { ServiceEndpoint } from "../../services.ts";
import { addTarget } from "./add-target.ts";
import { databaseSummary } from "./database-summary.ts";
import { deleteTarget } from "./delete-target.ts";
import { getDuplicates } from "./get-duplicates.ts";
import { getTarget } from "./get-target.ts";
import { listTargets } from "./list-targets.ts";
import { targetSummary } from "./target-summary.ts";
import { updateTarget } from "./update-target.ts";

/** The routes of protocol section 4, but for instances and reports. */
export const targetEndpoints: readonly ServiceEndpoint[] = [
  addTarget,
  listTargets,
  getTarget,
  updateTarget,
  deleteTarget,
  getDuplicates,
  databaseSummary,
  targetSummary,
];
