import type { PagedMock } from "../page/serve-page.ts";

/** A live page that shows a mock; see `mock.servePage`. */
export interface MockPage extends AsyncDisposable {
  /** Address to open in a browser. */
  readonly url: string;
  /** Stops serving the page. */
  stop(): Promise<void>;
}

const LIMITED =
  " If the test's time limit ends it first, set MOCK_CLOUD_RECO_PAUSE=1, which lifts the limit.";

/** The pages of one mock that are being served. */
export class MockPages {
  /** How to stop each, even while it starts. */
  private readonly open = new Set<() => Promise<void>>();

  /** @param stopped - called when the page is stopped. */
  async serve(mock: PagedMock, stopped = () => {}): Promise<MockPage> {
    // Loaded only now, so that a mock without a page loads no server.
    const starting = import("../page/serve-page.ts").then(({ servePage }) => servePage(mock));
    const stop = async () => {
      this.open.delete(stop);
      stopped();
      await (await starting).close();
    };
    this.open.add(stop);
    try {
      const { url } = await starting;
      return { url, stop, [Symbol.asyncDispose]: stop };
    } catch (error) {
      this.open.delete(stop);
      throw error;
    }
  }

  /** Serves a page with a "Continue" button until somebody presses it or the mock stops. */
  async pause(mock: Omit<PagedMock, "resume">): Promise<void> {
    const { promise, resolve } = withResolvers();
    await using page = await this.serve({ ...mock, resume: resolve }, resolve);
    const limited = (process.env.MOCK_CLOUD_RECO_PAUSE ?? "") === "";
    process.stderr.write(
      `mock-cloud-reco: paused. Open ${page.url} and press Continue there.${limited ? LIMITED : ""}\n`,
    );
    await promise;
  }

  /** Resolves when no page is served any more; never rejects. */
  async stopAll(): Promise<void> {
    await Promise.allSettled([...this.open].map((stop) => stop()));
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
