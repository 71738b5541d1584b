import {
  endFixture,
  type MockFixture,
  type MockFixtureOptions,
  type OpenFixture,
  openFixture,
  type TestOutcome,
} from "./fixture.ts";

/**
 * Whether tests run without time limits, so that `mock.pause()` can wait. No runner can change the limit of a test that is
 * running, so the environment variable `MOCK_CLOUD_RECO_PAUSE` asks for it before.
 */
export const areLimitsLifted = (): boolean => (process.env.MOCK_CLOUD_RECO_PAUSE ?? "") !== "";

/** A new mock and a new database for each test, for test runners with hooks. */
export class FixtureHooks implements MockFixture {
  #open: OpenFixture | undefined;

  /** @param advice - completes "the mock exists only while a test runs: ". */
  constructor(
    private readonly options: MockFixtureOptions,
    private readonly advice: string,
  ) {}

  get mock() {
    return this.#current.mock;
  }

  get database() {
    return this.#current.database;
  }

  begin(): void {
    this.#open?.mock.stop();
    this.#open = openFixture(this.options);
  }

  /** @throws Error as {@link endFixture} does, or rejects with it. */
  end(outcome: TestOutcome): Promise<void> | undefined {
    const ended = this.#open;
    this.#open = undefined;
    return ended && endFixture(ended, outcome);
  }

  get #current(): OpenFixture {
    if (this.#open !== undefined) return this.#open;
    throw new Error(`the mock exists only while a test runs: ${this.advice}`);
  }
}
