import type { Clock, MovableClock } from "../core/emulator/clock.ts";
import { CLOCK_YEARS, isClockTimestamp } from "../core/schema/zod/values.ts";

/** The clock of an emulator, which starts as the one of its options. */
export interface MockClock extends Clock {
  /** Whether the clock is frozen. */
  readonly isFrozen: boolean;
  /**
   * Sets the clock, which then runs on unless it is frozen.
   *
   * @param frozen - stops the clock, or lets it run. Default: as it is.
   * @throws RangeError outside the years 1970 to 9999.
   */
  set(moment: Date, frozen?: boolean): void;
  /**
   * Moves the clock forward; back when `seconds` is negative.
   *
   * @throws RangeError as {@link set} does.
   */
  advance(seconds: number): void;
  /** Undoes every change to the clock. */
  reset(): void;
}

export function mockClock(current: () => MovableClock): MockClock {
  const set = (moment: number, frozen?: boolean): void => {
    if (!isClockTimestamp(moment))
      throw new RangeError(`clock: expected a date ${CLOCK_YEARS}; got ${String(new Date(moment))}`);
    current().set(moment, frozen);
  };
  return {
    now: () => current().now(),
    get isFrozen() {
      return current().isFrozen;
    },
    set: (moment, frozen) => set(moment.getTime(), frozen),
    advance: (seconds) => set(current().now().getTime() + seconds * 1000),
    reset: () => current().reset(),
  };
}
