import { type Clock, systemClock } from "./clock.ts";

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
