import { types } from "node:util";
import { realMilliseconds, realTimers } from "../general/real-timers.ts";
import { show } from "../general/text.ts";
import { wrongResult } from "../general/user-function.ts";
import { END_OF_CLOCKS, isClockTimestamp } from "../schema/zod/values.ts";

/** The one source of time. Times inside the emulator are milliseconds since the epoch. */
export interface Clock {
  /** The current time. A request fails if the result is no valid `Date`. */
  now(): Date;
}

/** A clock with microsecond resolution. */
abstract class PreciseClock implements Clock {
  /** Milliseconds since the epoch, with three decimals. */
  abstract moment(): number;

  now(): Date {
    return new Date(Math.floor(this.moment()));
  }
}

/** The clock's time in milliseconds since the epoch, with microseconds if it has them. */
export const momentOf = (clock: Clock): number =>
  clock instanceof PreciseClock ? clock.moment() : millisecondsOf(clock);

/** @throws TypeError naming the option if a user's clock returns no valid date. */
function millisecondsOf(clock: Clock): number {
  const now: unknown = clock.now();
  // Not by its class: tests of Jest have a `Date` of another realm.
  const milliseconds = types.isDate(now) ? now.getTime() : Number.NaN;
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw wrongResult("`now` of the option clock", "a valid Date", now);
}

/** Whether an option can be this clock. Later readings are checked when they are used. */
export function isUsableClock(given: unknown): boolean {
  try {
    return isClockTimestamp(momentOf(given as Clock));
  } catch {
    return false;
  }
}

// Captured before any fake timers are installed, so that durations stay real.
const realPerformance = performance;
const realDateNow = Date.now;
/** False if this module was loaded after fake timers were installed. */
const dateWasReal = /\[native code\]/.test(Function.prototype.toString.call(realDateNow));

/**
 * Adds microseconds to the milliseconds of `Date`, from a timer with another zero, which ignores corrections of the system's
 * time. Up to a thousand readings in a millisecond differ and are in order: a running clock keeps the order of creation.
 */
export class Microseconds {
  private last = Number.NEGATIVE_INFINITY;

  /** @param zero - timestamp at which the timer was 0, in milliseconds since the epoch. */
  constructor(private zero: number) {}

  /** Returns a timestamp in this millisecond of `Date`, with three decimals. */
  moment(milliseconds: number, timer: number): number {
    let moment = this.zero + timer;
    if (moment < milliseconds || moment >= milliseconds + 1) {
      moment = moment < milliseconds ? milliseconds : milliseconds + 0.5;
      this.zero = moment - timer;
    }
    const following = this.last < milliseconds + 1 ? this.last + 0.001 : 0;
    moment = Math.min(Math.max(moment, following), milliseconds + 0.999);
    this.last = Math.round(moment * 1000) / 1000;
    return this.last;
  }
}

/** The clock of `Date`, with microseconds unless fake timers replace it. */
class SystemClock extends PreciseClock {
  private readonly microseconds = new Microseconds(realPerformance.timeOrigin);

  override now(): Date {
    return new Date(Date.now());
  }

  override moment(): number {
    const milliseconds = Date.now();
    const isReal = dateWasReal && Date.now === realDateNow;
    return isReal ? this.microseconds.moment(milliseconds, realMilliseconds()) : milliseconds;
  }
}

/** The system clock; follows fake timers, which replace `Date`. */
export const systemClock: Clock = new SystemClock();

class FixedClock extends PreciseClock {
  constructor(private readonly fixed: number) {
    super();
  }

  override moment(): number {
    return this.fixed;
  }
}

/** How a movable clock differs from its base clock. */
export interface ClockShift {
  /** How far it is ahead of the base clock, in milliseconds. */
  readonly ahead: number;
  /** The time at which it is frozen, in milliseconds since the epoch; null while it runs. */
  readonly frozenAt: number | null;
}

export const UNMOVED: ClockShift = { ahead: 0, frozenAt: null };

