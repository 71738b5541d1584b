import { promises as fs } from "node:fs";
import * as reads from "../core/store/reads.ts";
import type { MockReport, ReportDetails } from "../page/model.ts";
import { buildReport, reportPage } from "../page/report.ts";
import type { ShownMock } from "./serve-page.ts";

/** A live page that is being served; see `mock.page.serve`. */
export interface ServedPage extends AsyncDisposable {
  /** Address to open in a browser. */
  readonly url: string;
  /** Stops serving the page. */
  stop(): Promise<void>;
}

const LIMITED =
  " If the test's time limit ends it first, set MOCK_CLOUD_RECO_PAUSE=1, which lifts the limit.";

/**
 * A mock's views for people: a live page, the same page that pauses a test, and a report. See `mock.page`.
 *
 * @example await mock.page.writeReport("mock-report.html");
 */
export class MockPage {
  /** How to stop each page that is served, even while it starts. */
  readonly #served = new Set<() => Promise<void>>();
  readonly #mock: () => ShownMock;
  #pauses = 0;

  /** Whether {@link pause} waits. @internal */
  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /** @internal */
  constructor(mock: () => ShownMock) {
    this.#mock = mock;
  }

  /**
   * Serves a live page of this mock on a loopback port until the page is stopped or the mock stops.
   *
   * @returns the page with its URL.
   * @example
   * await using page = await mock.page.serve();
   * console.log(page.url);
   */
  async serve(): Promise<ServedPage> {
    return this.#serve();
  }

  /**
   * Pauses a test: prints the URL of a live page of this mock on standard error and waits until "Continue" is pressed there or the mock stops.
   * Give the test no timeout, or set the environment variable `MOCK_CLOUD_RECO_PAUSE=1`: it lifts the limits of tests that use
   * the fixture for Vitest or Jest, except those that a test sets itself.
   *
   * @example await mock.page.pause();
   */
  async pause(): Promise<void> {
    const { promise, resolve } = withResolvers();
    await using page = await this.#serve(resolve);
    const limited = (process.env.MOCK_CLOUD_RECO_PAUSE ?? "") === "";
    process.stderr.write(
      `mock-cloud-reco: paused. Open ${page.url} and press Continue there.${limited ? LIMITED : ""}\n`,
    );
    this.#pauses += 1;
    await promise;
    this.#pauses -= 1;
  }

  /**
   * Returns everything that was recorded as plain JSON: requests with their responses, reasons and both strings to sign;
   * databases, targets, images and the timeline of target statuses. Contains no secrets.
   *
   * @param details - the test that the report covers.
   * @example await writeFile("mock.json", JSON.stringify(mock.page.report()));
   */
  report({ test }: ReportDetails = {}): MockReport {
    const { state, urls } = this.#mock();
    const { store, journal, clock } = state;
    const { entries, dropped } = journal;
    const databases = store.readNow(reads.databases);
    return buildReport({ test, now: clock.now().getTime(), urls, databases, entries, dropped });
  }

  /**
   * Writes {@link report} as one HTML file that opens in a browser without a server. Contains no secrets.
   *
   * @param details - the test that the report covers.
   * @throws the error of the file system when the file cannot be written.
   * @example await mock.page.writeReport("mock-report.html");
   */
  async writeReport(path: string, details: ReportDetails = {}): Promise<void> {
    await fs.writeFile(path, await reportPage(this.report(details)));
  }

  /**
   * Resolves when no page is served any more; never rejects.
   *
   * @internal
   */
  async stopAll(): Promise<void> {
    await Promise.allSettled([...this.#served].map((stop) => stop()));
  }

  /** @param resume - called when "Continue" is pressed, and when the page stops; without it, the page has no such button. */
  async #serve(resume?: () => void): Promise<ServedPage> {
    const mock = this.#mock();
    // Loaded only now, so that a mock without a page loads no server.
    const starting = import("./serve-page.ts").then(({ servePage }) => servePage({ ...mock, resume }));
    const stop = async () => {
      this.#served.delete(stop);
      resume?.();
      await (await starting).close();
    };
    this.#served.add(stop);
    try {
      const { url } = await starting;
      return { url, stop, [Symbol.asyncDispose]: stop };
    } catch (error) {
      this.#served.delete(stop);
      throw error;
    }
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
