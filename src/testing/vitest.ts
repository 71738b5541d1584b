import { expect, type TestAPI, test as vitestTest } from "vitest";
import type { Operation, RequestFilter } from "../index.ts";
import { type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import { matchers, type ReceivedTimes } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedTimes };

declare module "vitest" {
  interface Matchers<T> {
    /**
     * The mock received requests of this operation, or like this filter, whether it served or refused them.
     *
     * @example
     * expect(mock).toHaveReceived("addTarget", { times: 1 });
     * expect(mock).not.toHaveReceived({ operation: "query", refused: true });
     */
    toHaveReceived(wanted: Operation | RequestFilter, times?: ReceivedTimes): void;
    /** The mock served every request that it received. */
    toHaveRefusedNothing(): void;
  }
}

expect.extend(matchers);

/** What `test` adds to Vitest's own test context. */
export interface MockTestContext extends MockFixture {
  /** Options of the mock, to be overridden; see {@link test}. */
  readonly mockOptions: MockFixtureOptions;
}

/**
 * Vitest's `test` with a fresh mock and a fresh database in every test. The mock intercepts in every test, named in its
 * arguments or not, and ends with the test whatever happens. Importing this also adds the matchers `toHaveReceived` and
 * `toHaveRefusedNothing`.
 *
 * @example
 * import { test } from "mock-cloud-reco/vitest";
 *
 * test("uploads the picture once", async ({ mock, database }) => {
 *   await upload(picture, database);
 *   expect(mock).toHaveReceived("addTarget", { times: 1 });
 * });
 *
 * @example With other options, for a file or a `describe` block (Vitest 3: `test.scoped`):
 * test.override({ mockOptions: { processingTimeSeconds: 0, failOnRefusedRequests: true } });
 *
 * @example With other options, for several files:
 * export const test = base.extend({ mockOptions: { seed: 1 } });
 */
export const test: TestAPI<MockTestContext> = vitestTest
  .extend<{ mockOptions: MockFixtureOptions; mockCloudReco: MockFixture }>({
    mockOptions: {},
    mockCloudReco: [
      async ({ mockOptions }, use) => {
        const fixture = openFixture(mockOptions);
        try {
          await use(fixture);
        } finally {
          fixture.close();
        }
      },
      { auto: true },
    ],
  })
  .extend<MockFixture>({
    mock: ({ mockCloudReco }, use) => use(mockCloudReco.mock),
    database: ({ mockCloudReco }, use) => use(mockCloudReco.database),
  });
