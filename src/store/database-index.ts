import type { Database } from "../domain/database.ts";
import type { Entry } from "./entry.ts";
import type { Conflict } from "./store.ts";

/** The fields that no two databases share, in the order in which conflicts are reported (protocol section 10). */
export const UNIQUE_FIELDS = [
  "id",
  "name",
  "serverAccessKey",
  "serverSecretKey",
  "clientAccessKey",
  "clientSecretKey",
] as const;

type UniqueField = (typeof UNIQUE_FIELDS)[number];

/** Databases by each of their unique fields: no look-up grows with their number. */
export class DatabaseIndex {
  private readonly maps: Readonly<Record<UniqueField, Map<string, Entry>>> = {
    id: new Map(),
    name: new Map(),
    serverAccessKey: new Map(),
    serverSecretKey: new Map(),
    clientAccessKey: new Map(),
    clientSecretKey: new Map(),
  };

  /** In order of creation. */
  get all(): readonly Entry[] {
    return [...this.maps.name.values()];
  }

  find(field: UniqueField, value: string): Entry | undefined {
    return this.maps[field].get(value);
  }

  /** The first field that another database has the same value of. */
  conflictOf(database: Database): Conflict | undefined {
    const taken = uniqueValues(database).find(([field, value]) => this.maps[field].has(value));
    return taken && { conflict: taken[0], value: taken[1] };
  }

  add(entry: Entry): void {
    for (const [field, value] of uniqueValues(entry.database)) this.maps[field].set(value, entry);
  }

  remove({ database }: Entry): void {
    for (const [field, value] of uniqueValues(database)) this.maps[field].delete(value);
  }
}

/** A VuMark database has neither an id nor client keys. */
function uniqueValues(database: Database): readonly [UniqueField, string][] {
  const values: Partial<Record<UniqueField, string>> = database;
  return UNIQUE_FIELDS.flatMap((field) => {
    const value = values[field];
    return value === undefined ? [] : [[field, value] satisfies [UniqueField, string]];
  });
}
