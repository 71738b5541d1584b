/** How many keys are remembered, those of the mocks that ended last. */
const MOST_KEYS = 1000;

/**
 * Access keys of mocks of this process that have ended, with their databases' names: a request that comes late, or from a client
 * that outlived its test, reaches the next mock, which then knows whose it is.
 */
const former = new Map<string, string>();

export function rememberKeys(
  databases: Iterable<{
    readonly databaseName: string;
    readonly serverAccessKey: string;
    readonly clientAccessKey?: string;
  }>,
): void {
  for (const { databaseName, serverAccessKey, clientAccessKey } of databases) {
    for (const key of [serverAccessKey, clientAccessKey])
      if (key !== undefined) former.set(key, databaseName);
  }
  for (const key of former.keys()) {
    if (former.size <= MOST_KEYS) break;
    former.delete(key);
  }
}

/** Name of the database that had the key. */
export const formerKeyOwner = (accessKey: string): string | undefined => former.get(accessKey);
