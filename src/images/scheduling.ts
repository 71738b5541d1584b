import { MessageChannel } from "node:worker_threads";

/*
 * Long computations run in slices on the main thread, at most one slice per turn of the event loop, however many
 * computations are under way: twenty at once make each one slower, never the loop.
 */
const waiting: (() => void)[] = [];

/** Waits for a turn of the event loop of one's own. Await it before each slice (aim at 3 ms or less of work). */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) releaseOnePerTurn();
  });
}

function releaseOnePerTurn(): void {
  afterThisTurn(() => {
    waiting.shift()?.();
    if (waiting.length > 0) releaseOnePerTurn();
  });
}

/**
 * By a message, because no fake timers replace it as they do setImmediate; on a channel of its own, because Node delivers
 * up to 1000 messages of one channel in a row, without looking at timers and sockets in between.
 */
function afterThisTurn(action: () => void, keepsProcessAlive = true): void {
  const { port1, port2 } = new MessageChannel();
  port2.once("message", () => {
    port2.close();
    action();
  });
  if (!keepsProcessAlive) port2.unref();
  port1.postMessage(null);
}

const background: (() => Promise<unknown>)[] = [];
let isBackgroundBusy = false;

/**
 * Runs a job after those that wait already, each in a later turn of the event loop. What has not begun when the process has
 * nothing else to do is never done. A job that fails is nobody's concern: whoever needs its result asks for it again.
 */
export function runInBackground(job: () => Promise<unknown>): void {
  background.push(job);
  if (!isBackgroundBusy) runNextInBackground();
}

function runNextInBackground(): void {
  isBackgroundBusy = background.length > 0;
  if (!isBackgroundBusy) return;
  afterThisTurn(() => {
    background.shift()?.().then(runNextInBackground, runNextInBackground);
  }, false);
}

/** Lets a limited number of jobs run at a time; the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Runs a job when there is a place for it. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
