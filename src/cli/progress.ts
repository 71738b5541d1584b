import type { StartProgress } from "../servers/start-progress.ts";
import type { Terminal } from "./arguments.ts";

/** Called with how much is done, and how much there is. */
export type Progress = (done: number, total: number) => void;

/** How often a line is drawn again at most. */
const PAUSE_MILLISECONDS = 100;
const CLEAR_LINE = "\r\u001b[K";

/**
 * Shows how far long work is, how fast it goes and how long it will take, in one line that disappears at the end.
 *
 * @param show - writes to a terminal; undefined: there is none, and nothing is shown.
 */
export function progressOf(
  what: string,
  show: Terminal["showProgress"],
  now: () => number = () => performance.now(),
): Progress {
  if (show === undefined) return () => {};
  const start = now();
  let shownAt = start;
  return (done, total) => {
    const time = now();
    if (done >= total) return show(CLEAR_LINE);
    if (time - shownAt < PAUSE_MILLISECONDS) return;
    shownAt = time;
    const perSecond = (done * 1000) / (time - start);
    const left = Math.ceil((total - done) / perSecond);
    show(`${CLEAR_LINE}${done} of ${total} ${what}, ${perSecond.toFixed(1)}/s, ${left} s left`);
  };
}

/** The same for what servers do when they start. */
export function startProgressOf(show: Terminal["showProgress"]): StartProgress {
  const shown = { targets: progressOf("targets", show), state: progressOf("MB of state", show) };
  return (what, done, total) => shown[what](done, total);
}