/**
 * The emulator's clock: follows its base clock until the target manager's API moves or freezes it. It does not leave the years
 * that date formats can write.
 */
export class MovableClock extends PreciseClock {
  constructor(
    private readonly base: Clock,
    public shift: ClockShift = UNMOVED,
  ) {
    super();
  }

  override moment(): number {
    const { ahead, frozenAt } = this.shift;
    return frozenAt ?? Math.min(Math.max(momentOf(this.base) + ahead, 0), END_OF_CLOCKS);
  }

  get isFrozen(): boolean {
    return this.shift.frozenAt !== null;
  }

  /** How far it is ahead of its base clock now, in milliseconds; negative: behind. */
  get lead(): number {
    return this.now().getTime() - millisecondsOf(this.base);
  }

  /** Sets the clock, in milliseconds since the epoch; it then runs on, unless it is frozen. */
  set(moment: number, frozen = this.isFrozen): void {
    this.shift = frozen
      ? { ahead: 0, frozenAt: moment }
      : { ahead: moment - millisecondsOf(this.base), frozenAt: null };
  }

  /** The clock for one request: the base clock's moment at its arrival, shifted as now. */
  at(arrival: number): MovableClock {
    return new MovableClock(new FixedClock(arrival), this.shift);
  }

  reset(): void {
    this.shift = UNMOVED;
  }
}

/**
 * A clock that moves only when told to. It makes a mock's processing, report readiness, rate limits and time skew checks
 * deterministic.
 *
 * @example
 * const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
 * await using mock = new MockCloudReco({ clock });
 * clock.advance(2);
 */
export class ManualClock implements Clock {
  #milliseconds: number;

  /**
   * @param start - its initial time; default: now.
   * @throws RangeError when it is no date, or an invalid one.
   */
  constructor(start: Date = systemClock.now()) {
    this.#milliseconds = checkedMoment(start);
  }

  now(): Date {
    return new Date(this.#milliseconds);
  }

  /**
   * Moves the clock forward.
   *
   * @param seconds - any finite number; a negative one moves the clock back.
   * @throws RangeError when it is not a finite number.
   */
  advance(seconds: number): void {
    const moved = typeof seconds === "number" ? this.#milliseconds + seconds * 1000 : Number.NaN;
    this.#milliseconds = validMoment(moved, show(seconds));
  }

  /**
   * Sets the clock to an earlier or later moment.
   *
   * @throws RangeError when `moment` is an invalid date.
   */
  set(moment: Date): void {
    this.#milliseconds = checkedMoment(moment);
  }
}

function validMoment(milliseconds: number, given: string): number {
  if (!Number.isNaN(new Date(milliseconds).getTime())) return milliseconds;
  throw new RangeError(`ManualClock: expected a valid date or a finite number of seconds; got ${given}`);
}

function checkedMoment(given: unknown): number {
  if (types.isDate(given)) return validMoment(given.getTime(), String(given));
  throw new RangeError(
    `ManualClock: expected a Date, as new Date("2026-11-21T10:42:00Z") makes it; got ${show(given)}`,
  );
}

/** Node's longest timeout, in milliseconds; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits in real time. Only the client's connection keeps the process alive meanwhile. */
export const delayWhileConnected = (seconds: number): Promise<void> => realDelay(seconds, undefined, false);

/** Waits in real time, however long, or until the signal is aborted. */
export async function realDelay(
  seconds: number,
  signal?: AbortSignal,
  keepsProcessAlive = true,
): Promise<void> {
  let left = seconds * 1000;
  do {
    const step = Math.min(left, LONGEST_TIMER);
    await new Promise<void>((resolve) => {
      const end = () => {
        realTimers.clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = realTimers.setTimeout(end, step);
      if (!keepsProcessAlive) timer.unref();
      signal?.addEventListener("abort", end);
    });
    left -= step;
  } while (left > 0 && signal?.aborted !== true);
}
