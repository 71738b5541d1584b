import { MessageChannel } from "node:worker_threads";
import { realMilliseconds, realTimers } from "./real-timers.ts";

/*
 * Long computations run in slices on the main thread, at most one slice per turn of the event loop, however many
 * computations are in progress: twenty at once slow each other down, but never the event loop.
 */
const waiting: (() => void)[] = [];

/** A computation in steps of a few milliseconds at most. */
export type Steps<T> = Generator<undefined, T>;

/** A computation that may also wait: for each promise that it yields, unless its result is needed at once. */
export type LateSteps<T> = Generator<Promise<unknown> | undefined, T>;

/** Waits for a promise; undefined when the result of the computation is needed at once. */
export function* awaited<T>(promise: Promise<T>): LateSteps<T | undefined> {
  const end: { value?: T; failure?: { readonly error: unknown } } = {};
  yield promise.then(
    (value) => {
      end.value = value;
    },
    (error: unknown) => {
      end.failure = { error };
    },
  );
  if (end.failure) throw end.failure.error;
  return end.value;
}

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
    if (waiting.length === 1) afterThisTurn(releaseNext);
  });
}

function releaseNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) afterThisTurn(releaseNext);
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

interface Queued {
  readonly job: () => Promise<unknown>;
  readonly by: Wanted | undefined;
  /** Called instead when that has stopped. */
  readonly forget: (() => void) | undefined;
}

const background: Queued[] = [];
let isBackgroundBusy = false;

/**
 * Queues a job; each job starts in a later turn of the event loop. Queued jobs do not keep the process alive. A failure is
 * ignored: whoever needs the result computes it again.
 * @param by - when that has stopped, the job does not start, and `forget` is called
 */
export function runInBackground(job: () => Promise<unknown>, by?: Wanted, forget?: () => void): void {
  background.push({ job, by, forget });
  if (!isBackgroundBusy) runNextInBackground();
}

/** Forgets the jobs of those that have stopped, wherever these are in the queue. */
export function forgetStopped(): void {
  for (const { by, job, forget } of background.splice(0))
    if (by?.isStopped === true) forget?.();
    else background.push({ by, job, forget });
}

/** Forgets the first ones: going through all of a long queue for each job takes long. */
function skipStopped(): void {
  while (background[0]?.by?.isStopped === true) background.shift()?.forget?.();
}

function runNextInBackground(): void {
  skipStopped();
  isBackgroundBusy = background.length > 0;
  if (!isBackgroundBusy) return;
  inQuietTurn(() => {
    skipStopped();
    const next = background.shift();
    if (next === undefined) isBackgroundBusy = false;
    else next.job().then(runNextInBackground, runNextInBackground);
  });
}

/** Longer than from one image to the next when a client adds one after the other. */
const QUIET_MILLISECONDS = 20;
let quietFrom = 0;

/** When more jobs wait, whoever needs them all would wait for long. */
const MOST_POSTPONED = 64;

/** Keeps background work from slowing down what is being done now, and what follows it at once, unless many jobs wait. */
export function postponeBackground(): void {
  if (background.length <= MOST_POSTPONED) quietFrom = realMilliseconds() + QUIET_MILLISECONDS;
}

/** Does not keep the process alive. */
function inQuietTurn(action: () => void): void {
  const left = quietFrom - realMilliseconds();
  if (left > 0) realTimers.setTimeout(() => inQuietTurn(action), left).unref();
  else afterThisTurn(action, false);
}

/** A computation that runs in the background, until somebody needs its result. One that failed is begun again by the next. */
export class BackgroundJob<T> {
  #done: { readonly value: T } | undefined;
  #begin: (() => LateSteps<T>) | undefined;
  #forget: (() => void) | undefined;
  #steps: LateSteps<T> | undefined;
  /** What the computation waits for. */
  #awaited: Promise<unknown> | undefined;
  /** How many have it done in the background. */
  #starts = 0;

  /**
   * @param begin - begins the computation, which runs only once however many wait for it, unless it fails
   * @param forget - called when the background leaves it undone: it failed there, or all who started it have stopped
   */
  constructor(begin: () => LateSteps<T>, forget?: () => void) {
    this.#begin = begin;
    this.#forget = forget;
  }

  /** The result, if it is there already. */
  get known(): T | undefined {
    return this.#done?.value;
  }

  get isDone(): boolean {
    return this.#done !== undefined;
  }

  /** Runs the next step of the computation, unless it waits. False: more are left. A failure is left to those who need the result. */
  advance(): boolean {
    if (this.#done !== undefined) return true;
    if (this.#awaited !== undefined) return false;
    try {
      this.#step();
    } catch {
      return true;
    }
    return this.isDone;
  }

  /**
   * Queues the computation. Each of its steps has a turn of the event loop of its own, in which nobody waits for another one.
   * @param by - when that has stopped, the computation goes no further, unless somebody else started it, too
   */
  start(by?: Wanted): void {
    this.#starts += 1;
    const leave = () => {
      this.#starts -= 1;
      if (this.#starts === 0 && !this.isDone) this.#forget?.();
    };
    const steps = async () => {
      while (by?.isStopped !== true) {
        if (waiting.length === 0 && this.advance()) break;
        await this.#awaited;
        await new Promise<void>(inQuietTurn);
      }
      leave();
    };
    runInBackground(steps, by, leave);
  }

  /** Runs what is left of the computation, each step in a turn of its own. @throws what the computation throws. */
  async result(): Promise<T> {
    while (this.#done === undefined) {
      await this.#awaited;
      await yieldToEventLoop();
      // Somebody else may have needed it, too.
      if (this.#awaited === undefined) this.#step();
    }
    return this.#done.value;
  }

  /** Runs what is left of the computation at once. @throws what the computation throws. */
  atOnce(): T {
    while (this.#done === undefined) this.#step();
    return this.#done.value;
  }

  #step(): void {
    if (this.#done !== undefined) return;
    try {
      this.#steps ??= this.#begin?.();
      const step = this.#steps?.next();
      this.#await(step?.done === false ? step.value : undefined);
      if (step?.done !== true) return;
      this.#done = { value: step.value };
      // What they hold may be large.
      this.#begin = undefined;
      this.#forget = undefined;
      this.#steps = undefined;
    } catch (error) {
      this.#steps = undefined;
      throw error;
    }
  }

  #await(promise: Promise<unknown> | undefined): void {
    const ended = promise?.finally(() => {
      if (this.#awaited === ended) this.#awaited = undefined;
    });
    this.#awaited = ended;
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
