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

/** Options of a test's mock: those of `new MockCloudReco()`, and three that a test runner's fixture adds. */
export interface MockFixtureOptions extends MockCloudRecoOptions {
  /** Fields of the test's database. Default: a new database with generated keys. */
  readonly database?: CloudDatabaseFields;
  /**
   * Whether a test fails when the mock refused a request, or got one that nothing serves, even if the code under test
   * took no notice; the failure prints who refused it and what to change. Default false.
   */
  readonly failOnRefusedRequests?: boolean;
  /** Refused requests that do not fail a test, whether they come or not; `mock.expectRefusal` is for those that must come. */
  readonly except?: RequestFilter | readonly RequestFilter[];
}

/** What a test gets. */
export interface MockFixture {
  /** A mock of the test's own, intercepting until the test ends. */
  readonly mock: MockCloudReco;
  /** An empty cloud database of that mock. */
  readonly database: MockCloudDatabase;
}

/** How a test ended, as its runner tells. */
export interface TestOutcome {
  /** Whether it failed so far. */
  readonly failed: boolean;
  /** What it failed with; the explanation is put behind its message. */
  readonly error?: unknown;
  /** Prints the explanation when there is no error to put it into. Default: `console.error`. */
  readonly print?: ((text: string) => void) | undefined;
}

export interface OpenFixture extends MockFixture {
  /**
   * Ends the mock. Of a test that failed, what may explain it is put behind the error's message, or printed.
   *
   * @returns the explanation, if there is one.
   * @throws Error of a test that passed: refused requests that are to fail it, or expected refusals that did not come.
   */
  end(outcome: TestOutcome): string | undefined;
}

/** @throws what `new MockCloudReco()` and `addCloudDatabase()` throw; no mock is left running then. */
export function openFixture(options: MockFixtureOptions = {}): OpenFixture {
  const { database: fields, failOnRefusedRequests = false, except = [], ...mockOptions } = options;
  const mock = new MockCloudReco(mockOptions);
  try {
    const database = mock.addCloudDatabase(fields);
    const exceptions = isList(except) ? except : [except];
    for (const filter of exceptions) mock.requestsOf(filter);
    // Not looked up in the journal at the end: it is bounded, and a test may reset it.
    const entries: JournalEntry[] = [];
    let arrived = 0;
    mock.on("request", () => {
      arrived += 1;
    });
    mock.on("rejected", (entry) => entries.push(entry));
    mock.on("response", (entry) => {
      if (entry.refusedBy === undefined && foundNothing(entry)) entries.push(entry);
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
          const fruitless = entries.filter(({ refusedBy }) => refusedBy === undefined);
          const text = explainFailure(mock, { arrived, refused, fruitless }, messageIn(error));
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
            `a refusal was expected that did not come: ${inspect(missing, { breakLength: Infinity })}${more}\n` +
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

/** Whether it is a query that no target matched. */
const foundNothing = ({ operation, status, considered }: JournalEntry): boolean =>
  operation === "query" && status === 200 && !considered?.some(({ matched }) => matched);

function messageIn(error: unknown): string {
  const message = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message : "";
}

/** An error without a stack: it would point into the runner; the requests say more. */
function bareError(message: string): Error {
  const error = new Error(message);
  error.stack = `${error.name}: ${message}`;
  return error;
}
