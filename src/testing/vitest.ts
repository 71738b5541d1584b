import { expect, type TestAPI, type TestContext, test as vitestTest } from "vitest";
import type { Operation, RequestFilter } from "../index.ts";
import { type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import { matchers, type ReceivedLike } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike };

declare module "vitest" {
  interface Matchers<T> {
    /**
     * The mock received requests of this operation, or like this filter, whether it served or refused them.
     *
     * @example
     * expect(mock).toHaveReceived("addTarget", { times: 1 });
     * expect(mock).not.toHaveReceived({ operation: "query", refused: true });
     * expect(mock).toHaveReceived("query", { fields: { max_num_results: "5" } });
     */
    toHaveReceived(wanted: Operation | RequestFilter, like?: ReceivedLike): void;
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
 * arguments or not, and ends with the test whatever happens. What it refused stands behind the error of a test that fails,
 * and is an annotation of it. Importing this also adds the matchers `toHaveReceived` and
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
      async ({ mockOptions, task, annotate }, use) => {
        const fixture = openFixture(mockOptions);
        await use(fixture);
        const { result } = task;
        const failed = result?.state === "fail";
        const text = fixture.end({ failed, error: result?.errors?.at(-1) });
        if (text !== undefined && result !== undefined)
          await annotateFailed(result, () => annotation(annotate, text));
      },
      { auto: true },
    ],
  })
  .extend<MockFixture>({
    mock: ({ mockCloudReco }, use) => use(mockCloudReco.mock),
    database: ({ mockCloudReco }, use) => use(mockCloudReco.database),
  });

type Annotate = TestContext["annotate"];

/** For reporters that show annotations: what the explanation is about, and all of it as an attachment. */
const annotation = (annotate: Annotate, text: string) =>
  annotate("mock-cloud-reco: what the mock refused", { contentType: "text/plain", body: text });

/** Vitest takes annotations of running tests only, and one that failed is told of its end before its fixtures are. */
async function annotateFailed(result: { state: string }, annotateNow: () => Promise<unknown>): Promise<void> {
  const { state } = result;
  result.state = "run";
  let recorded: Promise<unknown>;
  try {
    recorded = annotateNow();
  } finally {
    result.state = state;
  }
  await recorded;
}
