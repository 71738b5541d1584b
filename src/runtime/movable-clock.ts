import type { Clock } from "./clock.ts";

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
