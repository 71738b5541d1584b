import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { dirname, resolve } from "node:path";
import { inspect, stripVTControlCharacters } from "node:util";
import {
  type CloudDatabaseFields,
  type JournalEntry,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
  type RequestFilter,
} from "../index.ts";
import {
  appendToError,
  Evidence,
  explainFailure,
  explainTimeout,
  isLeftOver,
  isTimeout,
  listed,
  messageIn,
  messageOf,
  resolveFixtureOptions,
} from "./internal.ts";

interface TestIdentity {
  /** Full name, including the names of the enclosing blocks. */
  readonly name?: string | undefined;
  /** Path of the test's file. */
  readonly file?: string | undefined;
  /** The line of a stack that the fixture's errors have: some reporters fail on an error without any. */
  readonly frame?: string | undefined;
}

const MOST_NAME_CHARACTERS = 80;

/** The same path in each run, and another one for a test of that name in another file. */
function reportPath(folder: string, { name = "test", file = process.argv[1] }: TestIdentity): string {
  const readable = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const hash = createHash("sha256").update(`${file} ${name}`).digest("hex").slice(0, 8);
  return resolve(folder, `${readable.slice(0, MOST_NAME_CHARACTERS)}-${hash}.html`);
}

/** Never rejects: a problem must not hide why the test failed. */
async function writeFailureReport(
  mock: MockCloudReco,
  path: string,
  { name = "test", error }: { readonly name?: string | undefined; readonly error: string },
): Promise<void> {
  try {
    await fs.mkdir(dirname(path), { recursive: true });
    await mock.page.writeReport(path, {
      test: { name, ...(error !== "" && { error: stripVTControlCharacters(error) }) },
    });
  } catch (cause) {
    process.emitWarning(`the report ${path} was not written: ${messageOf(cause)}`, {
      code: "MOCK_CLOUD_RECO_REPORT",
    });
  }
}

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

/** The fixtures passed to each test. */
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

/** Requests of a test that timed out may reach the mock of a later test. */
let hasTimedOut = false;

/** @throws as `new MockCloudReco()` and `addCloudDatabase()`; no mock stays started then. */
export function openFixture(options: MockFixtureOptions = {}): OpenFixture {
  const resolved = resolveFixtureOptions(options);
  const { database: fields, mockOptions } = resolved;
  // The fixture explains failures itself.
  const mock = new MockCloudReco({ ...mockOptions, explainFailures: false });
  try {
    const database = mock.addCloudDatabase({ databaseName: "test-database", ...fields });
    return new OpenFixture(mock, database, resolved);
  } catch (error) {
    mock.stop();
    throw error;
  }
}

/** The fixtures of one test, from its start to its end. */
class OpenFixture implements MockFixture {
  readonly #evidence: Evidence;
  #reportWritten: Promise<void> | undefined;

  /** @throws the error of an unknown field in `except`. */
  constructor(
    readonly mock: MockCloudReco,
    readonly database: MockCloudDatabase,
    private readonly options: MockFixtureOptions & { readonly reportFolder: string },
  ) {
    const exceptions = [options.except ?? []].flat();
    for (const filter of exceptions) mock.requestsOf(filter);
    this.#evidence = new Evidence(mock, exceptions);
  }

  /** After {@link end}: resolves when the test's report is written; undefined when none is. */
  get reportWritten(): Promise<void> | undefined {
    return this.#reportWritten;
  }

  /** Stops the mock, and explains nothing. */
  close(): void {
    this.mock.stop();
    this.#evidence.end();
  }

  /**
   * Stops the mock. If the test failed, appends an explanation to the error's message, or prints it.
   *
   * @returns the explanation, if there is one.
   * @throws Error when the test passed, but the mock refused a request (with `failOnRefusedRequests`), or an expected refusal did
   * not occur.
   */
  end({ failed, error, print = console.error, ...test }: TestOutcome): string | undefined {
    // The mock knows this only while it is started.
    const { whyUnreached } = this.mock;
    this.close();
    if (failed) return this.#explain(test, error, whyUnreached, print);
    this.#failOnRefused(test, print);
    this.#failOnMissing(test);
    return undefined;
  }

