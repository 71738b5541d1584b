/** A limit is this many steps; the process's own stall lasts only one of them, however long it is. */
const STEPS = 4;

/**
 * Runs a function once when nothing was noted for a while. Time in which this process itself stood still (a breakpoint,
 * SIGSTOP, a busy event loop) does not count, because what arrived meanwhile has not been read yet.
 */
export class IdleTimer {
  private idleSteps = 0;
  private readonly timer: NodeJS.Timeout;
  private last: NodeJS.Immediate | undefined;

  constructor(milliseconds: number, onIdle: () => void) {
    this.timer = setInterval(() => {
      this.idleSteps += 1;
      // Timers run before what was received is read: that comes first.
      if (this.idleSteps >= STEPS) this.last = setImmediate(() => this.decide(onIdle));
    }, milliseconds / STEPS);
  }

  /** Something happened: the wait begins anew. */
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
