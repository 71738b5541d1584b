import { MessageChannel } from "node:worker_threads";
import { realTimers } from "./real-timers.ts";

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

/** How many requests may begin in one turn of the event loop. */
const REQUESTS_PER_TURN = 8;
const waitingRequests: (() => void)[] = [];
let begunRequests = 0;

/**
 * Await it before a request is answered: hundreds of clients may send one each in the same turn. Undefined: it may begin at
 * once. Those that wait begin in order.
 */
export function turnOfRequest(): Promise<void> | undefined {
  // A message would take 15 µs longer, for each request.
  if (begunRequests === 0) realTimers.setImmediate(beginRequests);
  if (begunRequests < REQUESTS_PER_TURN) {
    begunRequests += 1;
    return undefined;
  }
  return new Promise((resolve) => {
    waitingRequests.push(resolve);
  });
}

function beginRequests(): void {
  const beginning = waitingRequests.splice(0, REQUESTS_PER_TURN);
  begunRequests = beginning.length;
  if (begunRequests > 0) realTimers.setImmediate(beginRequests);
  for (const begin of beginning) begin();
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

/** Says whether the work of somebody, such as a mock, is still wanted. */
export interface Wanted {
  /** Once it is true, none of that work begins or goes on until somebody needs its result. */
  isStopped: boolean;
}

const background: { readonly job: () => Promise<unknown>; readonly by: Wanted | undefined }[] = [];
let isBackgroundBusy = false;

/**
 * Queues a job; each job starts in a later turn of the event loop. Queued jobs do not keep the process alive. A failure is
 * ignored: whoever needs the result computes it again.
 * @param by - when that has stopped, the job does not start
 */
export function runInBackground(job: () => Promise<unknown>, by?: Wanted): void {
  background.push({ job, by });
  if (!isBackgroundBusy) runNextInBackground();
}

function runNextInBackground(): void {
  while (background[0]?.by?.isStopped === true) background.shift();
  isBackgroundBusy = background.length > 0;
  if (!isBackgroundBusy) return;
  afterThisTurn(() => {
    const next = background.shift();
    if (next?.by?.isStopped === true) runNextInBackground();
    else next?.job().then(runNextInBackground, runNextInBackground);
  }, false);
}

/** A computation that runs in the background, until somebody needs its result. */
export class BackgroundJob<T> {
  #settled: { readonly value: T } | { readonly error: unknown } | undefined;
  #steps: Steps<T> | undefined;

  /** @param steps - runs only once, however many wait for it. */
  constructor(steps: Steps<T>) {
    this.#steps = steps;
  }

  /** The result, if it is there already. */
  get known(): T | undefined {
    return this.#settled && "value" in this.#settled ? this.#settled.value : undefined;
  }

  get isSettled(): boolean {
    return this.#settled !== undefined;
  }

  /** Runs the next step of the computation. False: more are left. */
  advance(): boolean {
    if (!this.isSettled) this.#step();
    return this.isSettled;
  }

  /** Queues the computation. Each of its steps has a turn of the event loop of its own, in which nobody waits for another one. */
  start(by?: Wanted): void {
    runInBackground(async () => {
      while (!this.isSettled && by?.isStopped !== true) {
        if (waiting.length === 0) this.advance();
        await new Promise<void>((resolve) => afterThisTurn(resolve, false));
      }
    }, by);
  }

  /** Runs what is left of the computation, each step in a turn of its own. @throws what the computation throws. */
  async result(): Promise<T> {
    while (!this.isSettled) {
      await yieldToEventLoop();
      // Somebody may have needed it at once in the meantime.
      this.advance();
    }
    return this.atOnce();
  }

  /** Runs what is left of the computation at once. @throws what the computation throws. */
  atOnce(): T {
    while (this.#settled === undefined) this.#step();
    if ("error" in this.#settled) throw this.#settled.error;
    return this.#settled.value;
  }

  #step(): void {
    try {
      const step = this.#steps?.next();
      if (step?.done === true) this.#settled = { value: step.value };
    } catch (error) {
      this.#settled = { error };
    }
    // What the steps hold may be large.
    if (this.isSettled) this.#steps = undefined;
  }
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
