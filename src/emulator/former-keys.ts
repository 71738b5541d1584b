/** How many keys are remembered; the oldest are forgotten first. */
const MOST_KEYS = 1000;

/**
 * Access keys of this process's stopped mocks, with the names of their databases. A late request, or one from a client that
 * outlived its test, reaches the next mock, which can then explain where it comes from.
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

/** Name of the database that the key belonged to. */
export const formerKeyOwner = (accessKey: string): string | undefined => former.get(accessKey);
