import { afterEach, beforeEach, jest } from "@jest/globals";
import { type MockFixture, type MockFixtureOptions, type OpenFixture, openFixture } from "./fixture.ts";
import "./jest-matchers.ts";
import type { ReceivedTimes } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedTimes };

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
 * with the test whatever happens. Importing this also adds the matchers `toHaveReceived` and `toHaveRefusedNothing`.
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
  let fixture: OpenFixture | undefined;
  const current = (): OpenFixture => {
    if (fixture !== undefined) return fixture;
    throw new Error(
      "there is a mock only while a test runs: read `mock` and `database` inside a test or a beforeEach, from the object " +
        "that useMockCloudReco() returned, without destructuring it outside; test.concurrent does not work, Jest runs no hooks for it",
    );
  };

  beforeEach(() => {
    if (timers !== undefined) jest.useFakeTimers(timers);
    fixture = openFixture(options);
  });
  afterEach(() => {
    const ended = fixture;
    fixture = undefined;
    if (timers !== undefined) jest.useRealTimers();
    ended?.close();
  });

  return {
    get mock() {
      return current().mock;
    },
    get database() {
      return current().database;
    },
  };
}

function withRealNextTick(config: FakeTimersConfig): FakeTimersConfig {
  if (config.legacyFakeTimers) {
    throw new Error(
      "fakeTimers.legacyFakeTimers is not accepted: legacy timers fake process.nextTick, which HTTP clients need",
    );
  }
  return { ...config, doNotFake: [...(config.doNotFake ?? []), "nextTick"] };
}
