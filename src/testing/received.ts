import { inspect } from "node:util";
import type { JournalEntry, MockCloudReco, Operation, RequestFilter } from "../index.ts";
import { checkLike, isLike, type ReceivedLike } from "./received-like.ts";

export type { ReceivedLike };

/** What an `expect.extend` function returns, in Jest and in Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Of how many requests what was sent is shown. */
const MOST_SHOWN = 3;

/**
 * Whether a mock received requests of an operation, or like a filter, served or refused.
 *
 * @throws TypeError when the first argument is no mock, or an option makes no sense; InvalidOptionError for a filter with
 * a field that does not exist.
 */
export function matchReceived(
  mock: unknown,
  wanted: Operation | RequestFilter,
  like: ReceivedLike = {},
): MatcherResult {
  checkMock(mock);
  checkLike(like);
  const { times, ...sent } = like;
  const near = mock.requestsOf(typeof wanted === "string" ? { operation: wanted } : wanted);
  const found = near.filter((entry) => isLike(entry, sent)).length;
  const pass = times === undefined ? found > 0 : found === times;
  const shownLike = Object.keys(sent).length === 0 ? "" : ` with ${inspect(sent, { breakLength: Infinity })}`;
  return {
    pass,
    message: () =>
      `expected the mock ${pass ? "not to have" : "to have"} received ${showWanted(wanted)}${shownLike}` +
      `${times === undefined ? "" : ` ${showTimes(times)}`}, but it ${found === 0 ? "did not" : `did ${showTimes(found)}`}\n\n` +
      `${shownLike === "" ? "" : showSent(near)}It received ${mock.explain()}`,
  };
}

/** What was sent in the requests that come near. */
function showSent(near: readonly JournalEntry[]): string {
  return near
    .slice(-MOST_SHOWN)
    .map(({ number, request }) => {
      const lines = [
        `content-type: ${request.headers["content-type"] ?? "none"}`,
        ...String(request.body).split("\n"),
      ];
      return `#${number} was sent with\n${lines.map((line) => `   ${line}\n`).join("")}\n`;
    })
    .join("");
}

/**
 * Whether every request that a mock received was served, but for those whose refusal was expected.
 *
 * @throws TypeError when the argument is no mock.
 */
export function matchRefusedNothing(mock: unknown): MatcherResult {
  checkMock(mock);
  const refused = mock.unexpectedRefusals();
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
