import type { MockCloudReco } from "mock-cloud-reco";
import {
  type MockFixture,
  type MockFixtureOptions,
  mockHooks,
  type TestOutcome,
} from "mock-cloud-reco/assert";

/** A fixture as one test has it, by the hooks for any runner. */
export interface OpenFixture extends MockFixture {
  /**
   * Ends the test.
   *
   * @returns what was appended to its error, or printed; undefined: nothing.
   */
  end(outcome: TestOutcome): string | undefined;
  /** Ends the test; resolves when its report is written, and is undefined without a report. */
  endWithReport(outcome: TestOutcome): Promise<void> | undefined;
}

export function openFixture(options?: MockFixtureOptions): OpenFixture {
  const hooks = mockHooks(options);
  hooks.beforeEach();
  const { mock, database }: { readonly mock: MockCloudReco; readonly database: OpenFixture["database"] } =
    hooks;
  /** As Mocha tells a hook, which has a function to print as AVA has. */
  const endWithReport = ({ failed, error, name = "", file, print = () => {} }: TestOutcome) =>
    hooks.afterEach({
      ...{ state: failed ? "failed" : "passed", err: error, log: print, file },
      titlePath: () => [name],
    });
  return {
    mock,
    database,
    endWithReport,
    end: (outcome) => {
      const before = messageOf(outcome.error);
      let printed: string | undefined;
      const print = (text: string) => {
        printed = text;
        outcome.print?.(text);
      };
      endWithReport({ ...outcome, print });
      const appended = messageOf(outcome.error).slice(before.trimEnd().length).replace(/^\n\n/, "");
      return printed ?? (appended === "" ? undefined : appended);
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");
