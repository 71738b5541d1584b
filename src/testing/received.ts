import { inspect } from "node:util";
import type { JournalEntry, MockCloudReco, Operation, RequestFilter } from "../index.ts";
import { checkLike, isLike, type ReceivedLike } from "./received-like.ts";

export type { ReceivedLike };

/** What a matcher for `expect.extend` returns, in Jest and in Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Number of requests whose content a failure shows. */
const MAX_SHOWN = 3;

/**
 * Whether a mock received requests of an operation, or requests that match a filter, whether served or refused.
 *
 * @throws TypeError when the first argument is not a mock, or for an invalid option; InvalidOptionError for an invalid filter.
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

/** Shows the content of the requests that match the operation or filter. */
function showSent(near: readonly JournalEntry[]): string {
  return near
    .slice(-MAX_SHOWN)
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
 * Whether a mock refused no request except expected ones.
 *
 * @throws TypeError when the argument is not a mock.
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

/** The matchers for `expect.extend`. */
export const matchers = { toHaveReceived: matchReceived, toHaveRefusedNothing: matchRefusedNothing };

/** Looks at methods instead of the class, of which there are several after `jest.resetModules()`. */
function checkMock(value: unknown): asserts value is MockCloudReco {
  const isMock = typeof value === "object" && value !== null && "requestsOf" in value && "explain" in value;
  if (!isMock) throw new TypeError(`expected a MockCloudReco; got ${inspect(value, { depth: 0 })}`);
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
