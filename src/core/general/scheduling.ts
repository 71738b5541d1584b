import { MessageChannel } from "node:worker_threads";
import { realTimers } from "./real-timers.ts";

/*
 * Long computations run in slices on the main thread, at most one slice per turn of the event loop, however many
 * computations are in progress: twenty at once slow each other down, but never the event loop.
 */
const waiting: (() => void)[] = [];

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

let last: Promise<unknown> = Promise.resolve();

/** Runs a job after all earlier ones. Waiting jobs do not keep the process alive. A failure is left to who needs the result. */
export function inBackground(job: () => Promise<unknown> | undefined): void {
  last = last
    .then(() => new Promise<void>((resolve) => afterThisTurn(resolve, false)))
    .then(job)
    .catch(() => {});
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
