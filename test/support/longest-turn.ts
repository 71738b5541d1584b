import { existsSync, readFileSync } from "node:fs";

/** How long timers and other requests may have to wait, in milliseconds. */
export const LIMIT_MILLISECONDS = 50;

/** Where Linux reports how long the main thread has been running: nanoseconds, up to the first space. */
const RUNNING_TIME = `/proc/self/task/${process.pid}/schedstat`;

/** Running time of the thread in milliseconds; on other systems, elapsed time, which includes other work of the machine. */
const runningTime = existsSync(RUNNING_TIME)
  ? () => Number(readFileSync(RUNNING_TIME, "latin1").split(" ", 1)[0]) / 1e6
  : () => performance.now();

/** The longest turn of the shortest of up to three runs: on a loaded machine, one run may wait for others' memory and caches. */
export async function longestTurnOf(
  action: () => Promise<unknown>,
  limit = LIMIT_MILLISECONDS,
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && best >= limit; run += 1) best = Math.min(best, await longestTurn(action));
  return best;
}

/** The longest turn of the event loop during an action, in milliseconds, which is how long timers had to wait. */
async function longestTurn(action: () => Promise<unknown>): Promise<number> {
  using turns = watchTurns();
  await action();
  return turns.take();
}

/** Measures turns of the event loop until it is disposed. */
export function watchTurns(): Disposable & {
  /** The longest turn since the last call, in milliseconds. */
  take(): number;
} {
  let last = runningTime();
  let longest = 0;
  let isWatched = true;
  const endTurn = () => {
    const now = runningTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turn = () => {
    if (!isWatched) return;
    endTurn();
    setImmediate(turn);
  };
  setImmediate(turn);
  return {
    take() {
      endTurn();
      const taken = longest;
      longest = 0;
      return taken;
    },
    [Symbol.dispose]() {
      isWatched = false;
    },
  };
}
