import { show } from "../../general/text.ts";

const MOST_KEYS = 1000;

type Ended = "stopped" | "reset";

/** Access keys of stopped mocks and deleted databases: requests that come too late can be told so. */
const former = new Map<string, FormerDatabase>();

interface FormerDatabase {
  /** Its name, quoted. */
  readonly database: string;
  readonly ended: Ended;
}

export function rememberKeys(
  databases: Iterable<{
    readonly databaseName: string;
    readonly serverAccessKey: string;
    readonly clientAccessKey?: string;
  }>,
  ended: Ended,
): void {
  for (const { databaseName, serverAccessKey, clientAccessKey } of databases) {
    for (const key of [serverAccessKey, clientAccessKey])
      if (key !== undefined) former.set(key, { database: show(databaseName), ended });
  }
  for (const key of former.keys()) {
    if (former.size <= MOST_KEYS) break;
    former.delete(key);
  }
}

export const formerDatabaseOf = (accessKey: string): FormerDatabase | undefined => former.get(accessKey);

/** Describes an access key of one mock of this process. */
export type KeyLookup = (accessKey: string) => string | undefined;

const MOST_MOCKS = 100;

/** Of intercepting mocks, until they are stopped. */
const keyLookups = new Set<KeyLookup>();

/** Of other mocks. Weak: these need no stop. Only these: weakly held mocks are freed later. */
const idleKeyLookups = new Set<WeakRef<KeyLookup>>();

/** @param lookup - asked for keys that another mock does not know, until {@link removeKeyLookup}. */
export function addKeyLookup(lookup: KeyLookup): void {
  keyLookups.add(lookup);
}

export function removeKeyLookup(lookup: KeyLookup): void {
  keyLookups.delete(lookup);
}

/** @param lookup - asked as long as other code holds it. */
export function addIdleKeyLookup(lookup: KeyLookup): void {
  // Not each time: otherwise each mock would cost more, the more mocks are uncollected.
  if (idleKeyLookups.size % MOST_MOCKS === MOST_MOCKS - 1)
    for (const other of idleKeyLookups) if (other.deref() === undefined) idleKeyLookups.delete(other);
  idleKeyLookups.add(new WeakRef(lookup));
}

const newest = <Item>(items: ReadonlySet<Item>): Item[] => [...items].slice(-MOST_MOCKS).reverse();

/** What another mock of this process says of its access key. */
export function otherMockWith(accessKey: string): string | undefined {
  for (const lookup of [...newest(keyLookups), ...newest(idleKeyLookups).map((held) => held.deref())]) {
    const said = lookup?.(accessKey);
    if (said !== undefined) return said;
  }
  return undefined;
}
