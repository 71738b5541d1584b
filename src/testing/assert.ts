import { AssertionError } from "node:assert";
import type { MockCloudReco, Operation, RequestFilter } from "../index.ts";
import type { MockFixture, MockFixtureOptions, TestOutcome } from "./fixture.ts";
import { FixtureHooks } from "./hooks.ts";
import { type MatcherResult, matchReceived, matchRefusedNothing, type ReceivedLike } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike, TestOutcome };

/** The running test's mock and database, and the hooks that make and end them. */
export interface MockHooks extends MockFixture {
  /** Makes a fresh mock and a fresh database. Give it to the runner's `beforeEach`. */
  readonly beforeEach: () => void;
  /**
   * Ends the mock; of a test that failed, puts what the mock refused behind the test's error. Give it to the runner's
   * `afterEach`, so that it is called with what the runner tells of the test.
   *
   * @throws Error when refused requests are to fail the test, or an expected refusal did not come.
   */
  readonly afterEach: (...context: unknown[]) => void;
}

/**
 * Gives every test of any runner that has hooks a fresh mock and a fresh database.
 *
 * @example Mocha, and node:test:
 * const recognition = mockHooks({ failOnRefusedRequests: true });
 * beforeEach(recognition.beforeEach);
 * afterEach(recognition.afterEach);
 *
 * it("uploads the picture once", async () => {
 *   await upload(picture, recognition.database);
 *   assertReceived(recognition.mock, "addTarget", { times: 1 });
 * });
 *
 * @example AVA, whose tests run one after the other with `test.serial`:
 * test.beforeEach(recognition.beforeEach);
 * test.afterEach.always((t) => recognition.afterEach(t));
 *
 * @example Playwright:
 * test.beforeEach(() => recognition.beforeEach());
 * test.afterEach(({}, testInfo) => recognition.afterEach(testInfo));
 */
export function mockHooks(options: MockFixtureOptions = {}): MockHooks {
  const hooks = new FixtureHooks(
    options,
    "read `mock` and `database` inside a test, from the object that mockHooks() returned, and give its beforeEach and " +
      "afterEach to the runner",
  );
  return {
    get mock() {
      return hooks.mock;
    },
    get database() {
      return hooks.database;
    },
    beforeEach: () => hooks.begin(),
    // Without named parameters: Mocha and Jest take a function that has one for one that calls back.
    afterEach(this: unknown, ...context: unknown[]) {
      hooks.end(outcomeOf(context[0] ?? currentTestOf(this)));
    },
  };
}

/** Mocha's `this` in a hook. */
const currentTestOf = (self: unknown): unknown =>
  typeof self === "object" && self !== null ? Reflect.get(self, "currentTest") : undefined;

/** What runners call what a hook wants to know. */
interface RunnersTest {
  /** Mocha: `passed`, `failed`. */
  readonly state?: unknown;
  /** Mocha. */
  readonly err?: unknown;
  /** node:test, AVA. */
  readonly passed?: unknown;
  /** node:test wraps it as its `cause`. Playwright: its first. */
  readonly error?: unknown;
  /** Playwright. */
  readonly status?: unknown;
  /** Playwright. */
  readonly expectedStatus?: unknown;
  /** AVA. */
  readonly log?: unknown;
}

/** How a test ended, from what any of the runners gives to a hook. */
export function outcomeOf(test: unknown): TestOutcome {
  if (typeof test !== "object" || test === null) return { failed: false };
  const { state, err, passed, error, status, expectedStatus, log }: RunnersTest = test;
  const given = err ?? causeOf(error);
  return {
    failed: state === "failed" || passed === false || status !== expectedStatus || given !== undefined,
    error: given,
    ...(typeof log === "function" && { print: (text: string) => void log.call(test, text) }),
  };
}

function causeOf(error: unknown): unknown {
  const cause = typeof error === "object" && error !== null ? Reflect.get(error, "cause") : undefined;
  return cause ?? error ?? undefined;
}

/**
 * The mock received requests of this operation, or like this filter, whether it served or refused them.
 *
 * @throws AssertionError listing the requests that it received, and what was refused for which reason.
 * @example
 * assertReceived(mock, "addTarget", { times: 1 });
 * assertReceived(mock, { operation: "query", refused: true }, { times: 0 });
 * assertReceived(mock, "query", { fields: { max_num_results: "5" } });
 */
export function assertReceived(
  mock: MockCloudReco,
  wanted: Operation | RequestFilter,
  like?: ReceivedLike,
): void {
  assertPass(matchReceived(mock, wanted, like), assertReceived);
}

/**
 * The mock served every request that it received, but for expected refusals.
 *
 * @throws AssertionError listing the refused requests and the reasons.
 */
export function assertRefusedNothing(mock: MockCloudReco): void {
  assertPass(matchRefusedNothing(mock), assertRefusedNothing);
}

function assertPass(
  { pass, message }: MatcherResult,
  stackStartFn: (mock: MockCloudReco, ...rest: never[]) => void,
): void {
  if (!pass) throw new AssertionError({ message: message(), stackStartFn });
}
