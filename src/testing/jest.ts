import { afterEach, beforeEach, jest } from "@jest/globals";
import type { MockFixture, MockFixtureOptions, TestOutcome } from "./fixture.ts";
import { FixtureHooks } from "./hooks.ts";
import "./jest-matchers.ts";
import type { ReceivedLike } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike };

/** Configuration that `jest.useFakeTimers` accepts, but for its legacy timers, which cannot leave `process.nextTick` real. */
export type FakeTimersConfig = Extract<
  Parameters<typeof jest.useFakeTimers>[0],
  { readonly legacyFakeTimers?: false }
>;

export interface JestFixtureOptions extends MockFixtureOptions {
  /**
   * Fakes timers and the date in every test, before the mock is made, and gives the real ones back after it:
   * `jest.advanceTimersByTime(500)` then also lets targets finish processing. `process.nextTick` stays real, as HTTP
   * clients need it. Default false.
   */
  readonly fakeTimers?: boolean | FakeTimersConfig;
}

/**
 * Gives every test of the file, or of the `describe` block in which it is called, a fresh mock and a fresh database, which end
 * with the test whatever happens. What the mock refused stands behind the error of a test that fails. Importing this also adds the matchers `toHaveReceived` and `toHaveRefusedNothing`.
 *
 * @throws Error for legacy fake timers; in each test what `new MockCloudReco()` throws.
 * @returns the running test's mock and database. Read them inside a test or a hook of a test, from this object: destructured
 * outside of one, there is no mock yet.
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
  const hooks = new FixtureHooks(
    options,
    "read `mock` and `database` inside a test or a beforeEach, from the object that useMockCloudReco() returned, without " +
      "destructuring it outside; test.concurrent does not work, Jest runs no hooks for it",
  );

  beforeEach(() => {
    if (timers !== undefined) jest.useFakeTimers(timers);
    hooks.begin();
  });
  afterEach(() => {
    if (timers !== undefined) jest.useRealTimers();
    hooks.end(currentOutcome());
  });
  return hooks;
}

/**
 * How the running test ended. Jest tells hooks nothing of it, but its runner keeps what it knows in a global of each test file.
 * Where that is another runner, no test is known to have failed.
 */
function currentOutcome(): TestOutcome {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const errors: unknown = fieldOf(
    fieldOf(key && Reflect.get(globalThis, key), "currentlyRunningTest"),
    "errors",
  );
  if (!Array.isArray(errors) || errors.length === 0) return { failed: false };
  const [last]: unknown[] = errors.slice(-1);
  // With the error of the place where an asynchronous function was called.
  return { failed: true, error: Array.isArray(last) ? last[0] : last };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

function withRealNextTick(config: FakeTimersConfig): FakeTimersConfig {
  if (config.legacyFakeTimers) {
    throw new Error(
      "fakeTimers.legacyFakeTimers is not accepted: legacy timers fake process.nextTick, which HTTP clients need",
    );
  }
  return { ...config, doNotFake: [...(config.doNotFake ?? []), "nextTick"] };
}
