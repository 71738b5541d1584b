import { inspect, isDeepStrictEqual, types } from "node:util";
import type { JournalEntry, MockCloudReco, Operation, RequestFilter } from "../index.ts";
import { propertyOf } from "./internal.ts";

/** An expected value: an equal value, a pattern for text, or an asymmetric matcher such as `expect.any(Number)`. */
export type ExpectedValue = unknown;

/**
 * How often a request is expected, and with which content.
 *
 * @example { times: 1, headers: { "content-type": /^multipart/ }, fields: { max_num_results: "5" } }
 */
export interface ReceivedLike {
  /** Exact number of requests, 0 or more. Default: at least one. */
  readonly times?: number;
  /** Form fields: text, a pattern, or the bytes of a file. Other fields may be present. */
  readonly fields?: Readonly<Record<string, ExpectedValue>>;
  /** Headers by case-insensitive name: text or a pattern. Other headers may be present. */
  readonly headers?: Readonly<Record<string, ExpectedValue>>;
  /** JSON body; its objects may have further keys. */
  readonly json?: ExpectedValue;
}

const NAMES: readonly string[] = ["times", "fields", "headers", "json"] satisfies (keyof ReceivedLike)[];

/** @throws TypeError for an unknown option or an invalid value. */
export function checkLike(like: ReceivedLike): void {
  const mistyped = Object.keys(like).find((name) => !NAMES.includes(name));
  if (mistyped !== undefined) {
    throw new TypeError(
      `${mistyped} is not a toHaveReceived option: expected ${NAMES.join(", ")}; pass filters as the first argument`,
    );
  }
  const { times } = like;
  if (times !== undefined && (!Number.isInteger(times) || times < 0)) {
    throw new TypeError(`times must be a whole number, 0 or more; got ${inspect(times)}`);
  }
  for (const name of ["fields", "headers"] as const) {
    const given: unknown = like[name];
    if (given !== undefined && (typeof given !== "object" || given === null)) {
      throw new TypeError(`${name} must be an object of names and values; got ${inspect(given)}`);
    }
  }
}

export function isLike({ request }: JournalEntry, { fields, headers, json }: ReceivedLike): boolean {
  const { body } = request;
  return (
    matches(request.headers, headers && withLowerCaseNames(headers)) &&
    matches(fields && withoutFiles(body.fields), fields) &&
    matches(json === undefined ? undefined : body.json, json)
  );
}

/** Form fields with files replaced by their bytes. */
const withoutFiles = (fields: JournalEntry["request"]["body"]["fields"]) =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : value.bytes]),
  );

const withLowerCaseNames = (headers: Readonly<Record<string, ExpectedValue>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function matches(given: unknown, wanted: ExpectedValue): boolean {
  if (wanted === undefined) return true;
  if (types.isRegExp(wanted)) return typeof given === "string" && new RegExp(wanted).test(given);
  if (types.isUint8Array(wanted)) return types.isUint8Array(given) && Buffer.from(wanted).equals(given);
  if (typeof wanted !== "object" || wanted === null) return isDeepStrictEqual(given, wanted);
  const asymmetricMatch = propertyOf(wanted, "asymmetricMatch");
  if (typeof asymmetricMatch === "function") return asymmetricMatch.call(wanted, given) === true;
  if (typeof given !== "object" || given === null || Array.isArray(given) !== Array.isArray(wanted))
    return false;
  if (Array.isArray(wanted) && Array.isArray(given) && wanted.length !== given.length) return false;
  return Object.entries(wanted).every(([name, value]) => matches(propertyOf(given, name), value));
}

/** The result of a matcher for `expect.extend`, in Jest and Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Number of requests whose content a failure shows. */
const MAX_SHOWN = 3;

/**
 * The matcher `toHaveReceived`.
 *
 * @throws TypeError when the first argument is not a mock, or for an invalid option; InvalidOptionError for an invalid filter.
 */
export function matchReceived(
  mock: unknown,
  wanted: Operation | RequestFilter,
  like: ReceivedLike = {},
): MatcherResult {
  return pointingInto(matchReceived, () => judgeReceived(checkedMock(mock), wanted, like));
}

function judgeReceived(
  mock: MockCloudReco,
  wanted: Operation | RequestFilter,
  like: ReceivedLike,
): MatcherResult {
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

/** The matcher `toHaveRefusedNothing`. Throws a TypeError if the argument is not a mock. */
export function matchRefusedNothing(given: unknown): MatcherResult {
  const mock = pointingInto(matchRefusedNothing, () => checkedMock(given));
  const refused = mock.unexpectedRefusals();
  return {
    pass: refused.length === 0,
    message: () =>
      refused.length === 0
        ? `expected the mock to have refused a request, but it served all\n\nIt received ${mock.explain()}`
        : `expected the mock to have refused nothing\n\nIt received ${mock.explain({ refused: true })}`,
  };
}

/** Matchers of `expect(mock)` in Jest and Vitest. */
export interface MockMatchers<Result> {
  /**
   * Asserts that the mock received requests of an operation, or requests that match a filter, whether served or refused.
   *
   * @example
   * expect(mock).toHaveReceived("addTarget", { times: 1 });
   * expect(mock).not.toHaveReceived({ operation: "query", refused: true });
   * expect(mock).toHaveReceived("query", { fields: { max_num_results: "5" } });
   */
  toHaveReceived(wanted: Operation | RequestFilter, like?: ReceivedLike): Result;
  /** Asserts that the mock refused no request except expected ones. */
  toHaveRefusedNothing(): Result;
}

export const matchers: {
  readonly toHaveReceived: typeof matchReceived;
  readonly toHaveRefusedNothing: typeof matchRefusedNothing;
} = { toHaveReceived: matchReceived, toHaveRefusedNothing: matchRefusedNothing };

/** Looks at methods instead of the class, of which there are several after `jest.resetModules()`. */
const isMock = (value: unknown): value is MockCloudReco =>
  typeof value === "object" && value !== null && "requestsOf" in value && "explain" in value;

function checkedMock(value: unknown): MockCloudReco {
  if (isMock(value)) return value;
  throw new TypeError(`expected a MockCloudReco; got ${inspect(value, { depth: 0 })}`);
}

/** Makes the stack of an error begin at the caller of `expectation`: in the test, not in this package. */
export function pointingInto<T>(expectation: (...args: never[]) => unknown, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error, expectation);
    throw error;
  }
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
