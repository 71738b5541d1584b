import {
  type CloudDatabaseFields,
  formatJournal,
  type JournalEntry,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
} from "../index.ts";

/** Options of a test's mock: those of `new MockCloudReco()`, and two that a test runner's fixture adds. */
export interface MockFixtureOptions extends MockCloudRecoOptions {
  /** Fields of the test's database. Default: a new database with generated keys. */
  readonly database?: CloudDatabaseFields;
  /**
   * Whether a test fails when the mock refused a request, or got one that nothing serves, even if the code under test
   * took no notice; the failure prints who refused it and what to change. Default false.
   */
  readonly failOnRefusedRequests?: boolean;
}

/** What a test gets. */
export interface MockFixture {
  /** A mock of the test's own, intercepting until the test ends. */
  readonly mock: MockCloudReco;
  /** An empty cloud database of that mock. */
  readonly database: MockCloudDatabase;
}

export interface OpenFixture extends MockFixture {
  /**
   * Ends the mock.
   *
   * @throws Error printing the refused requests, where they are to fail the test.
   */
  close(): void;
}

/** @throws what `new MockCloudReco()` and `addCloudDatabase()` throw; no mock is left running then. */
export function openFixture(options: MockFixtureOptions = {}): OpenFixture {
  const { database: fields, failOnRefusedRequests = false, ...mockOptions } = options;
  const mock = new MockCloudReco(mockOptions);
  try {
    const database = mock.addCloudDatabase(fields);
    // Not looked up in the journal at the end: it is bounded, and a test may reset it.
    const refused: JournalEntry[] = [];
    mock.on("rejected", (entry) => refused.push(entry));
    return {
      mock,
      database,
      close: () => {
        mock.stop();
        if (failOnRefusedRequests && refused.length > 0) throw refusedRequestsError(refused);
      },
    };
  } catch (error) {
    mock.stop();
    throw error;
  }
}

function refusedRequestsError(refused: readonly JournalEntry[]): Error {
  const requests = refused.length === 1 ? "a request" : `${refused.length} requests`;
  const error = new Error(
    `the mock refused ${requests}, and failOnRefusedRequests is set:\n${formatJournal(refused)}`,
  );
  // It would point into the runner; the requests say more.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
