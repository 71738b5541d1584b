import { appendToError, fieldOf } from "./errors.ts";
import { Evidence, type ExplainedMock, explainFailure, explainTimeout } from "./explanation.ts";

/** Gets the error of a test that has failed; undefined if the runner does not tell it. */
type OnFailure = (error: unknown) => void;

/** A test may make a great many mocks; only the newest ones are explained. */
const MOST_EXPLAINED = 5;
const explained: { readonly mock: ExplainedMock; readonly evidence: Evidence }[] = [];

/**
 * Explains a mock's requests in the error of the test that is running in Vitest, Jest or node:test, if that test fails. Does
 * nothing in other programs, and for a mock that is made outside of a test.
 *
 * @param whyUnreached - why no request can reach the mock, while its test runs.
 */
export function explainInRunningTest(mock: ExplainedMock, whyUnreached: () => string | undefined): void {
  if (!(inVitest(explain) || inJest(explain) || inNodeTest(explain))) return;
  explained.push({ mock, evidence: new Evidence(mock, [], false) });
  explained.splice(0, explained.length - MOST_EXPLAINED);

  function explain(error: unknown): void {
    const at = explained.findIndex((each) => each.mock === mock);
    const [known] = at < 0 ? [] : explained.splice(at, 1);
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

/** Vitest keeps the running test in a global of its workers; the test's context has the hook. */
function inVitest(explain: OnFailure): boolean {
  const test = fieldOf(globalNamed("__vitest_worker__"), "current");
  const onTestFailed = fieldOf(fieldOf(test, "context"), "onTestFailed");
  if (fieldOf(test, "type") !== "test" || !isFunction(onTestFailed)) return false;
  try {
    onTestFailed(() => {
      const errors = fieldOf(fieldOf(test, "result"), "errors");
      explain(Array.isArray(errors) ? errors.at(-1) : undefined);
    });
    return true;
  } catch {
    // Within a hook of the test.
    return false;
  }
}

/** Jest's default runner keeps the running test in a global of each test file, and adds errors to its list as they happen. */
function inJest(explain: OnFailure): boolean {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const errors = key && fieldOf(fieldOf(globalNamed(key), "currentlyRunningTest"), "errors");
  if (!Array.isArray(errors)) return false;
  const push = errors.push.bind(errors);
  errors.push = (...added: unknown[]) => {
    // A pair of the error and the place where the asynchronous function was called.
    for (const one of added) explain(Array.isArray(one) ? one[0] : one);
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
function inNodeTest(explain: OnFailure): boolean {
  if (!isInNodeTest()) return false;
  const after = fieldOf(process.getBuiltinModule("node:test"), "after");
  if (!isFunction(after)) return false;
  after((test: unknown) => {
    if (fieldOf(test, "passed") !== false) return;
    const error = fieldOf(test, "error");
    explain(fieldOf(error, "cause") ?? error);
  });
  return true;
}
