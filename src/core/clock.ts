/** The one source of time. Times inside the emulator are milliseconds since the epoch. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

/** The process's own clock; follows fake timers, which replace `Date`. */
export const systemClock: Clock = { now: () => new Date(Date.now()) };

/** How a clock that was moved differs from the one under it; all that another server has to know of it. */
export interface ClockSetting {
  /** Milliseconds that it is ahead. */
  readonly ahead: number;
  /** Where it stands still, in milliseconds since the epoch; null: it runs. */
  readonly frozenAt: number | null;
}

/** As the clock under it. */
export const UNMOVED: ClockSetting = { ahead: 0, frozenAt: null };

/** The emulator's clock: the one it was given, until the target manager's API moves or freezes it. */
export class MovableClock implements Clock {
  constructor(
    private readonly base: Clock,
    public setting: ClockSetting = UNMOVED,
  ) {}

  now(): Date {
    const { ahead, frozenAt } = this.setting;
    return new Date(frozenAt ?? this.base.now().getTime() + ahead);
  }

  get isFrozen(): boolean {
    return this.setting.frozenAt !== null;
  }

  /** Puts it to a moment, in milliseconds since the epoch, from where it runs on or not. */
  set(moment: number, frozen = this.isFrozen): void {
    this.setting = frozen
      ? { ahead: 0, frozenAt: moment }
      : { ahead: moment - this.base.now().getTime(), frozenAt: null };
  }

  /** The clock for one request: what the clock under it said when the request arrived, and how it is set now. */
  at(arrival: Date): MovableClock {
    return new MovableClock({ now: () => arrival }, this.setting);
  }

  reset(): void {
    this.setting = UNMOVED;
  }
}

/**
 * A clock that stands still until it is moved. Give it to a mock, and processing, report readiness, rate limits and
 * skew checks depend on nothing else.
 *
 * @example
 * const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
 * await using mock = new MockCloudReco({ clock });
 * clock.advance(2);
 */
export class ManualClock implements Clock {
  #milliseconds: number;

  /** @param start - where it stands at first; absent means the present moment. */
  constructor(start: Date = systemClock.now()) {
    this.#milliseconds = checked(start.getTime(), start);
  }

  now(): Date {
    return new Date(this.#milliseconds);
  }

  /**
   * Moves the clock.
   *
   * @param seconds - any finite number; negative moves it back.
   * @throws RangeError when it is not finite.
   */
  advance(seconds: number): void {
    this.#milliseconds = checked(this.#milliseconds + seconds * 1000, seconds);
  }

  /**
   * Puts the clock to a moment, earlier or later.
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
    `a ManualClock cannot be set by ${String(given)}; accepted are valid dates and finite numbers of seconds`,
  );
}

/** Taken before any fake timers are installed: waits and durations are real whatever a test does to the clock. */
const realSetTimeout = setTimeout;
const realPerformance = performance;
const realNow = performance.now;

/** The longest that a timer can wait, in milliseconds; a longer one would run at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits in real time, however long. */
export async function realDelay(seconds: number): Promise<void> {
  let left = seconds * 1000;
  do {
    const step = Math.min(left, LONGEST_TIMER);
    await new Promise((resolve) => realSetTimeout(resolve, step));
    left -= step;
  } while (left > 0);
}

/** Milliseconds of real time since an arbitrary moment. */
export function realMilliseconds(): number {
  return realNow.call(realPerformance);
}
