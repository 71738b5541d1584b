/** One state of a database's records. */
export interface Version {
  /** Identifies the database from its creation to its deletion; never reused, even for a database with the same name. */
  readonly scope: string;
  /** Counts its changes. */
  readonly version: number;
}

/** Identifies a database by a field that requests know, and its value. */
export type DatabaseKey = readonly [
  field: "databaseId" | "databaseName" | "serverAccessKey" | "clientAccessKey",
  value: string,
];

/** Identifies records: a database's, by a field or by scope, or those that belong to no database. */
export type RecordsKey = DatabaseKey | readonly [field: "scope" | "global", value: string];

export const GLOBAL: RecordsKey = ["global", ""];
