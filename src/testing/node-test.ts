import type { TestContext } from "node:test";
import { outcomeOf } from "./assert.ts";
import { endFixture, type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import { callerOf, callingFrame } from "./internal.ts";
import type { ReceivedLike } from "./received.ts";

export { assertReceived, assertRefusedNothing } from "./assert.ts";
export type { MockFixture, MockFixtureOptions, ReceivedLike };

/** A test function that receives its own mock and database. */
export type MockTest = (fixture: MockFixture, context: TestContext) => unknown;

/** Places where functions were wrapped in a running test, until they run. */
const unused = new Set<{ readonly place: string }>();

/**
 * Remembers a function that is wrapped in a running test: `test("name", () => withMockCloudReco(…))` runs nothing, and passes.
 * Returns a function to call when it runs. At the top of a file, its test may be skipped.
 */
function expectRun(method: typeof withMockCloudReco): () => void {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, method);
  if (!/\bTest\.run/.test(String(holder.stack))) return () => {};
  const wrapped = { place: callerOf(method) ?? "an unknown place" };
  process.off("beforeExit", warnOfUnused).once("beforeExit", warnOfUnused);
  unused.add(wrapped);
  return () => unused.delete(wrapped);
}

function warnOfUnused(): void {
  for (const { place } of unused)
    process.emitWarning(
      `the function that withMockCloudReco returned at ${place} never ran, so its test tested nothing: pass it to test() ` +
        'itself, as test("name", withMockCloudReco(…))',
      { code: "MOCK_CLOUD_RECO_UNUSED" },
    );
}

/**
 * Wraps a test function for `test()` of `node:test`, so that it runs with a new mock and a new database. The mock always stops
 * when the test ends. When the test fails, what the mock refused is appended to its error.
 *
 * @throws in the test, what `new MockCloudReco()` throws.
 *
 * @example
 * import { test } from "node:test";
 * import { assertReceived, withMockCloudReco } from "mock-cloud-reco/node-test";
 *
 * test("uploads the picture once", withMockCloudReco(async ({ mock, database }) => {
 *   await upload(picture, database);
 *   assertReceived(mock, "addTarget", { times: 1 });
 * }));
 *
 * @example With options:
 * test("sends no request that is refused", withMockCloudReco({ failOnRefusedRequests: true }, async ({ database }) => { … }));
 */
export function withMockCloudReco(test: MockTest): (context: TestContext) => Promise<void>;
export function withMockCloudReco(
  options: MockFixtureOptions,
  test: MockTest,
): (context: TestContext) => Promise<void>;
export function withMockCloudReco(
  ...given: [MockTest] | [MockFixtureOptions, MockTest]
): (context: TestContext) => Promise<void> {
  const [options, test] = given.length === 1 ? [{}, ...given] : given;
  const hasRun = expectRun(withMockCloudReco);
  const frame = callingFrame(withMockCloudReco);
  return async (context) => {
    hasRun();
    const fixture = openFixture(options);
    // The runner decides later whether the test failed.
    const { name, file } = outcomeOf(context);
    try {
      await test(fixture, context);
    } catch (error) {
      await endFixture(fixture, {
        failed: true,
        error,
        name,
        file,
        // Other runners have another context, or none.
        print: (text) => (context?.diagnostic === undefined ? console.error(text) : context.diagnostic(text)),
      });
      throw error;
    }
    await endFixture(fixture, { failed: false, name, file, frame });
  };
}
