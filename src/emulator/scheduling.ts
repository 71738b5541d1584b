import { MessageChannel } from "node:worker_threads";

/*
 * Long computations run in slices on the main thread, at most one slice per turn of the event loop, however many
 * computations are in progress: twenty at once slow each other down, but never the event loop.
 */
const waiting: (() => void)[] = [];

/** A computation in steps of a few milliseconds at most. */
export type Steps<T> = Generator<undefined, T>;

/** Runs a computation to its end at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs each step of a computation in a turn of the event loop of its own. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}

/** Resolves in a turn of the event loop of its own. Await it before each slice of work (aim for 3 ms or less). */
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
 * Uses a message, because fake timers replace setImmediate, and a separate channel, because Node delivers up to 1000 messages
 * of one channel in a row without serving timers and sockets in between.
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
 * Queues a job; each job starts in a later turn of the event loop. Queued jobs do not keep the process alive. A failure is
 * ignored: whoever needs the result computes it again.
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

  /** Runs a job as soon as the limit allows. */
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
