import { propertyOf } from "../core/general/property.ts";
import { wrapped } from "../core/general/text.ts";
import { callerNow } from "./caller.ts";
import { appendToError } from "./errors.ts";
import { Evidence, type ExplainedMock } from "./evidence.ts";
import { explainFailure, explainTimeout } from "./explanation.ts";

interface TestEnd {
  /** @param error - undefined if the runner does not tell it. */
  failed(error: unknown): void;
  passed(): void;
}

/** A test may create many mocks; only the newest are explained. */
const MOST_EXPLAINED = 5;
const explained: {
  readonly mock: ExplainedMock;
  readonly evidence: Evidence;
  /** Of the test. */
  readonly failed: TestEnd["failed"];
}[] = [];

/**
 * Explains a mock's requests in the error of a test of Vitest, Jest or node:test, if that test fails: of the test that makes the
 * mock, and of each test of Vitest or Jest that sends it requests when no test makes it. Does nothing in other programs.
 *
 * @param whyUnreached - why no request can reach the mock, while its test runs.
 * @param created - the constructor whose caller made the mock.
 */
export function explainInRunningTest(
  mock: ExplainedMock,
  whyUnreached: () => string | undefined,
  created: Parameters<typeof callerNow>[0],
): void {
  const forget = () => {
    const at = explained.findIndex((each) => each.mock === mock);
    return at < 0 ? undefined : explained.splice(at, 1)[0];
  };
  const end: TestEnd = { failed: explain, passed: forget };
  const isInTest = inVitest(end) || inJest() || inNodeTest(end);
  if (!isInTest && !hasTestGlobals()) return;
  const owner = isInTest ? runningTest() : undefined;
  const place = owner === undefined ? undefined : callerNow(created);
  let latest: unknown = owner;
  if (!isInTest || owner !== undefined)
    // Before the evidence, which then counts this request for its own test.
    mock.on("request", () => {
      const test = runningTest();
      if (test === latest || (isInTest && test === undefined)) return;
      latest = test;
      evidence.restart();
      if (inVitest(end) || inJest()) remember();
    });
  const evidence = new Evidence(mock, [], false);
  if (isInTest) remember();

  function remember(): void {
    forget();
    explained.push({ mock, evidence, failed: explain });
    explained.splice(0, explained.length - MOST_EXPLAINED);
  }

  function explain(error: unknown): void {
    const known = forget();
    if (known === undefined) return;
    const isLeftOver = owner !== undefined && latest !== owner;
    // The runner may try the same test again.
    latest = owner;
    // The test's requests may be meant for its other mocks.
    const isOnlyOne = explained.length === 0;
    if (known.evidence.arrived === 0 && !isOnlyOne) return;
    const texts = [
      isLeftOver ? neverStopped(owner, place?.()) : undefined,
      explainFailure(mock, evidence, error, whyUnreached()),
      explainTimeout(mock, evidence, error),
    ];
    const text = texts.filter((each) => each !== undefined).join("\n");
    if (text !== "" && !appendToError(error, text)) console.error(text);
  }
}

/** Says that a mock of an earlier test answered the requests of another one. */
function neverStopped(owner: unknown, place: string | undefined): string {
  const name = propertyOf(owner, "name");
  const test = typeof name === "string" ? ` ${JSON.stringify(name)}` : "";
  const where = place === undefined ? "" : ` at ${place}`;
  return wrapped(
    `An earlier test${test} made the mock that answered this test's requests${where}, and never stopped it: make it with \`await using\`, or call mock.stop().`,
  );
}

const globalNamed = (name: string | symbol): unknown => Reflect.get(globalThis, name);
const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === "function";

const stateOfVitest = () => globalNamed("__vitest_worker__");

/** Jest's default runner, in a global of each test file. */
function stateOfJest(): unknown {
  const symbols = Object.getOwnPropertySymbols(globalThis);
  const key = symbols.find(({ description }) => description === "JEST_STATE_SYMBOL");
  return key && globalNamed(key);
}

const hasTestGlobals = () => stateOfVitest() !== undefined || stateOfJest() !== undefined;

/** The test of Vitest or Jest that runs; undefined if there is none, or others run beside it. */
function runningTest(): unknown {
  const test = propertyOf(stateOfVitest(), "current") ?? propertyOf(stateOfJest(), "currentlyRunningTest");
  return propertyOf(test, "concurrent") === true ? undefined : test;
}

/** Vitest keeps the running test in a global of its workers; the test's context has the hooks. */
function inVitest({ failed, passed }: TestEnd): boolean {
  const test = propertyOf(stateOfVitest(), "current");
  const context = propertyOf(test, "context");
  const [onTestFailed, onTestFinished] = [
    propertyOf(context, "onTestFailed"),
    propertyOf(context, "onTestFinished"),
  ];
  if (propertyOf(test, "type") !== "test" || !isFunction(onTestFailed) || !isFunction(onTestFinished))
    return false;
  try {
    onTestFailed(() => {
      const errors = propertyOf(propertyOf(test, "result"), "errors");
      failed(Array.isArray(errors) ? errors.at(-1) : undefined);
    });
    // Called before the hook of failed tests.
    onTestFinished(() => {
      if (propertyOf(propertyOf(test, "result"), "state") !== "fail") passed();
    });
    return true;
  } catch {
    // Within a hook of the test.
    return false;
  }
}

let latestOfJest: unknown;

/**
 * Jest adds errors to the list of the running test as they happen. It does not tell when a test has passed: the mocks of one test
 * are forgotten when another one makes a mock.
 */
function inJest(): boolean {
  const errors = propertyOf(propertyOf(stateOfJest(), "currentlyRunningTest"), "errors");
  if (!Array.isArray(errors)) return false;
  // Once for each list: a test may make many mocks.
  if (errors === latestOfJest) return true;
  explained.splice(0);
  latestOfJest = errors;
  const push = errors.push.bind(errors);
  errors.push = (...added: unknown[]) => {
    // A pair of the error and the place where the asynchronous function was called.
    for (const { failed } of explained.toReversed())
      for (const one of added) failed(Array.isArray(one) ? one[0] : one);
    return push(...added);
  };
  return true;
}

const FRAMES = 100;

/** Whether the stack, or that of the asynchronous caller, is of node:test. */
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
  const after = propertyOf(process.getBuiltinModule("node:test"), "after");
  if (!isFunction(after)) return false;
  after((test: unknown) => {
    if (propertyOf(test, "passed") !== false) return passed();
    const error = propertyOf(test, "error");
    failed(propertyOf(error, "cause") ?? error);
  });
  return true;
}
