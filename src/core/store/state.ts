import type { Database } from "../schema/database.ts";
import type { GlobalRecords, SnapshotDatabase } from "../schema/snapshot.ts";
import type { Target } from "../schema/target.ts";
import type { LoadedImage } from "./image-blobs.ts";
import type { ReadableRecords, Write } from "./records.ts";

/** No two databases share these. Conflicts are reported in this order. */
export const UNIQUE_FIELDS = [
  "databaseId",
  "databaseName",
  "serverAccessKey",
  "serverSecretKey",
  "clientAccessKey",
  "clientSecretKey",
] as const;
export type UniqueField = (typeof UNIQUE_FIELDS)[number];

/** A unique field that a new database would share with another, and its value. */
export interface Conflict {
  readonly conflict: UniqueField;
  readonly value: string;
}

/** Whether the value was generated: a seed may generate values that an earlier state already has. */
export const wasGenerated = ({ conflict }: Conflict, given: Partial<Record<UniqueField, unknown>>): boolean =>
  given[conflict] === undefined;

/** A VuMark database has neither an id nor client keys. */
export function uniqueValues(database: Database): readonly Conflict[] {
  const values: Partial<Record<UniqueField, string>> = database;
  return UNIQUE_FIELDS.flatMap((conflict) => {
    const value = values[conflict];
    return value === undefined ? [] : [{ conflict, value }];
  });
}

export type DatabaseRecords = SnapshotDatabase<Target>;

/** The content of a store. Records are immutable, so keeping them costs little. */
export interface StoreState extends GlobalRecords {
  readonly databases: readonly DatabaseRecords[];
  /** All undeleted targets' images, by SHA-256. */
  readonly images: ReadonlyMap<string, LoadedImage>;
}

export const databaseRecords = (
  records: ReadableRecords,
  accepted: DatabaseRecords["accepted"],
): readonly DatabaseRecords[] => {
  const { database, templates, reports } = records;
  if (database === undefined) return [];
  const targets = records.listAllTargets();
  return [
    { database, targets, templates: [...templates.values()], reports: [...reports.values()], accepted },
  ];
};

export const writeOfDatabase = (database: Database): Write => ({
  kind: "database",
  key: "",
  record: database,
});

/** The writes that create a database with all its records. */
export const writesAddingDatabase = ({ database, targets, templates, reports }: DatabaseRecords): Write[] => [
  writeOfDatabase(database),
  ...targets.map((record) => ({ kind: "target" as const, key: record.targetId, record })),
  ...templates.map((record) => ({ kind: "template" as const, key: record.targetId, record })),
  ...reports.map((record) => ({ kind: "report" as const, key: record.file, record })),
];

/** The writes that create all records that belong to no database. */
export const writesAddingGlobals = ({ datasets, credentials }: GlobalRecords): Write[] => [
  ...datasets.map((record) => ({ kind: "dataset" as const, key: record.uuid, record })),
  ...credentials.map((record) => ({ kind: "credential" as const, key: record.clientId, record })),
];
