import { afterEach, beforeEach, expect, jest } from "@jest/globals";
import {
  areLimitsLifted,
  FixtureHooks,
  type MockFixture,
  type MockFixtureOptions,
  type TestOutcome,
} from "./fixture.ts";
import "./jest-matchers.ts";
import { propertyOf } from "./internal.ts";
import type { ReceivedLike } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike };

/** Configuration of `jest.useFakeTimers`, without legacy timers, which cannot leave `process.nextTick` real. */
export type FakeTimersConfig = Extract<
  Parameters<typeof jest.useFakeTimers>[0],
  { readonly legacyFakeTimers?: false }
>;

/** Options of `useMockCloudReco`. */
export interface JestFixtureOptions extends MockFixtureOptions {
  /**
   * Whether to fake timers and the date before each test's mock is created, and to restore the real ones after the test.
   * `jest.advanceTimersByTime(500)` then also advances the processing of targets. `process.nextTick` stays real, because HTTP
   * clients need it. Default false.
   */
  readonly fakeTimers?: boolean | FakeTimersConfig;
}

/** In milliseconds; a longer timer would fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * Gives each test of a file, or of the `describe` block in which it is called, a new mock and a new database. The mock always
 * stops when the test ends. When a test fails, what the mock refused is appended to its error. Importing this module also adds
 * the matchers `toHaveReceived` and `toHaveRefusedNothing`.
 *
 * @throws Error for legacy fake timers; in each test, what `new MockCloudReco()` throws.
 * @returns the running test's mock and database. Read them from this object inside a test or a hook; do not destructure it
 * outside, where no mock exists yet.
 * @example
 * const { useMockCloudReco } = require("mock-cloud-reco/jest");
 *
 * const recognition = useMockCloudReco({ failOnRefusedRequests: true });
 *
 * test("uploads the picture once", async () => {
 *   await upload(picture, recognition.database);
 *   expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
 * });
 */
export function useMockCloudReco({ fakeTimers = false, ...options }: JestFixtureOptions = {}): MockFixture {
  const timers = fakeTimers === false ? undefined : withRealNextTick(fakeTimers === true ? {} : fakeTimers);
  if (areLimitsLifted()) jest.setTimeout(LONGEST_TIMEOUT);
  const hooks = new FixtureHooks(
    options,
    "read `mock` and `database` inside a test or a beforeEach, from the object that useMockCloudReco() returned, without " +
      "destructuring it outside; test.concurrent is not supported, because Jest runs no hooks for it",
  );

  beforeEach(() => {
    if (timers !== undefined) jest.useFakeTimers(timers);
    hooks.begin();
  });
  afterEach(() => {
    if (timers !== undefined) jest.useRealTimers();
    return hooks.end(currentOutcome());
  });
  return hooks;
}

/** Read from a global of Jest's default runner: hooks do not get it. With another runner, each test counts as passed. */
function currentOutcome(): TestOutcome {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const state = key && (globalThis as { readonly [global: symbol]: unknown })[key];
  const errors = propertyOf(propertyOf(state, "currentlyRunningTest"), "errors");
  const { currentTestName: name, testPath: file } = expect.getState();
  const test = { name, file };
  if (!Array.isArray(errors) || errors.length === 0) return { failed: false, ...test };
  const [last]: unknown[] = errors.slice(-1);
  // A pair of the error and the place of the asynchronous call.
  return { failed: true, error: Array.isArray(last) ? last[0] : last, ...test };
}

function withRealNextTick(config: FakeTimersConfig): FakeTimersConfig {
  if (config.legacyFakeTimers) {
    throw new Error(
      "fakeTimers.legacyFakeTimers is not supported: legacy timers fake process.nextTick, which HTTP clients need",
    );
  }
  return { ...config, doNotFake: [...(config.doNotFake ?? []), "nextTick"] };
}
