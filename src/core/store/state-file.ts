import { open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { systemRandom } from "../emulator/random.ts";
import { writeJson } from "../emulator/write-json.ts";
import { codeOf, messageOf } from "../general/text.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { MemoryStore } from "./memory-store.ts";
import { snapshotJson } from "./snapshot.ts";
import { SnapshotReader } from "./snapshot-reader.ts";

/** A state file that cannot be used. The message names the file and the problem, without values. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

const MOST_LINKS = 40;
const OWN_ONLY = 0o600;

/**
 * Follows symbolic links, even to a file that does not exist yet.
 *
 * @throws Error if no file can be there: reading a pipe or a device may take forever, and writing would replace it.
 */
export async function fileBehind(path: string): Promise<string> {
  if (path.endsWith("/") || path.endsWith(sep)) throw new Error("its path is that of a folder; name a file");
  let file = resolve(path);
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const folder = await realpath(dirname(file));
    file = join(folder, basename(file));
    const to = await readlink(file).catch(() => undefined);
    if (to === undefined) {
      await assertFile(folder, file);
      return file;
    }
    file = resolve(folder, to);
  }
  throw new Error("it is a circle of symbolic links");
}

async function assertFile(folder: string, file: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  const found = await stat(file).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  if (found === undefined || found.isFile()) return;
  const kind = found.isDirectory() ? "a folder" : "not a regular file, but a pipe, device or socket";
  throw new Error(`it is ${kind}; name another file`);
}

/** Suffix of unfinished files. */
const UNFINISHED = ".new";

/** Removes unfinished files of killed processes. */
export async function removeUnfinished(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const middle = name.slice(basename(file).length, -UNFINISHED.length);
    if (name === basename(file) + middle + UNFINISHED && /^\.[0-9a-f]{16}$/.test(middle))
      await rm(join(folder, name), { force: true });
  }
}

/**
 * Writes a snapshot. Even after a power cut, the file has its old content or all of the snapshot. It keeps its mode; a new
 * file is readable for its owner only.
 */
export async function writeStateFile(path: string, snapshot: Snapshot): Promise<void> {
  const body = writeJson(snapshotJson(snapshot));
  const target = await fileBehind(path);
  const mode = await stat(target).then(
    (known) => known.mode,
    () => OWN_ONLY,
  );
  // Unguessable, so no other process can have prepared this file.
  const temporary = `${target}.${systemRandom.hex(16)}${UNFINISHED}`;
  const file = await open(temporary, "wx", OWN_ONLY);
  try {
    try {
      if (mode !== OWN_ONLY) await file.chmod(mode & 0o777);
      for (const chunk of "chunks" in body ? body.chunks() : [body]) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  // The new name lasts once the folder is synced. Some systems allow no sync, and do it themselves.
  const folder = await open(dirname(target), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/**
 * Restores the state in a file.
 *
 * @param onRead - called with the bytes read so far, and all bytes.
 * @returns false if there is no such file.
 * @throws StateFileError if it cannot be read, or holds no state.
 */
export async function restoreState(
  path: string,
  store: MemoryStore,
  onRead: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const upload = new SnapshotReader();
  const rest: Buffer[] = [];
  let snapshot: unknown;
  try {
    const file = await open(await fileBehind(path));
    const { size } = await file.stat();
    let done = 0;
    for await (const chunk of file.createReadStream()) {
      rest.push(...upload.write(chunk));
      done += chunk.length;
      onRead(done, size);
    }
    snapshot = JSON.parse(Buffer.concat(rest).toString());
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    const why = error instanceof SyntaxError ? "it is not valid JSON" : messageOf(error);
    throw new StateFileError(`the state file ${path} cannot be read: ${why}`);
  }
  const problem = store.restore(snapshot, upload.images);
  if (problem === undefined) return true;
  throw new StateFileError(`the state file ${path} holds no state: ${problem}`);
}
