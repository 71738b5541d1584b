import type { Terminal } from "./arguments.ts";

/** How often a line is drawn again at most. */
const PAUSE_MILLISECONDS = 100;
const CLEAR_LINE = "\r\u001b[K";

/**
 * Shows how far long work is, how fast it goes and how long it will take, in one line that disappears at the end. Shows nothing
 * unless the terminal is one.
 */
export function progressOf(
  what: string,
  { showProgress }: Terminal,
  now: () => number = () => performance.now(),
): (done: number, total: number) => void {
  if (showProgress === undefined) return () => {};
  const start = now();
  let shownAt = start;
  return (done, total) => {
    const time = now();
    if (done >= total) return showProgress(CLEAR_LINE);
    if (time - shownAt < PAUSE_MILLISECONDS) return;
    shownAt = time;
    const perSecond = (done * 1000) / (time - start);
    const left = Math.ceil((total - done) / perSecond);
    showProgress(`${CLEAR_LINE}${done} of ${total} ${what}, ${perSecond.toFixed(1)}/s, ${left} s left`);
  };
}