  #explain(
    test: TestIdentity,
    error: unknown,
    whyUnreached: string | undefined,
    print: (text: string) => void,
  ): string | undefined {
    hasTimedOut ||= isTimeout(error);
    // Read before the explanation is appended to it.
    const message = messageIn(error);
    const explained = explainFailure(this.mock, this.#evidence, error, whyUnreached);
    const lines = [
      ...[explained, explainTimeout(this.mock, this.#evidence, error)].filter((each) => each !== undefined),
      ...this.#startReport(test, message),
    ];
    if (lines.length === 0) return undefined;
    const text = lines.join("\n");
    if (!appendToError(error, text)) print(text);
    return text;
  }

  #failOnRefused(test: TestIdentity, print: (text: string) => void): void {
    if (!this.options.failOnRefusedRequests) return;
    const { refused } = this.#evidence;
    // A request that is left over from another test must not fail this one.
    const late = hasTimedOut ? refused.filter(isLeftOver) : [];
    const own = refused.filter((entry) => !late.includes(entry));
    if (late.length > 0)
      print(
        `The mock refused, left over from an earlier test that timed out, ${listed(late, "request", "requests")}`,
      );
    if (own.length === 0) return;
    const requests = listed(own, "request", "requests").replace(
      /:\n/,
      ", and failOnRefusedRequests is set:\n",
    );
    throw this.#failure(test, `the mock refused ${requests}\n${expecting(own)}`);
  }

  #failOnMissing(test: TestIdentity): void {
    const [missing, ...others] = this.#evidence.missing;
    if (missing === undefined) return;
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    throw this.#failure(
      test,
      `expected a refusal that did not occur: ${inspect(missing, { breakLength: Infinity })}${more}\n` +
        `The mock received ${this.mock.explain()}`,
    );
  }

  #failure(test: TestIdentity, message: string): Error {
    return bareError([message, ...this.#startReport(test, message)].join("\n"), test.frame);
  }

  /** Starts to write a report. Returns the line with its path. */
  #startReport(test: TestIdentity, error: string): readonly string[] {
    const { report, reportFolder } = this.options;
    if (report === undefined) return [];
    const path = reportPath(reportFolder, test);
    this.#reportWritten = writeFailureReport(this.mock, path, { name: test.name, error });
    return [`Report of all requests: ${path}`];
  }
}

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

/** How to expect refusals, for the first of them. */
function expecting([first]: readonly JournalEntry[]): string {
  const { operation, method, path, resultCode, status } = { ...first };
  const filter = {
    ...(operation === undefined ? { method, path } : { operation }),
    ...(resultCode === undefined ? { status } : { resultCode }),
  };
  return `If a test expects it, write in the test: mock.expectRefusal(${inspect(filter, { breakLength: Infinity })})`;
}

/** Its own stack would point into the runner. */
function bareError(message: string, frame: string | undefined): Error {
  const error = new Error(message);
  error.stack = [`${error.name}: ${message}`, ...(frame === undefined ? [] : [frame])].join("\n");
  return error;
}

/** Whether tests have no timeout, so that `mock.page.pause()` can wait: no runner can change it while a test runs. */
export const areLimitsLifted = (): boolean => (process.env.MOCK_CLOUD_RECO_PAUSE ?? "") !== "";

/** For test runners with hooks. */
export class FixtureHooks implements MockFixture {
  #open: OpenFixture | undefined;

  /**
   * @param advice - completes "the mock exists only while a test runs: ".
   * @param frame - of errors, as in {@link TestOutcome}.
   */
  constructor(
    private readonly options: MockFixtureOptions,
    private readonly advice: string,
    private readonly frame?: string,
  ) {}

  get mock(): MockFixture["mock"] {
    return this.#current.mock;
  }

  get database(): MockFixture["database"] {
    return this.#current.database;
  }

  begin(): void {
    this.#open?.close();
    this.#open = openFixture(this.options);
  }

  /** @throws Error as {@link endFixture} does, or rejects with it. */
  end(outcome: TestOutcome): Promise<void> | undefined {
    const ended = this.#open;
    this.#open = undefined;
    return ended && endFixture(ended, { frame: this.frame, ...outcome });
  }

  get #current(): OpenFixture {
    if (this.#open !== undefined) return this.#open;
    throw new Error(`the mock exists only while a test runs: ${this.advice}`);
  }
}
