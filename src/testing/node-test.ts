import type { TestContext } from "node:test";
import { type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import type { ReceivedLike } from "./received.ts";

export { assertReceived, assertRefusedNothing } from "./assert.ts";
export type { MockFixture, MockFixtureOptions, ReceivedLike };

/** A test that is given a mock and a database of its own. */
export type MockTest = (fixture: MockFixture, context: TestContext) => unknown;

/**
 * Makes a function for `test()` of `node:test` that runs with a fresh mock and a fresh database, which end with the test
 * whatever happens. What the mock refused stands behind the error of a test that fails.
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
 * test("is told when it is refused", withMockCloudReco({ failOnRefusedRequests: true }, async ({ database }) => { … }));
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
  return async (context) => {
    const fixture = openFixture(options);
    try {
      await test(fixture, context);
    } catch (error) {
      fixture.end({ failed: true, error, print: (text) => context.diagnostic(text) });
      throw error;
    }
    fixture.end({ failed: false });
  };
}
