import { expect, type TestAPI, type TestContext, vi, test as vitestTest } from "vitest";
import { areLimitsLifted, type MockFixture, type MockFixtureOptions, openFixture } from "./fixture.ts";
import { type MockMatchers, matchers, type ReceivedLike } from "./received.ts";

export type { MockFixture, MockFixtureOptions, ReceivedLike };

// Vitest 5 gave its own `Matchers` other type parameters. This interface has none, and Vitest's assertions have its members in every version.
declare global {
  namespace Chai {
    interface Assertion extends MockMatchers<void> {}
  }
}

expect.extend(matchers);
if (areLimitsLifted()) vi.setConfig({ testTimeout: 0, hookTimeout: 0 });

/** Fixtures in Vitest's test context. */
export interface MockTestContext extends MockFixture {
  /** Options of the mock; override them as {@link test} shows. */
  readonly mockOptions: MockFixtureOptions;
}

/**
 * Vitest's `test` with a new mock and a new database in each test. The mock intercepts in every test, even if the test does not
 * destructure it, and always stops when the test ends. When a test fails, what the mock refused is appended to its error and
 * added as an annotation. Importing this module also adds the matchers `toHaveReceived` and `toHaveRefusedNothing`.
 *
 * @example
 * import { test } from "mock-cloud-reco/vitest";
 *
 * test("uploads the picture once", async ({ mock, database }) => {
 *   await upload(picture, database);
 *   expect(mock).toHaveReceived("addTarget", { times: 1 });
 * });
 *
 * @example With other options, for a file or a `describe` block (before Vitest 4.1: `test.scoped`):
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
        const names: string[] = [];
        for (let each: RunnerTask | undefined = task; each !== undefined; each = each.suite)
          names.unshift(each.name);
        try {
          const text = fixture.end({
            failed,
            error: result?.errors?.at(-1),
            name: names.join(" > "),
            file: task.file.filepath,
          });
          if (text !== undefined && result !== undefined)
            await annotateFailed(result, () => annotation(annotate, text));
        } finally {
          await fixture.reportWritten;
        }
      },
      { auto: true },
    ],
  })
  .extend<MockFixture>({
    mock: ({ mockCloudReco }, use) => use(mockCloudReco.mock),
    database: ({ mockCloudReco }, use) => use(mockCloudReco.database),
  });

interface RunnerTask {
  readonly name: string;
  readonly suite?: RunnerTask | undefined;
}

const annotation = (annotate: TestContext["annotate"], text: string) =>
  annotate("explained by mock-cloud-reco", { contentType: "text/plain", body: text });

/** Vitest accepts annotations only for running tests, and marks a test as failed before its fixtures end. */
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
