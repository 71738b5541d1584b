import type { Database } from "../schema/database.ts";

/** The fields that no two databases share, in the order in which conflicts are reported. */
export const UNIQUE_FIELDS = [
  "databaseId",
  "databaseName",
  "serverAccessKey",
  "serverSecretKey",
  "clientAccessKey",
  "clientSecretKey",
] as const;
export type UniqueField = (typeof UNIQUE_FIELDS)[number];

/** The unique field that a new database would share with another one, and its value. */
export interface Conflict {
  readonly conflict: UniqueField;
  readonly value: string;
}

/** Whether the value was not given but drawn. The same seed draws again what a state from an earlier run has already. */
export const wasDrawn = ({ conflict }: Conflict, given: object): boolean =>
  Reflect.get(given, conflict) === undefined;

/** The values of a database's unique fields. A VuMark database has neither an id nor client keys. */
export function uniqueValues(database: Database): readonly Conflict[] {
  const values: Partial<Record<UniqueField, string>> = database;
  return UNIQUE_FIELDS.flatMap((conflict) => {
    const value = values[conflict];
    return value === undefined ? [] : [{ conflict, value }];
  });
}
