import { inspect } from "node:util";
import {
  type CloudDatabaseFields,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
  type RequestFilter,
} from "../index.ts";
import { appendToError } from "./append-to-error.ts";
import { Evidence, explainFailure, listed } from "./explanation.ts";
import { reportPath, type TestIdentity, writeFailureReport } from "./failure-report.ts";

/**
 * Options of a test's mock: those of `new MockCloudReco()`, and those of test fixtures.
 *
 * @example { processingTimeSeconds: 0, failOnRefusedRequests: true, except: { operation: "query", status: 401 } }
 */
export interface MockFixtureOptions extends MockCloudRecoOptions {
  /** Fields of the test's database. Default: generated keys and names, and default quotas. */
  readonly database?: CloudDatabaseFields;
  /**
   * Whether a test fails when the mock refused a request or received one for an unknown path, even if the code under test ignored
   * the response. The failure names the check that refused it and what to change. Default false.
   */
  readonly failOnRefusedRequests?: boolean;
  /** Requests that may be refused without failing a test. Use `mock.expectRefusal` for requests that must be refused. */
  readonly except?: RequestFilter | readonly RequestFilter[];
  /**
   * `on-failure` writes an HTML report of everything that the mock recorded when a test fails, and adds its path to the test's
   * error. Default: no report.
   */
  readonly report?: "on-failure";
  /** Folder of the reports; it is created. Default `mock-cloud-reco-reports`, in the working directory. */
  readonly reportFolder?: string;
}

/** What each test receives. */
export interface MockFixture {
  /** The test's own mock, which intercepts until the test ends. */
  readonly mock: MockCloudReco;
  /** An empty cloud database of that mock. */
  readonly database: MockCloudDatabase;
}

/** How a test ended, according to its runner. */
export interface TestOutcome extends TestIdentity {
  /** Whether the test has failed. */
  readonly failed: boolean;
  /** The error that failed the test; the explanation is appended to its message. */
  readonly error?: unknown;
  /** Prints the explanation when there is no error to append it to. Default: `console.error`. */
  readonly print?: ((text: string) => void) | undefined;
}

export interface OpenFixture extends MockFixture {
  /**
   * Stops the mock. If the test failed, appends an explanation to the error's message, or prints it.
   *
   * @returns the explanation, if there is one.
   * @throws Error when the test passed, but the mock refused a request (with `failOnRefusedRequests`), or an expected refusal did
   * not occur.
   */
  end(outcome: TestOutcome): string | undefined;
  /** After {@link end}: resolves when the test's report is written; undefined when none is. */
  readonly reportWritten: Promise<void> | undefined;
}

/** @throws what `new MockCloudReco()` and `addCloudDatabase()` throw; no mock stays started then. */
export function openFixture(options: MockFixtureOptions = {}): OpenFixture {
  const {
    database: fields,
    failOnRefusedRequests,
    except,
    report,
    reportFolder,
    mockOptions,
  } = MockCloudReco.fixtureOptions(options);
  const mock = new MockCloudReco(mockOptions);
  try {
    const database = mock.addCloudDatabase(fields);
    const exceptions = isList(except) ? except : [except];
    for (const filter of exceptions) mock.requestsOf(filter);
    const evidence = new Evidence(mock, exceptions);
    let reportWritten: Promise<void> | undefined;
    /** Starts to write the report of a failed test. Returns the line that says where. */
    const startReport = (test: TestIdentity, error: string): readonly string[] => {
      if (report === undefined) return [];
      const path = reportPath(reportFolder, test);
      reportWritten = writeFailureReport(mock, path, { name: test.name, error });
      return [`Report of all requests: ${path}`];
    };
    const fail = (test: TestIdentity, message: string): Error =>
      bareError([message, ...startReport(test, message)].join("\n"));
    return {
      mock,
      database,
      get reportWritten() {
        return reportWritten;
      },
      end: ({ failed, error, print = console.error, ...test }) => {
        mock.stop();
        const { refused } = evidence;
        if (failed) {
          const message = messageIn(error);
          const explained = explainFailure(mock, evidence, message);
          const lines = [...(explained === undefined ? [] : [explained]), ...startReport(test, message)];
          if (lines.length === 0) return undefined;
          const text = lines.join("\n");
          if (!appendToError(error, text)) print(text);
          return text;
        }
        if (failOnRefusedRequests && refused.length > 0) {
          throw fail(
            test,
            `the mock refused ${listed(refused, "request", "requests").replace(/:\n/, ", and failOnRefusedRequests is set:\n")}`,
          );
        }
        const [missing, ...others] = evidence.missing;
        if (missing !== undefined) {
          const more = others.length === 0 ? "" : `, and ${others.length} more`;
          throw fail(
            test,
            `expected a refusal that did not occur: ${inspect(missing, { breakLength: Infinity })}${more}\n` +
              `The mock received ${mock.explain()}`,
          );
        }
        return undefined;
      },
    };
  } catch (error) {
    mock.stop();
    throw error;
  }
}

/** Ends a fixture, and waits until its report is written, if there is one. */
export function endFixture(fixture: OpenFixture, outcome: TestOutcome): Promise<void> | undefined {
  try {
    fixture.end(outcome);
  } catch (error) {
    if (fixture.reportWritten === undefined) throw error;
    return fixture.reportWritten.then(() => {
      throw error;
    });
  }
  return fixture.reportWritten;
}

const isList = (given: RequestFilter | readonly RequestFilter[]): given is readonly RequestFilter[] =>
  Array.isArray(given);

function messageIn(error: unknown): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message : "";
}

/** Creates an error without a stack, which would only point into the runner. */
function bareError(message: string): Error {
  const error = new Error(message);
  error.stack = `${error.name}: ${message}`;
  return error;
}
