import { link, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { systemClock } from "../core/emulator/clock.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { whyUnwritten } from "../core/general/file-errors.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { codeOf } from "../core/general/text.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";
import { wholeSnapshot } from "../core/store/snapshot.ts";
import {
  fileBehind,
  restoreState as readState,
  removeUnfinished,
  StateFileError,
  writeStateFile,
} from "../core/store/state-file.ts";
import type { StartProgress } from "./server.ts";

export { StateFileError } from "../core/store/state-file.ts";

/** From a change to the write; further changes do not postpone it. */
const COLLECTING_MILLISECONDS = 300;
const RETRY_MILLISECONDS = 1000;
/** How often a process renews its lock, and when others may take it over. */
const RENEWAL_MILLISECONDS = 5000;
const STALE_MILLISECONDS = 30_000;

const IS_MOUNT =
  "is a mount of its own, so it is written in place, and a crash meanwhile leaves a part of it: mount its folder";

const AT_THE_SAME_TIME = "that starts at the same time";

/** Describes the lock's process; empty without a lock. */
const holderOf = (name: string): Promise<string> => readFile(name, "utf8").catch(() => "");

export interface PersistedState {
  /** Whether the file existed, and so the store has its state. */
  readonly isRestored: boolean;
  /**
   * Writes the state and lets another process use the file.
   *
   * @throws Error when the file cannot be written; it then has the last state that could be.
   */
  close(): Promise<void>;
}

interface PersistenceSetup {
  /** Called with a line when the file cannot be written; it is tried again every second. */
  readonly complain: (line: string) => void;
  /** Called while the file is read. */
  readonly onProgress?: StartProgress | undefined;
  /** Fills the store if there is no file. If it fails, nothing is written. */
  readonly fill?: (() => Promise<void>) | undefined;
}

/**
 * Restores the state in a file, if it exists, and writes it soon after each change. The journal, clock and faults are not kept.
 *
 * @param path - a symbolic link is followed.
 * @throws StateFileError when the file cannot be read, which it leaves as it is, or another process uses it; the errors of `fill`.
 */
export async function persistState(
  path: string,
  store: MemoryStore,
  { complain, onProgress = () => {}, fill }: PersistenceSetup,
): Promise<PersistedState> {
  const unusable = (error: unknown) =>
    new StateFileError(`the state file ${path} cannot be used: ${whyUnwritten(error)}`);
  const file = await fileBehind(path).catch((error: unknown) => Promise.reject(unusable(error)));
  const lock = await FileLock.take(file, path);
  let isRestored: boolean;
  try {
    await removeUnfinished(file);
    isRestored = await restoreState(path, store, onProgress);
    if (!isRestored) await fill?.();
  } catch (error) {
    await lock.release();
    throw error;
  }
  const writer = new StateWriter(path, file, lock, store, complain);
  store.state.onChange = () => writer.writeIn(COLLECTING_MILLISECONDS);
  // What was filled in is no change of the store's own, but belongs into the file.
  if (!isRestored && fill !== undefined) store.state.onChange();
  return {
    isRestored,
    close: async () => {
      store.state.onChange = undefined;
      await writer.close();
    },
  };
}

/** Returns false if there is no file. */
async function restoreState(path: string, store: MemoryStore, onProgress: StartProgress): Promise<boolean> {
  let megabytes = 0;
  const isRestored = await readState(path, store, (done, total) => {
    megabytes = Math.ceil(total / 1e6);
    onProgress("state", Math.floor(done / 1e6), megabytes);
  });
  if (isRestored) onProgress("state", megabytes, megabytes);
  return isRestored;
}

/** Writes the state to its file, one write at a time. */
class StateWriter {
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Why the last write failed. */
  #problem: string | undefined;
  #isClosing = false;
  #isMountTold = false;

  constructor(
    private readonly path: string,
    /** The file behind the path, which may be a symbolic link. */
    private readonly file: string,
    private readonly lock: FileLock,
    private readonly store: MemoryStore,
    private readonly complain: (line: string) => void,
  ) {}

  /** Changes that follow before that time are in the same write. */
  writeIn(milliseconds: number): void {
    this.#timer ??= realTimers.setTimeout(() => void this.#write(), milliseconds);
  }

  /** @throws Error when the last state could not be written. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#write();
    realTimers.clearTimeout(this.#timer);
    await this.lock.release();
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }

  #write(): Promise<void> {
    realTimers.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeNow());
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const before = this.#problem;
    try {
      await this.lock.assertHeld();
      const isReplaced = await writeStateFile(this.file, await this.store.read(wholeSnapshot));
      this.#problem = undefined;
      if (!isReplaced && !this.#isMountTold) this.complain(`the state file ${this.path} ${IS_MOUNT}`);
      this.#isMountTold ||= !isReplaced;
    } catch (error) {
      this.#problem = `the state file ${this.path} cannot be written: ${whyUnwritten(error)}`;
      // Then `close` throws it.
      if (this.#isClosing) return;
      // Once for each problem: a full disk would fill the log too.
      if (this.#problem !== before) this.complain(this.#problem);
      this.writeIn(RETRY_MILLISECONDS);
    }
  }
}

/** Makes this process the only user of a file. Renewed, so that others detect its end. */
class FileLock {
  private readonly renewal: NodeJS.Timeout;

  private constructor(
    private readonly name: string,
    private readonly own: string,
  ) {
    this.renewal = realTimers
      .setInterval(() => void this.renew().catch(() => {}), RENEWAL_MILLISECONDS)
      .unref();
  }

  /**
   * @param shown - the path in messages.
   * @throws StateFileError when another process holds the lock.
   */
  static async take(file: string, shown: string): Promise<FileLock> {
    const name = `${file}.lock`;
    // With the time: process ids are the same in a restarted container.
    const started = systemClock.now().toISOString();
    const own = `${process.pid} ${hostname()} ${started} ${performance.timeOrigin}`;
    const draft = `${name}.${systemRandom.hex(8)}`;
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        // Linked, because a new file is empty at first.
        await rm(draft, { force: true });
        await writeFile(draft, own, { flag: "wx", mode: 0o600 });
        try {
          await link(draft, name);
          return new FileLock(name, own);
        } catch (error) {
          if (codeOf(error) !== "EEXIST") throw error;
        }
        const holder = await holderOf(name);
        if (!(await isOver(holder, name, draft))) {
          const [pid, host, since] = holder.split(" ");
          throw new StateFileError(
            `the state file ${shown} is in use by process ${pid} on ${host} since ${since}; if that has ended, delete ${name}`,
          );
        }
        await removeStale(name, holder, draft);
      }
    } catch (error) {
      if (error instanceof StateFileError) throw error;
      const isRefused = ["EACCES", "EPERM", "EROFS"].includes(String(codeOf(error)));
      const why = isRefused
        ? `its folder cannot be written (${String(codeOf(error))}): mount a folder that this user can write`
        : whyUnwritten(error);
      throw new StateFileError(`the state file ${shown} cannot be used: ${why}`);
    } finally {
      await rm(draft, { force: true });
    }
    throw new StateFileError(`the state file ${shown} is in use by another process ${AT_THE_SAME_TIME}`);
  }

  /** @throws Error if another process has taken the lock over, as after a long suspension. */
  async assertHeld(): Promise<void> {
    const holder = await readFile(this.name, "utf8").catch(() => this.own);
    if (holder !== this.own) throw new Error(`process ${holder.split(" ", 2).join(" on ")} uses it now`);
  }

  async release(): Promise<void> {
    realTimers.clearInterval(this.renewal);
    const holder = await holderOf(this.name);
    if (holder === this.own) await rm(this.name, { force: true });
  }

  private async renew(): Promise<void> {
    await this.assertHeld();
    const file = await open(this.name, "r+");
    await file.write(this.own, 0).finally(() => file.close());
  }
}

/** Removes a dead process's lock, one process at a time: otherwise a second would remove the lock that the first then takes. */
async function removeStale(name: string, holder: string, draft: string): Promise<void> {
  const claim = `${name}.stale`;
  try {
    await link(draft, claim);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new Error(`another process ${AT_THE_SAME_TIME} takes it over; if none does, delete ${claim}`);
  }
  try {
    if ((await holderOf(name)) === holder) await rm(name, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

/** Whether a lock's process of this host does not run, or did not renew it. */
async function isOver(holder: string, name: string, draft: string): Promise<boolean> {
  const [pid, host, , origin] = holder.split(" ");
  if (holder === "") return true;
  if (host === hostname())
    return Number(pid) === process.pid ? origin !== String(performance.timeOrigin) : !isRunning(Number(pid));
  // By the clock of the file system, which hosts share.
  const [held, latest] = await Promise.all([stat(name), stat(draft)]);
  return latest.mtimeMs - held.mtimeMs > STALE_MILLISECONDS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
