import { AssertionError } from "node:assert";
import type { TestContext } from "node:test";
import type { MockCloudReco, Operation, RequestFilter } from "../index.ts";
import { type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import { type MatcherResult, matchReceived, matchRefusedNothing, type ReceivedTimes } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedTimes };

/** A test that is given a mock and a database of its own. */
export type MockTest = (fixture: MockFixture, context: TestContext) => unknown;

/**
 * Makes a function for `test()` of `node:test` that runs with a fresh mock and a fresh database, which end with the test
 * whatever happens.
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
    } finally {
      fixture.close();
    }
  };
}

/**
 * The mock received requests of this operation, or like this filter, whether it served or refused them.
 *
 * @throws AssertionError listing the requests that it received, and what was refused for which reason.
 * @example
 * assertReceived(mock, "addTarget", { times: 1 });
 * assertReceived(mock, { operation: "query", refused: true }, { times: 0 });
 */
export function assertReceived(
  mock: MockCloudReco,
  wanted: Operation | RequestFilter,
  times?: ReceivedTimes,
): void {
  assertPass(matchReceived(mock, wanted, times), assertReceived);
}

/**
 * The mock served every request that it received.
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
