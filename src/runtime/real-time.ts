/** Taken before any fake timers are installed: waits and durations are real whatever a test does to the clock. */
const realSetTimeout = setTimeout;
const realPerformance = performance;
const realNow = performance.now;

/** Waits in real time. */
export function realDelay(seconds: number): Promise<void> {
  return new Promise((resolve) => realSetTimeout(resolve, seconds * 1000));
}

/** Milliseconds of real time since an arbitrary moment. */
export function realMilliseconds(): number {
  return realNow.call(realPerformance);
}
