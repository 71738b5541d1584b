import * as z from "zod/mini";
import { type CloudDatabase, cloudDatabaseRecord } from "./cloud-database.ts";
import { byKind } from "./kernel/record.ts";
import { type VuMarkDatabase, vuMarkDatabaseRecord } from "./vumark-database.ts";

/** A database of either kind. */
export type Database = CloudDatabase | VuMarkDatabase;

/** As snapshots hold it. */
export const databaseRecord = z.lazy(() =>
  byKind<Database>("a database", [cloudDatabaseRecord, vuMarkDatabaseRecord]),
);

export const isCloudDatabase = (database: Database): database is CloudDatabase => database.kind === "cloud";
