import type { PagedMock } from "../page/serve-page.ts";

/** A live page that shows a mock; see `mock.servePage`. */
export interface MockPage extends AsyncDisposable {
  /** Address to open in a browser. */
  readonly url: string;
  /** Stops serving the page. */
  stop(): Promise<void>;
}

/** The pages of one mock that are being served. */
export class MockPages {
  private readonly open = new Set<MockPage>();

  async serve(mock: PagedMock): Promise<MockPage> {
    // Loaded only now, so that a mock without a page loads no server.
    const { servePage } = await import("../page/serve-page.ts");
    const server = await servePage(mock);
    const stop = async () => {
      this.open.delete(page);
      await server.close();
    };
    const page: MockPage = { url: server.url, stop, [Symbol.asyncDispose]: stop };
    this.open.add(page);
    return page;
  }

  /** Serves a page with a "Continue" button until somebody presses it. */
  async pause(mock: Omit<PagedMock, "resume">): Promise<void> {
    const { promise, resolve } = withResolvers();
    await using page = await this.serve({ ...mock, resume: resolve });
    process.stderr.write(`mock-cloud-reco: paused. Open ${page.url} and press Continue there.\n`);
    await promise;
  }

  stopAll(): void {
    for (const page of this.open) void page.stop();
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
