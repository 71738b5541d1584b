import { messageOf, showWithType } from "./text.ts";

/**
 * Returns the error for a wrong result of a user's function.
 *
 * @param source - names the function.
 */
export function wrongResult(source: string, expected: string, result: unknown): TypeError {
  // The rejection of a promise that nothing awaits would end the process.
  Promise.resolve(result).catch(() => {});
  return new TypeError(`${source}: expected ${expected}; got ${showWithType(result)}`);
}

/**
 * Calls a user's function that decides something.
 *
 * @param source - names the function, because the message of what it threw alone would not say what is wrong.
 * @throws Error when it throws; TypeError when it returns no boolean.
 */
export function decisionOf(source: string, decide: () => unknown): boolean {
  let result: unknown;
  try {
    result = decide();
  } catch (cause) {
    throw new Error(`${source} threw: ${messageOf(cause)}`, { cause });
  }
  if (typeof result === "boolean") return result;
  throw wrongResult(source, "true or false", result);
}
