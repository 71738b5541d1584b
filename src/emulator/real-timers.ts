import timers from "node:timers";

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;

/**
 * Node's timers, captured before any fake timers are installed, so that waits and durations stay real. Not the globals, which jsdom replaces.
 * Alone in its file, because what intercepts requests runs without the emulator too.
 */
export const realTimers = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
};

/** Milliseconds of real time since an arbitrary moment. */
export const realMilliseconds = performance.now.bind(performance);
