/* What the page and the emulator agree on. Without a library, because the page imports it. */

/** A header of the requests that the page itself sends to the target manager: faults spare them, and the page hides them. */
export const PAGE_HEADER = "x-sent-by-page";

/** The name of a new database for which nobody chose one: `database-1`, `database-2` and so on. */
export function nextDatabaseName(databases: readonly { readonly databaseName: string }[]): string {
  const names = new Set(databases.map(({ databaseName }) => databaseName));
  let number = 1;
  while (names.has(`database-${number}`)) number += 1;
  return `database-${number}`;
}
