/**
 * Whether a span of time is over: it lasts while `elapsed < seconds` and is over at exactly that moment.
 * Elapsed time is never negative, so a clock that was set back only makes the wait longer.
 *
 * @param since - start, in milliseconds since the epoch.
 * @param seconds - the span's length; 0 is over at once.
 */
export function hasPassed(since: number, seconds: number, now: number): boolean {
  return Math.max(0, now - since) >= seconds * 1000;
}
