import { inspect } from "node:util";
import type { MockCloudReco, Operation, RequestFilter } from "../index.ts";

/** How often a request is expected. */
export interface ReceivedTimes {
  /** Exactly so many times, 0 or more. Default: at least once. */
  readonly times?: number;
}

/** What an `expect.extend` function returns, in Jest and in Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Whether a mock received requests of an operation, or like a filter, served or refused.
 *
 * @throws TypeError when the first argument is no mock, or `times` no whole number; InvalidOptionError for a filter with
 * a field that does not exist.
 */
export function matchReceived(
  mock: unknown,
  wanted: Operation | RequestFilter,
  { times, ...unknown }: ReceivedTimes = {},
): MatcherResult {
  checkMock(mock);
  const [mistyped] = Object.keys(unknown);
  if (mistyped !== undefined) {
    throw new TypeError(
      `${mistyped} is no option of toHaveReceived; accepted is times, and filters go into the first argument`,
    );
  }
  if (times !== undefined && (!Number.isInteger(times) || times < 0)) {
    throw new TypeError(`times must be a whole number from 0 on, got ${inspect(times)}`);
  }
  const filter = typeof wanted === "string" ? { operation: wanted } : wanted;
  const found = mock.requestsOf(filter).length;
  const pass = times === undefined ? found > 0 : found === times;
  return {
    pass,
    message: () =>
      `expected the mock ${pass ? "not to have" : "to have"} received ${showWanted(wanted)}` +
      `${times === undefined ? "" : ` ${showTimes(times)}`}, but it ${found === 0 ? "did not" : `did ${showTimes(found)}`}\n\n` +
      `It received ${mock.explain()}`,
  };
}

/**
 * Whether every request that a mock received was served.
 *
 * @throws TypeError when the argument is no mock.
 */
export function matchRefusedNothing(mock: unknown): MatcherResult {
  checkMock(mock);
  const refused = mock.requestsOf({ refused: true });
  return {
    pass: refused.length === 0,
    message: () =>
      refused.length === 0
        ? `expected the mock to have refused a request, but it served all\n\nIt received ${mock.explain()}`
        : `expected the mock to have refused nothing\n\nIt received ${mock.explain({ refused: true })}`,
  };
}

/** The functions for `expect.extend`. */
export const matchers = { toHaveReceived: matchReceived, toHaveRefusedNothing: matchRefusedNothing };

/** Not by its class: after `jest.resetModules()` there is more than one. */
function checkMock(value: unknown): asserts value is MockCloudReco {
  const isMock = typeof value === "object" && value !== null && "requestsOf" in value && "explain" in value;
  if (!isMock) throw new TypeError(`expected a MockCloudReco, got ${inspect(value, { depth: 0 })}`);
}

function showWanted(wanted: Operation | RequestFilter): string {
  if (typeof wanted === "string") return wanted;
  const { database, ...filter } = wanted;
  const name = typeof database === "object" ? database.databaseName : database;
  return inspect({ ...filter, ...(name !== undefined && { database: name }) }, { breakLength: Infinity });
}

function showTimes(times: number): string {
  if (times === 1) return "once";
  return times === 2 ? "twice" : `${times} times`;
}
