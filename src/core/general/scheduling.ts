import { MessageChannel } from "node:worker_threads";
import { realMilliseconds, realTimers } from "./real-timers.ts";

/*
 * Long computations run in slices on the main thread, one slice in a turn of the event loop, however many computations are in
 * progress: twenty at once slow each other down, but never the event loop. If all else took longer in a turn, several
 * slices may run: many requests slow the computations down, but do not stop them.
 */
const waiting: (() => void)[] = [];
let isResuming = false;
/** Milliseconds after which no further slice begins in a turn: with more, a pause of all else, such as garbage collection, gets longer. */
const MOST_OF_TURN = 2;
const { nextTick } = process;

/** Resolves in a later turn of the event loop. Await it before each slice of work (aim for 3 ms or less). */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    resumeSoon();
  });
}

function resumeSoon(): void {
  if (isResuming || waiting.length === 0) return;
  isResuming = true;
  const before = realMilliseconds();
  // A message would take 25 µs longer.
  realTimers.setImmediate(() => {
    const now = realMilliseconds();
    resume(now + Math.min(now - before, MOST_OF_TURN));
  });
}

function resume(end: number): void {
  waiting.shift()?.();
  // The slice runs before the next tick.
  void Promise.resolve().then(() =>
    nextTick(() => {
      if (waiting.length > 0 && realMilliseconds() < end) return resume(end);
      isResuming = false;
      resumeSoon();
    }),
  );
}

/** How many requests may begin in one turn of the event loop. */
const REQUESTS_PER_TURN = 8;
const waitingRequests: (() => void)[] = [];
let begunRequests = 0;
let mostOfTurn = REQUESTS_PER_TURN;
let mostOfNextTurn = REQUESTS_PER_TURN;
let accepted = 0;

/**
 * Call it for each connection that a server accepts. Node accepts one in each turn of the event loop: while others may wait, turns
 * are short, with one request in each.
 */
export function connectionAccepted(): void {
  mostOfNextTurn = 1;
  accepted += 1;
}

/** How many connections the servers of this process have accepted. */
export const acceptedConnections = (): number => accepted;

/**
 * Await it before a request is answered: hundreds of clients may send one each in the same turn. Undefined: it may begin at
 * once. Those that wait begin in order.
 */
export function turnOfRequest(): Promise<void> | undefined {
  // A message would take 15 µs longer, for each request.
  if (begunRequests === 0) realTimers.setImmediate(beginRequests);
  if (begunRequests < mostOfTurn) {
    begunRequests += 1;
    return undefined;
  }
  return new Promise((resolve) => {
    waitingRequests.push(resolve);
  });
}

function beginRequests(): void {
  mostOfTurn = mostOfNextTurn;
  mostOfNextTurn = REQUESTS_PER_TURN;
  const beginning = waitingRequests.splice(0, mostOfTurn);
  begunRequests = beginning.length;
  if (begunRequests > 0) realTimers.setImmediate(beginRequests);
  for (const begin of beginning) begin();
}

/**
 * Uses a message, because a `setImmediate` that does not keep the process alive waits for the next event, and a separate channel,
 * because Node delivers up to 1000 messages of one channel in a row without serving timers and sockets in between.
 */
function afterThisTurn(action: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port2.once("message", () => {
    port2.close();
    action();
  });
  port2.unref();
  port1.postMessage(null);
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a job after all earlier ones. Waiting jobs do not keep the process alive. Errors are ignored here: the code that awaits the result gets them. */
export function inBackground(job: () => Promise<unknown> | undefined): void {
  last = last
    .then(() => new Promise<void>((resolve) => afterThisTurn(resolve)))
    .then(job)
    .catch(() => {});
}

const waitingForSpareTime: (() => void)[] = [];
/** What waits may hold a megabyte of pixels. */
const MOST_WAITING = 4;
const LONGEST_WAIT_MS = 10;
let isSpareTimeSet = false;

/** Resolves when {@link useSpareTime} is called, or soon: what follows hardly delays requests. */
export function spareTime(): Promise<void> {
  if (!isSpareTimeSet)
    realTimers
      .setTimeout(() => {
        isSpareTimeSet = false;
        useSpareTime();
      }, LONGEST_WAIT_MS)
      .unref();
  isSpareTimeSet = true;
  return new Promise((resolve) => {
    waitingForSpareTime.push(resolve);
    if (waitingForSpareTime.length > MOST_WAITING) waitingForSpareTime.shift()?.();
  });
}

/** Call it when this thread begins to wait for another one, and before it waits for what is made in spare time. */
export function useSpareTime(): void {
  for (const resolve of waitingForSpareTime.splice(0)) resolve();
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
