/**
 * Whether a period is over: it lasts while `elapsed < seconds`. Elapsed time is never negative, so that setting the clock
 * back only makes the wait longer.
 *
 * @param since - start, in milliseconds since the epoch.
 * @param seconds - the period's length; a period of 0 is over at once.
 */
export function hasPassed(since: number, seconds: number, now: number): boolean {
  return Math.max(0, now - since) >= seconds * 1000;
}
