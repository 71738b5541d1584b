import { link, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { messageOf } from "../emulator/text.ts";
import type { MemoryStore } from "../store/memory-store.ts";

import { restoreState, StateFileError, writeState } from "../store/state-file.ts";
import type { StartProgress } from "./start-progress.ts";

export { StateFileError } from "../store/state-file.ts";

/** How long after a change the file is written; a second change in the meantime does not postpone it. */
const COLLECTING_MILLISECONDS = 300;

/** A store whose state a file keeps. */
export interface KeptState {
  /** Whether the file existed, and so the store has its state. */
  readonly isRestored: boolean;
  /** Writes the state and lets another process use the file. */
  close(): Promise<void>;
}

/**
 * Restores the state in a file, if it exists, and writes the state to it within a second after each change. The state is that of a
 * snapshot: neither the journal, nor the clock, nor faults.
 *
 * @param complain - called with one line when the file cannot be written; it is tried again after the next change.
 * @param onProgress - called while the file is read.
 * @throws StateFileError when the file cannot be read, which it leaves as it is, or another process uses it.
 */
export async function keepState(
  path: string,
  store: MemoryStore,
  complain: (line: string) => void,
  onProgress: StartProgress = () => {},
): Promise<KeptState> {
  const unlock = await lock(path);
  let isRestored: boolean;
  try {
    let megabytes = 0;
    isRestored = await restoreState(path, store, (done, total) => {
      megabytes = Math.ceil(total / 1e6);
      onProgress("state", Math.floor(done / 1e6), megabytes);
    });
    if (isRestored) onProgress("state", megabytes, megabytes);
  } catch (error) {
    await unlock();
    throw error;
  }
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing
      .then(() => writeState(path, store.snapshot()))
      .catch((error: unknown) => complain(`the state file ${path} cannot be written: ${messageOf(error)}`));
    return writing;
  };
  store.state.onChange = () => {
    timer ??= setTimeout(() => void write(), COLLECTING_MILLISECONDS);
  };
  return {
    isRestored,
    close: async () => {
      store.state.onChange = () => {};
      await write();
      await unlock();
    },
  };
}

/** Makes this process the only one that uses a file, until it ends. */
async function lock(path: string): Promise<() => Promise<void>> {
  const name = `${path}.lock`;
  // With the time, because in a restarted container each process has the id that it had before.
  const own = `${process.pid} ${hostname()} ${performance.timeOrigin}`;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      // Linked, because a file that is created has no content at first.
      await writeFile(`${name}.${process.pid}`, own);
      await link(`${name}.${process.pid}`, name).finally(() => rm(`${name}.${process.pid}`, { force: true }));
      return () => rm(name, { force: true });
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, "code") !== "EEXIST")
        throw new StateFileError(`the state file ${path} cannot be used: ${messageOf(error)}`);
    }
    const holder = await readFile(name, "utf8").catch(() => "");
    const [pid = "", host = ""] = holder.split(" ");
    const isOther = Number(pid) !== process.pid || holder === own;
    if (holder !== "" && (host !== hostname() || (isOther && isRunning(Number(pid)))))
      throw new StateFileError(
        `the state file ${path} is in use by process ${pid} on ${host}; if that has ended, delete ${name}`,
      );
    // It was killed.
    await rm(name, { force: true });
  }
  throw new StateFileError(
    `the state file ${path} is in use by another process that starts at the same time`,
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, "code") === "EPERM";
  }
}
