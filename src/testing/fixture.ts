import { inspect } from "node:util";
import {
  type CloudDatabaseFields,
  type JournalEntry,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
  type RequestFilter,
} from "../index.ts";
import { appendToError } from "./append-to-error.ts";
import { explainFailure, listed } from "./explanation.ts";

/**
 * Options of a test's mock: those of `new MockCloudReco()`, and three for test fixtures.
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
}

/** What each test receives. */
export interface MockFixture {
  /** The test's own mock, which intercepts until the test ends. */
  readonly mock: MockCloudReco;
  /** An empty cloud database of that mock. */
  readonly database: MockCloudDatabase;
}

/** How a test ended, according to its runner. */
export interface TestOutcome {
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
}

/** @throws what `new MockCloudReco()` and `addCloudDatabase()` throw; no mock stays started then. */
export function openFixture(options: MockFixtureOptions = {}): OpenFixture {
  const { database: fields, failOnRefusedRequests = false, except = [], ...mockOptions } = options;
  const mock = new MockCloudReco(mockOptions);
  try {
    const database = mock.addCloudDatabase(fields);
    const exceptions = isList(except) ? except : [except];
    for (const filter of exceptions) mock.requestsOf(filter);
    // Collected here, because the journal is bounded and a test may reset it.
    const entries: JournalEntry[] = [];
    let arrived = 0;
    mock.on("request", () => {
      arrived += 1;
    });
    mock.on("rejected", (entry) => entries.push(entry));
    mock.on("response", (entry) => {
      if (entry.refusedBy === undefined && isUnmatchedQuery(entry)) entries.push(entry);
    });
    const unexpected = () => {
      const refused = mock.unexpectedRefusals(entries);
      const excepted = new Set(exceptions.flatMap((filter) => mock.requestsOf(filter, refused)));
      return refused.filter((entry) => !excepted.has(entry));
    };
    return {
      mock,
      database,
      end: ({ failed, error, print = console.error }) => {
        mock.stop();
        const refused = unexpected();
        if (failed) {
          const unmatched = entries.filter(({ refusedBy }) => refusedBy === undefined);
          const text = explainFailure(mock, { arrived, refused, unmatched }, messageIn(error));
          if (text !== undefined && !appendToError(error, text)) print(text);
          return text;
        }
        if (failOnRefusedRequests && refused.length > 0) {
          throw bareError(
            `the mock refused ${listed(refused, "request", "requests").replace(/:\n/, ", and failOnRefusedRequests is set:\n")}`,
          );
        }
        const [missing, ...others] = mock.missingRefusals(entries);
        if (missing !== undefined) {
          const more = others.length === 0 ? "" : `, and ${others.length} more`;
          throw bareError(
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

const isList = (given: RequestFilter | readonly RequestFilter[]): given is readonly RequestFilter[] =>
  Array.isArray(given);

/** Whether a request is a query that succeeded without a match. */
const isUnmatchedQuery = ({ operation, status, considered }: JournalEntry): boolean =>
  operation === "query" && status === 200 && !considered?.some(({ matched }) => matched);

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
