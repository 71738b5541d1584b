import { AssertionError } from "node:assert";
import type { MockCloudReco, Operation, RequestFilter } from "../index.ts";
import { FixtureHooks, type MockFixture, type MockFixtureOptions, type TestOutcome } from "./fixture.ts";
import { callingFrame, propertyOf } from "./internal.ts";
import {
  type MatcherResult,
  matchReceived,
  matchRefusedNothing,
  pointingInto,
  type ReceivedLike,
} from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike, TestOutcome };

/** The running test's mock and database, and the hooks that create and stop them. */
export interface MockHooks extends MockFixture {
  /** Creates a new mock and a new database. Pass it to the runner's `beforeEach`. */
  readonly beforeEach: () => void;
  /**
   * Stops the mock. If the test failed, appends what the mock refused to the test's error. Pass it to the runner's `afterEach`,
   * so that it is called with the runner's arguments.
   *
   * @throws Error when `failOnRefusedRequests` is set and the mock refused a request, or an expected refusal did not occur.
   */
  readonly afterEach: (...context: unknown[]) => Promise<void> | undefined;
}

/**
 * Gives each test a new mock and a new database, in any test runner that has hooks.
 *
 * @throws Error when `mock` or `database` is read while no test runs; in `beforeEach`, what `new MockCloudReco()` throws.
 *
 * @example Mocha and node:test:
 * const recognition = mockHooks({ failOnRefusedRequests: true });
 * beforeEach(recognition.beforeEach);
 * afterEach(recognition.afterEach);
 *
 * it("uploads the picture once", async () => {
 *   await upload(picture, recognition.database);
 *   assertReceived(recognition.mock, "addTarget", { times: 1 });
 * });
 *
 * @example AVA, with `test.serial` so that tests run one after the other:
 * test.beforeEach(recognition.beforeEach);
 * test.afterEach.always((t) => recognition.afterEach(t));
 *
 * @example Playwright:
 * test.beforeEach(() => recognition.beforeEach());
 * test.afterEach(({}, testInfo) => recognition.afterEach(testInfo));
 *
 * @example Cucumber, whose scenarios show the explanation as an attachment:
 * Before(recognition.beforeEach);
 * After(recognition.afterEach);
 */
export function mockHooks(options: MockFixtureOptions = {}): MockHooks {
  const hooks = new FixtureHooks(
    options,
    "read `mock` and `database` inside a test, from the object that mockHooks() returned, and pass its beforeEach and " +
      "afterEach to the runner",
    callingFrame(mockHooks),
  );
  return {
    get mock() {
      return hooks.mock;
    },
    get database() {
      return hooks.database;
    },
    beforeEach: () => hooks.begin(),
    // No named parameters: Mocha and Jest would pass a callback and wait for it.
    afterEach(this: unknown, ...context: unknown[]) {
      // Mocha's hooks find the test in `this`, Cucumber's what prints.
      return hooks.end(outcomeOf(context[0] ?? propertyOf(this, "currentTest"), this));
    },
  };
}

/**
 * The fields in which the runners describe a test to its hooks:
 * - Mocha: `state`, `err`, `file`, and `titlePath`, a method that returns the names.
 * - node:test: `passed`, `name`, `fullName` (with the names of enclosing tests), `filePath`, and `error`, whose `cause` is the
 *   test's error.
 * - Playwright: `status`, `expectedStatus`, `error` (the first one), `file`, and `titlePath`, the names.
 * - AVA: `passed`, `log`, and `title`: "afterEach.always hook for" and the test's name.
 * - Cucumber: `pickle`, with `name` and `uri`, and `result`, with `status` and `message`. The world has `attach`.
 */
type RunnerTest = Partial<Record<RunnerField, unknown>>;

type RunnerField =
  | ("state" | "err" | "passed" | "error" | "status" | "expectedStatus" | "log")
  | ("fullName" | "name" | "filePath" | "titlePath" | "title" | "file");

/**
 * Reads a test's outcome from the hook argument of any runner.
 *
 * @param world - of Cucumber.
 */
export function outcomeOf(test: unknown, world?: unknown): TestOutcome {
  if (typeof test !== "object" || test === null) return { failed: false };
  if ("pickle" in test) return outcomeOfScenario(test, world);
  const { state, err, passed, error, status, expectedStatus, log, filePath, file }: RunnerTest = test;
  const given = err ?? propertyOf(error, "cause") ?? error ?? undefined;
  return {
    failed: state === "failed" || passed === false || status !== expectedStatus || given !== undefined,
    error: given,
    name: nameOf(test),
    file: textIn(filePath) ?? textIn(file),
    ...(typeof log === "function" && { print: (text: string) => void log.call(test, text) }),
  };
}

/** Cucumber has reported the step's error by then: only attachments show more of a scenario, and reporters print plain text. */
function outcomeOfScenario(scenario: object, world: unknown): TestOutcome {
  const { pickle, result }: { pickle?: unknown; result?: unknown } = scenario;
  const attach = propertyOf(world, "attach");
  return {
    failed: propertyOf(result, "status") === "FAILED",
    error: propertyOf(result, "message"),
    name: textIn(propertyOf(pickle, "name")),
    file: textIn(propertyOf(pickle, "uri")),
    ...(typeof attach === "function" && {
      print: (text: string) => void attach.call(world, text, "text/plain"),
    }),
  };
}

function nameOf(test: RunnerTest): string | undefined {
  const { fullName, name, titlePath, title } = test;
  const path: unknown = typeof titlePath === "function" ? titlePath.call(test) : titlePath;
  if (Array.isArray(path)) return path.filter((each) => each !== "").join(" > ");
  return textIn(fullName) ?? textIn(name) ?? textIn(title)?.replace(/^afterEach\S* hook for /, "");
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Asserts that the mock received requests of an operation, or requests that match a filter, whether it served or refused them.
 *
 * @throws AssertionError listing the requests received, and why requests were refused; TypeError or InvalidOptionError for
 * invalid arguments.
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
  assertPass(() => matchReceived(mock, wanted, like), assertReceived);
}

/**
 * Asserts that the mock refused no request except expected ones.
 *
 * @throws AssertionError listing the refused requests and the reasons.
 * @example assertRefusedNothing(mock);
 */
export function assertRefusedNothing(mock: MockCloudReco): void {
  assertPass(() => matchRefusedNothing(mock), assertRefusedNothing);
}

function assertPass(
  match: () => MatcherResult,
  stackStartFn: (mock: MockCloudReco, ...rest: never[]) => void,
): void {
  const { pass, message } = pointingInto(stackStartFn, match);
  if (!pass) throw new AssertionError({ message: message(), stackStartFn });
}
