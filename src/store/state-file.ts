import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { largeJsonBody } from "../emulator/json-body.ts";
import { messageOf } from "../emulator/text.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import type { MemoryStore } from "./memory-store.ts";
import { snapshotJson } from "./snapshot.ts";
import { SnapshotUpload } from "./snapshot-upload.ts";

/** A state file that cannot be read or used. The message names the file and what is wrong, without values from it. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

/** Writes a snapshot so that the file always holds either what it held before or all of the snapshot, even after a power cut. */
export async function writeState(path: string, snapshot: Snapshot): Promise<void> {
  const body = await largeJsonBody(snapshotJson(snapshot));
  const temporary = `${path}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    for (const chunk of "chunks" in body ? body.chunks() : [body]) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  // The new name lasts only once the folder is written, which some systems do by themselves and do not let anyone else do.
  const folder = await open(dirname(path), "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/**
 * Restores the state in a file. Its images are taken out while it is read.
 *
 * @param onRead - called with how many bytes have been read, and how many there are.
 * @returns false when there is no such file.
 * @throws StateFileError when it cannot be read, or holds no state.
 */
export async function restoreState(
  path: string,
  store: MemoryStore,
  onRead: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const upload = new SnapshotUpload();
  const rest: Buffer[] = [];
  let snapshot: unknown;
  try {
    const file = await open(path);
    const { size } = await file.stat();
    let done = 0;
    for await (const chunk of file.createReadStream()) {
      rest.push(...upload.write(chunk));
      done += chunk.length;
      onRead(done, size);
    }
    snapshot = JSON.parse(Buffer.concat(rest).toString());
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return false;
    const why = error instanceof SyntaxError ? "it is not valid JSON" : messageOf(error);
    throw new StateFileError(`the state file ${path} cannot be read: ${why}`);
  }
  const problem = store.restore(snapshot, upload.images);
  if (problem === undefined) return true;
  throw new StateFileError(`the state file ${path} holds no state: ${problem}`);
}
