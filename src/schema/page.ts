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

/** What decides whether a journal entry counts as refused. */
interface Refusable {
  readonly status?: number | undefined;
  readonly refusedBy?: string | undefined;
  readonly fault?: string | undefined;
}

/** Whether an entry counts as refused: whatever a fault was applied to does not, even if a check refused it. */
export const isRefused = ({ refusedBy, fault }: Refusable): boolean =>
  refusedBy !== undefined && fault === undefined;

/** The same, or whether the client got no response although no fault was applied. */
export const isRefusedOrFailed = ({ status, refusedBy, fault }: Refusable): boolean =>
  isRefused({ refusedBy, fault }) || (status === undefined && fault === undefined);
