import {
  type FileHandle,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { systemRandom } from "../emulator/random.ts";
import { jsonParts } from "../emulator/write-json.ts";
import { whyUnread } from "../general/file-errors.ts";
import { isJsonObject, LONGEST_SEARCHED } from "../general/json.ts";
import { codeOf } from "../general/text.ts";
import { jsonIn, TextFileError } from "../general/text-file.ts";
import { markedEncoding } from "../general/text-place.ts";
import { type Snapshot, seed } from "../schema/snapshot.ts";
import { restoreSnapshot, snapshotJson } from "./snapshot.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import type { Store } from "./store.ts";

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

const BYTES_AT_A_TIME = 2 ** 16;

/** Writes ASCII text by one buffer: large texts and buffers, several times a second, would make the process grow. */
async function writeText(file: FileHandle, parts: Iterable<string>): Promise<void> {
  const bytes = Buffer.allocUnsafeSlow(BYTES_AT_A_TIME);
  let used = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const written = bytes.write(at === 0 ? part : part.slice(at), used, "latin1");
      at += written;
      used += written;
      if (used < bytes.length) continue;
      await file.writeFile(bytes);
      used = 0;
    }
  }
  await file.writeFile(bytes.subarray(0, used));
}

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
 * Writes a snapshot. Even after a power cut, the file has its old content or all of the snapshot, unless it is a mount of its own,
 * whose name cannot become that of another file. It keeps its mode; a new file is readable for its owner only.
 *
 * @returns whether nothing but the name changed: false if the content was written in place.
 */
export async function writeStateFile(path: string, snapshot: Snapshot): Promise<boolean> {
  const writeTo = async (file: FileHandle) => {
    await writeText(file, jsonParts(snapshotJson(snapshot)));
    await file.sync();
  };
  let isReplaced = true;
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
      await writeTo(file);
    } finally {
      await file.close();
    }
    isReplaced = await replaced(temporary, target);
    if (!isReplaced) {
      await rm(temporary, { force: true });
      const mounted = await open(target, "w");
      await writeTo(mounted).finally(() => mounted.close());
    }
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  // The new name lasts once the folder is synced. Some systems allow no sync, and do it themselves.
  const folder = await open(dirname(target), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
  return isReplaced;
}

/** Returns false if the target is a mount. */
const replaced = (temporary: string, target: string): Promise<boolean> =>
  rename(temporary, target).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "EBUSY") return false;
      throw error;
    },
  );

/** Turns the parts of a file with a byte-order mark into UTF-8 without one. */
function utf8Reader(): (chunk: Buffer) => Buffer {
  let decoder: InstanceType<typeof TextDecoder> | null | undefined;
  return (chunk) => {
    if (decoder === undefined) {
      const encoding = markedEncoding(chunk);
      decoder = encoding === undefined ? null : new TextDecoder(encoding);
    }
    return decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
  };
}

/** @param json - without its images. @param size - of the file, which has the places of errors. */
async function parsed(json: Buffer, path: string, size: number): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    if (size <= LONGEST_SEARCHED) return jsonIn(await readFile(path));
    throw new TextFileError("expected JSON in UTF-8");
  }
}

/**
 * Restores the state in a file.
 *
 * @param onRead - called with the bytes read so far, and all bytes.
 * @returns false if there is no such file, or it is empty, as one that is made to be mounted.
 * @throws StateFileError if it cannot be read, or holds no state.
 */
export async function restoreState(
  path: string,
  store: Store,
  onRead: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const upload = new SnapshotReader();
  const rest: Buffer[] = [];
  let snapshot: unknown;
  try {
    const file = await open(await fileBehind(path));
    const { size } = await file.stat();
    let done = 0;
    const inUtf8 = utf8Reader();
    for await (const chunk of file.createReadStream()) {
      rest.push(...upload.write(inUtf8(chunk)));
      done += chunk.length;
      onRead(done, size);
    }
    if (done === 0) return false;
    snapshot = await parsed(Buffer.concat(rest), path, size);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw new StateFileError(`the state file ${path} cannot be read: ${whyUnread(error)}`);
  }
  if (isJsonObject(snapshot) && seed.fieldNames().some((name) => Object.hasOwn(Object(snapshot), name)))
    throw new StateFileError(
      `the state file ${path} holds no state, but a seed: give it as --seed FILE, or SEED_FILE`,
    );
  const problem = await store.run(restoreSnapshot(snapshot, upload.images));
  if (problem === undefined) return true;
  throw new StateFileError(`the state file ${path} holds no state: ${problem}`);
}
