import { yieldToEventLoop } from "../core/general/scheduling.ts";
import { type LoadedImage, loadedImage } from "../core/store/image-blobs.ts";
import { Records, type Write } from "../core/store/records.ts";
import {
  type DatabaseRecords,
  databaseRecords,
  type StoreState,
  writesAddingDatabase,
  writesAddingGlobals,
} from "../core/store/state.ts";
import { GLOBAL, StateUnavailableError } from "../core/store/store.ts";
import { decodeWrite, encodeWrite, imageIn, type StoredWrite } from "./codec.ts";
import type { RedisBacking, ReplicaKey } from "./redis-backing.ts";
import {
  acceptedIn,
  arrayIn,
  changesIn,
  counted,
  newName,
  recordPairs,
  uniquePairs,
} from "./redis-connection.ts";
import { FIRST } from "./script-functions.ts";

const CHANGES_PER_TURN = 200;
const IMAGES_AT_ONCE = { items: 32 };
const DATABASES_AT_ONCE = { items: 50 };
/** Images and bytes sent at once: a Redis that syncs each write syncs once for all. */
const IMAGES_SENT = { items: 500, size: 2 ** 22 };
/** Records and characters that one call of the script adds, so that none takes long. */
const PIECE = { items: 500, size: 2 ** 22 };

/** Images of a snapshot wait until all others have been uploaded. */
const RESTORED_IMAGE_SECONDS = 3600;

interface ReadScope {
  readonly version: number;
  readonly changes: Map<string, StoredWrite>;
}

/** Reads all state of one moment: database after database, and then the few changes since. */
export async function readState(backing: RedisBacking): Promise<StoreState> {
  const scopes = new Map<string, ReadScope>();
  for (;;) {
    const missing = (await backing.list()).filter(({ scope }) => !scopes.has(scope));
    for (const some of inGroups(missing, DATABASES_AT_ONCE))
      await Promise.all(some.map(({ scope }) => readScope(backing, scopes, ["scope", scope])));
    if (!scopes.has("global")) await readScope(backing, scopes, GLOBAL);
    const known = [...scopes].flatMap(([scope, { version }]) => [scope, String(version)]);
    const [databases, global] = arrayIn(
      await backing.redis.run("everything", [String(scopes.size), ...known]),
    );
    const found = arrayIn(databases).map((database) => {
      const [scope, changes, accepted] = arrayIn(database);
      return { scope: scopes.get(String(scope)), changes, accepted };
    });
    // A new database, perhaps with all its records.
    if (found.some(({ scope }) => scope === undefined)) continue;
    for (const { scope, changes } of [...found, { scope: scopes.get("global"), changes: global }])
      for (const change of changesIn(changes)) scope?.changes.set(placeOf(change), change);
    return stateOf(backing, found, scopes.get("global"));
  }
}

async function readScope(
  backing: RedisBacking,
  scopes: Map<string, ReadScope>,
  key: ReplicaKey,
): Promise<void> {
  const found = await backing.read(key);
  if (found === undefined || found === "unchanged") return;
  const changes = new Map(found.changes.map((change) => [placeOf(change), change]));
  scopes.set(key[0] === "global" ? "global" : found.scope, { version: found.version, changes });
}

const placeOf = ({ kind, key }: StoredWrite): string => `${kind} ${key}`;

async function stateOf(
  backing: RedisBacking,
  databases: readonly { readonly scope: ReadScope | undefined; readonly accepted: unknown }[],
  global: ReadScope | undefined,
): Promise<StoreState> {
  const named = new Set<string>();
  for (const { scope } of databases)
    for (const change of scope?.changes.values() ?? [])
      for (const sha256 of imageIn(change)) named.add(sha256);
  const images = new Map<string, LoadedImage>();
  for (const some of inGroups([...named], IMAGES_AT_ONCE))
    for (const [sha256, bytes] of await Promise.all(
      some.map(async (sha256) => [sha256, await backing.getImage(sha256)] as const),
    ))
      images.set(sha256, loadedImage(sha256, bytes));
  const imageOf = (sha256: string) => images.get(sha256) ?? loadedImage(sha256, Buffer.alloc(0));
  const recordsOf = async (scope: ReadScope | undefined): Promise<Records> => {
    const records = new Records();
    let count = 0;
    for (const change of scope?.changes.values() ?? []) {
      records.apply(decodeWrite(change, imageOf));
      count += 1;
      if (count % CHANGES_PER_TURN === 0) await yieldToEventLoop();
    }
    return records;
  };
  const all: DatabaseRecords[] = [];
  for (const { scope, accepted } of databases)
    all.push(...databaseRecords(await recordsOf(scope), arrayIn(accepted).map(acceptedIn).sort(byLimit)));
  const { datasets, credentials } = await recordsOf(global);
  return { databases: all, datasets: [...datasets.values()], credentials: [...credentials.values()], images };
}

