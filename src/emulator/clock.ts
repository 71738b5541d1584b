import { asClockMoment } from "../schema/kernel/values.ts";

/** The one source of time. Times inside the emulator are milliseconds since the epoch. */
export interface Clock {
  /** The current time. */
  now(): Date;
}

/** The system clock; follows fake timers, which replace `Date`. */
export const systemClock: Clock = { now: () => new Date(Date.now()) };

/** How a movable clock differs from its base clock: all that another server needs to know about it. */
export interface ClockSetting {
  /** How far it is ahead of the base clock, in milliseconds. */
  readonly ahead: number;
  /** The time at which it is frozen, in milliseconds since the epoch; null while it runs. */
  readonly frozenAt: number | null;
}

/** The same as the base clock. */
export const UNMOVED: ClockSetting = { ahead: 0, frozenAt: null };

/**
 * The emulator's clock: follows its base clock until the target manager's API moves or freezes it. Stands still outside the
 * years that it can be set to, because no date format could write it.
 */
export class MovableClock implements Clock {
  constructor(
    private readonly base: Clock,
    public setting: ClockSetting = UNMOVED,
  ) {}

  now(): Date {
    const { ahead, frozenAt } = this.setting;
    return new Date(frozenAt ?? asClockMoment(this.base.now().getTime() + ahead));
  }

  get isFrozen(): boolean {
    return this.setting.frozenAt !== null;
  }

  /** How far it is ahead of its base clock now, in milliseconds; negative: behind. */
  get lead(): number {
    return this.now().getTime() - this.base.now().getTime();
  }

  /** Sets the clock, in milliseconds since the epoch; it then runs on, unless it is frozen. */
  set(moment: number, frozen = this.isFrozen): void {
    this.setting = frozen
      ? { ahead: 0, frozenAt: moment }
      : { ahead: moment - this.base.now().getTime(), frozenAt: null };
  }

  /** The clock for one request: the base clock's time at its arrival, with the current setting. */
  at(arrival: Date): MovableClock {
    return new MovableClock({ now: () => arrival }, this.setting);
  }

  reset(): void {
    this.setting = UNMOVED;
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

  /** @param start - its initial time; default: now. */
  constructor(start: Date = systemClock.now()) {
    this.#milliseconds = checked(start.getTime(), start);
  }

  now(): Date {
    return new Date(this.#milliseconds);
  }

  /**
   * Moves the clock forward.
   *
   * @param seconds - any finite number; a negative one moves the clock back.
   * @throws RangeError when it is not finite.
   */
  advance(seconds: number): void {
    this.#milliseconds = checked(this.#milliseconds + seconds * 1000, seconds);
  }

  /**
   * Sets the clock to an earlier or later moment.
   *
   * @throws RangeError when `moment` is an invalid date.
   */
  set(moment: Date): void {
    this.#milliseconds = checked(moment.getTime(), moment);
  }
}

function checked(milliseconds: number, given: unknown): number {
  if (!Number.isNaN(new Date(milliseconds).getTime())) return milliseconds;
  throw new RangeError(
    `ManualClock: expected a valid date or a finite number of seconds; got ${String(given)}`,
  );
}

/** Captured before any fake timers are installed, so that waits and durations stay real. */
const realSetTimeout = setTimeout;
const realClearTimeout = clearTimeout;
const realPerformance = performance;
const realNow = performance.now;

/** Node's longest timeout, in milliseconds; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits in real time, however long, or until the signal is aborted. */
export async function realDelay(seconds: number, signal?: AbortSignal): Promise<void> {
  let left = seconds * 1000;
  do {
    const step = Math.min(left, LONGEST_TIMER);
    await new Promise<void>((resolve) => {
      const end = () => {
        realClearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = realSetTimeout(end, step);
      signal?.addEventListener("abort", end);
    });
    left -= step;
  } while (left > 0 && signal?.aborted !== true);
}

/** Milliseconds of real time since an arbitrary moment. */
export function realMilliseconds(): number {
  return realNow.call(realPerformance);
}
