import { appendToError, fieldOf } from "./errors.ts";
import { Evidence, type ExplainedMock, explainFailure, explainTimeout } from "./explanation.ts";

/** What a runner tells when a test ends. */
interface TestEnd {
  /** @param error - undefined if the runner does not tell it. */
  failed(error: unknown): void;
  passed(): void;
}

/** A test may make a great many mocks; only the newest ones are explained. */
const MOST_EXPLAINED = 5;
/** The mocks of running tests. */
const explained: { readonly mock: ExplainedMock; readonly evidence: Evidence }[] = [];

/**
 * Explains a mock's requests in the error of the test that is running in Vitest, Jest or node:test, if that test fails. Does
 * nothing in other programs, and for a mock that is made outside of a test.
 *
 * @param whyUnreached - why no request can reach the mock, while its test runs.
 */
export function explainInRunningTest(mock: ExplainedMock, whyUnreached: () => string | undefined): void {
  const forget = () => {
    const at = explained.findIndex((each) => each.mock === mock);
    return at < 0 ? undefined : explained.splice(at, 1)[0];
  };
  const end: TestEnd = { failed: explain, passed: forget };
  if (!(inVitest(end) || inJest(end) || inNodeTest(end))) return;
  explained.push({ mock, evidence: new Evidence(mock, [], false) });
  explained.splice(0, explained.length - MOST_EXPLAINED);

  function explain(error: unknown): void {
    const known = forget();
    if (known === undefined) return;
    // Other mocks of the test may be those that its requests were meant for.
    const isOnlyOne = explained.length === 0;
    if (known.evidence.arrived === 0 && !isOnlyOne) return;
    const { evidence } = known;
    const texts = [
      explainFailure(mock, evidence, error, whyUnreached()),
      explainTimeout(mock, evidence, error),
    ];
    const text = texts.filter((each) => each !== undefined).join("\n");
    if (text !== "" && !appendToError(error, text)) console.error(text);
  }
}

const globalNamed = (name: string | symbol): unknown => Reflect.get(globalThis, name);
const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === "function";

/** Vitest keeps the running test in a global of its workers; the test's context has the hooks. */
function inVitest({ failed, passed }: TestEnd): boolean {
  const test = fieldOf(globalNamed("__vitest_worker__"), "current");
  const context = fieldOf(test, "context");
  const [onTestFailed, onTestFinished] = [
    fieldOf(context, "onTestFailed"),
    fieldOf(context, "onTestFinished"),
  ];
  if (fieldOf(test, "type") !== "test" || !isFunction(onTestFailed) || !isFunction(onTestFinished))
    return false;
  try {
    onTestFailed(() => {
      const errors = fieldOf(fieldOf(test, "result"), "errors");
      failed(Array.isArray(errors) ? errors.at(-1) : undefined);
    });
    // Called before the hook of failed tests.
    onTestFinished(() => {
      if (fieldOf(fieldOf(test, "result"), "state") !== "fail") passed();
    });
    return true;
  } catch {
    // Within a hook of the test.
    return false;
  }
}

let latestOfJest: unknown;

/**
 * Jest's default runner keeps the running test in a global of each test file, and adds errors to its list as they happen. It does not
 * tell when a test has passed: the mocks of one test are forgotten when another one makes a mock.
 */
function inJest({ failed }: TestEnd): boolean {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const errors = key && fieldOf(fieldOf(globalNamed(key), "currentlyRunningTest"), "errors");
  if (!Array.isArray(errors)) return false;
  if (errors !== latestOfJest) explained.splice(0);
  latestOfJest = errors;
  const push = errors.push.bind(errors);
  errors.push = (...added: unknown[]) => {
    // A pair of the error and the place where the asynchronous function was called.
    for (const one of added) failed(Array.isArray(one) ? one[0] : one);
    return push(...added);
  };
  return true;
}

/** More frames than any test calls until it makes its mock. */
const FRAMES = 100;

/** Whether the stack, or the one that an asynchronous function was called from, is that of a test of node:test. */
function isInNodeTest(): boolean {
  const { stackTraceLimit } = Error;
  const holder: { stack?: unknown } = {};
  Error.stackTraceLimit = FRAMES;
  Error.captureStackTrace(holder);
  Error.stackTraceLimit = stackTraceLimit;
  return /\bTest\.run .*node:internal\/test_runner/.test(String(holder.stack));
}

/** The hook of the running test. Loading node:test elsewhere would make the process report tests. */
function inNodeTest({ failed, passed }: TestEnd): boolean {
  if (!isInNodeTest()) return false;
  const after = fieldOf(process.getBuiltinModule("node:test"), "after");
  if (!isFunction(after)) return false;
  after((test: unknown) => {
    if (fieldOf(test, "passed") !== false) return passed();
    const error = fieldOf(test, "error");
    failed(fieldOf(error, "cause") ?? error);
  });
  return true;
}