/**
 * Fills an empty state, once: of several servers, one does and the others wait. If it dies, another one does all of it. Returns
 * false if there is a state. Throws a StateUnavailableError.
 */
export const fillOnce = (backing: RedisBacking, make: () => Promise<StoreState>): Promise<boolean> =>
  backing.redis.exclusively("filling", async () => {
    const isFilled = (await backing.redis.run("filled", [])) === 1;
    return !isFilled && writeState(backing, await make(), true);
  });

/**
 * Replaces the state. Readers see none of it until all is written. Throws a StateUnavailableError.
 *
 * @param onlyFills - whether the state has to be empty; with summaries of all images.
 * @returns false if it was not.
 */
export async function writeState(
  backing: RedisBacking,
  state: StoreState,
  onlyFills = false,
): Promise<boolean> {
  const { redis } = backing;
  const keep = async (sha256: string, bytes: Buffer) => {
    if (onlyFills) await backing.keepSummaries(sha256, bytes, RESTORED_IMAGE_SECONDS);
    await backing.keepImage(sha256, bytes, RESTORED_IMAGE_SECONDS);
  };
  for (const some of inGroups([...state.images], IMAGES_SENT, ([, image]) => image.bytes().length))
    await Promise.all(some.map(([sha256, image]) => keep(sha256, image.bytes())));
  const built: string[] = [];
  for (const records of state.databases) {
    const scope = `${newName()}${onlyFills ? FIRST : "-restored"}`;
    const build = async (writes: readonly Write[], accepted: readonly (readonly string[])[]) => {
      const parts = [scope, ...recordPairs(writes.map(encodeWrite)), ...counted(accepted)];
      if ((await redis.run("build", parts)) !== 1)
        throw new StateUnavailableError("an image was lost while the snapshot was restored");
    };
    for (const writes of inGroups(writesAddingDatabase(records), PIECE, metadataLength))
      await build(writes, []);
    const accepted = records.accepted.flatMap(({ limit, moments }) =>
      moments.map((at) => [limit, String(at)]),
    );
    for (const piece of inGroups(accepted, PIECE)) await build([], piece);
    built.push(scope, ...uniquePairs(records.database));
  }
  const others = recordPairs(writesAddingGlobals(state).map(encodeWrite));
  const count = String(state.databases.length);
  const result = await redis.run("replace", [onlyFills ? "yes" : "no", count, ...built, ...others]);
  if (result === "lost") throw new StateUnavailableError("the snapshot took too long to restore");
  await redis.sweep();
  return result === "replaced";
}

const metadataLength = (write: Write): number =>
  write.kind === "target" ? (write.record?.applicationMetadata?.length ?? 0) : 0;

/** Divides a list into groups, which end at a number of items or a size. */
function* inGroups<Each>(
  all: Iterable<Each>,
  most: { readonly items: number; readonly size?: number },
  sizeOf: (each: Each) => number = () => 0,
): Iterable<readonly Each[]> {
  let [group, size]: [Each[], number] = [[], 0];
  for (const each of all) {
    group.push(each);
    size += sizeOf(each);
    if (group.length < most.items && size < (most.size ?? Number.POSITIVE_INFINITY)) continue;
    yield group;
    [group, size] = [[], 0];
  }
  if (group.length > 0) yield group;
}

const byLimit = (a: { readonly limit: string }, b: { readonly limit: string }): number =>
  a.limit < b.limit ? -1 : 1;
