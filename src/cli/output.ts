import type { Writable } from "node:stream";
import { realTimers } from "../core/general/real-timers.ts";
import type { LogFormat } from "../options/option.ts";
import type { LogTarget } from "../servers/log.ts";
import type { StartProgress } from "../servers/server.ts";
import type { Terminal } from "./arguments.ts";

/** Bytes that may wait for the log's reader. Further lines are dropped and counted. */
const MAX_WAITING = 2 ** 20;

/** The log on standard error. A slow reader or a closed pipe never stops, blocks or keeps alive the process. */
export class LogOutput {
  private dropped = 0;

  constructor(private readonly stream: Writable) {
    stream.on("error", () => {});
  }

  write(text: string): void {
    if (this.stream.destroyed) return;
    if (this.stream.writableLength > MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    if (this.dropped > 0)
      this.stream.write(`${JSON.stringify({ level: "warn", droppedLines: this.dropped })}\n`);
    this.dropped = 0;
    this.stream.write(text);
  }

  /** Resolves with false if the time is over before everything is written. */
  async drain(milliseconds: number): Promise<boolean> {
    if (this.stream.destroyed || this.stream.writableLength === 0) return true;
    return new Promise((resolve) => {
      const timer = realTimers.setTimeout(() => resolve(false), milliseconds);
      const done = () => {
        realTimers.clearTimeout(timer);
        resolve(true);
      };
      this.stream.write("", done);
    });
  }
}

/** By default, readable lines at a terminal and JSON elsewhere. */
export function logOf(terminal: Terminal, format: LogFormat | undefined): LogTarget {
  const isTerminal = terminal.showProgress !== undefined;
  return {
    write: (line) => terminal.complain(line),
    format: format ?? (isTerminal ? "text" : "json"),
    colours: isTerminal && (terminal.environment.NO_COLOR ?? "") === "",
  };
}

const PAUSE_MILLISECONDS = 100;
const CLEAR_LINE = "\r\u001b[K";

/** Shows progress, speed and remaining time in one line, which disappears at the end. Without `show`, shows nothing. */
export function progressOf(
  what: string,
  show: Terminal["showProgress"],
  now: () => number = () => performance.now(),
): (done: number, total: number, doing?: string) => void {
  if (show === undefined) return () => {};
  const start = now();
  let shownAt = start;
  return (done, total, doing) => {
    const time = now();
    if (done >= total) return show(CLEAR_LINE);
    if (time - shownAt < PAUSE_MILLISECONDS) return;
    shownAt = time;
    const perSecond = (done * 1000) / (time - start);
    const left = Math.ceil((total - done) / perSecond);
    const rate = done === 0 ? "" : `, ${perSecond.toFixed(1)}/s, ${left} s left`;
    show(`${CLEAR_LINE}${done} of ${total} ${what}${rate}${doing === undefined ? "" : `: ${doing}`}`);
  };
}

export function startProgressOf(show: Terminal["showProgress"]): StartProgress {
  const shown = { targets: progressOf("targets", show), state: progressOf("MB of state", show) };
  return (what, done, total) => shown[what](done, total);
}
