import {
  type MockFixture,
  type MockFixtureOptions,
  type OpenFixture,
  openFixture,
  type TestOutcome,
} from "./fixture.ts";

/** A fresh mock and a fresh database for every test, for runners whose tests are surrounded by hooks. */
export class FixtureHooks implements MockFixture {
  #open: OpenFixture | undefined;

  /** @param advice - completes "there is a mock only while a test runs: ". */
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

  /** @throws Error as {@link OpenFixture.end}. */
  end(outcome: TestOutcome): void {
    const ended = this.#open;
    this.#open = undefined;
    ended?.end(outcome);
  }

  get #current(): OpenFixture {
    if (this.#open !== undefined) return this.#open;
    throw new Error(`there is a mock only while a test runs: ${this.advice}`);
  }
}
