import timers from "node:timers";

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;

/**
 * Node's timers, captured before fake timers are installed: waits and durations stay real. Not the globals, which jsdom
 * replaces. In a file of its own, because interception also runs without the emulator.
 */
export const realTimers = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
};

const { nextTick } = process;
const { queueMicrotask } = globalThis;

/** The functions that a library has replaced by fake ones, and without which Node's HTTP clients wait in vain. */
export const fakedFunctions = (): readonly string[] => [
  ...(process.nextTick === nextTick ? [] : ["process.nextTick"]),
  ...(globalThis.queueMicrotask === queueMicrotask ? [] : ["queueMicrotask"]),
];

/** Real time in milliseconds, from an arbitrary start. */
export const realMilliseconds = performance.now.bind(performance);
