import { isCloudDatabase } from "../../domain/database.ts";
import { knownTarget, noTargetNamed } from "../../guards/path-target.ts";
import { targetApiTable } from "../../guards/target-api-table.ts";

/** Routes about a whole database. */
export const databaseChecks = targetApiTable(isCloudDatabase, noTargetNamed);

/** Routes about the target that the path names. */
export const targetChecks = targetApiTable(isCloudDatabase, knownTarget);
