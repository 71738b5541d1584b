/** How many moments are kept before those that left the window are dropped. */
const KEPT_MOMENTS = 1000;

/**
 * The moments at which requests were accepted, in order of time. Requests that left every window are dropped only
 * once there are many, so that a clock that is set back sees the same history again.
 */
export class RequestHistory {
  private moments: number[];

  /** @param moments - of requests accepted before, in order of time. */
  constructor(moments: readonly number[] = []) {
    this.moments = [...moments];
  }

  get all(): readonly number[] {
    return [...this.moments];
  }

  /** How many requests were accepted in `(now - windowSeconds, now]`. */
  countIn(windowSeconds: number, now: number): number {
    return this.firstAfter(now) - this.firstAfter(now - windowSeconds * 1000);
  }

  add(now: number, keepSeconds: number): void {
    const place = this.firstAfter(now);
    if (place === this.moments.length) this.moments.push(now);
    else this.moments.splice(place, 0, now);
    if (this.moments.length > 2 * KEPT_MOMENTS) {
      const gone = Math.min(this.firstAfter(now - keepSeconds * 1000), this.moments.length - KEPT_MOMENTS);
      if (gone > 0) this.moments = this.moments.slice(gone);
    }
  }

  /** Index of the first moment later than `time`. */
  private firstAfter(time: number): number {
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const moment = this.moments[middle];
      if (moment !== undefined && moment <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
