/** The one source of time (protocol section 2). Times inside the emulator are milliseconds since the epoch. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

/** The process's own clock; follows fake timers, which replace `Date`. */
export const systemClock: Clock = { now: () => new Date(Date.now()) };
