import { clearImmediate, setImmediate } from "node:timers";

/** The limit is divided into steps, because a stall of this process counts as a single step, however long it takes. */
const STEPS = 4;

/**
 * Calls a function once after a period without activity. Time in which this process was stalled (a breakpoint, SIGSTOP, a busy
 * event loop) does not count, because data that arrived then has not been read yet.
 */
export class IdleTimer {
  private idleSteps = 0;
  private readonly timer: NodeJS.Timeout;
  private last: NodeJS.Immediate | undefined;

  constructor(milliseconds: number, onIdle: () => void) {
    this.timer = setInterval(() => {
      this.idleSteps += 1;
      // Timers run before received data is read, so decide after reading it.
      if (this.idleSteps >= STEPS) this.last = setImmediate(() => this.decide(onIdle));
    }, milliseconds / STEPS);
  }

  /** Records activity, which restarts the period. */
  note(): void {
    this.idleSteps = 0;
    this.timer.refresh();
  }

  stop(): void {
    clearInterval(this.timer);
    clearImmediate(this.last);
  }

  private decide(onIdle: () => void): void {
    if (this.idleSteps < STEPS) return;
    this.stop();
    onIdle();
  }
}
