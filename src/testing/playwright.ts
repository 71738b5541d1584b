import { type MockCloudDatabase, MockCloudReco, type MockCloudRecoOptions } from "../index.ts";
import { baseUrls, type FetchMock, fetchDecoded } from "./fetch-decoded.ts";

export type { FetchMock };

/** The parts of Playwright's `Route` that {@link route} uses. */
export interface PlaywrightRoute {
  /** The page's request. */
  request(): {
    /** The whole URL. */
    url(): string;
    /** In upper case. */
    method(): string;
    /** By lower-case name, cookies included. */
    allHeaders(): Promise<Record<string, string>>;
    /** The body; null when there is none. */
    postDataBuffer(): Buffer | null;
  };
  /** Answers the request. */
  fulfill(response: { status: number; headers: Record<string, string>; body: Buffer }): Promise<void>;
  /** Fails the request. */
  abort(errorCode: string): Promise<void>;
}

/** Playwright's `BrowserContext` or `Page`. */
export interface PlaywrightContext {
  /** Handles requests whose URL matches a pattern. */
  route(url: string, handler: (route: PlaywrightRoute) => Promise<void>): Promise<unknown>;
}

/** Options of {@link route}. */
export interface RouteOptions {
  /** Value of the header `Access-Control-Allow-Origin` of every response. Default: none, like the service. */
  readonly corsAllowOrigin?: string;
}

/**
 * Passes requests of a browser's pages to a mock. Chromium does not give Playwright the bytes of files and Blobs in bodies: pages
 * that send those need servers (`startServers`).
 *
 * @example await route(context, mock, { corsAllowOrigin: "*" });
 */
export async function route(
  context: PlaywrightContext,
  mock: FetchMock,
  { corsAllowOrigin }: RouteOptions = {},
): Promise<void> {
  for (const url of baseUrls(mock)) {
    await context.route(`${url}/**`, async (routed) => {
      const response = await fetchDecoded(mock, await requestOf(routed)).catch(() => undefined);
      if (response === undefined) return routed.abort("connectionrefused");
      const headers = Object.fromEntries(response.headers);
      if (corsAllowOrigin !== undefined) headers["access-control-allow-origin"] = corsAllowOrigin;
      const body = Buffer.from(await response.arrayBuffer());
      await routed.fulfill({ status: response.status, headers, body });
    });
  }
}

async function requestOf(routed: PlaywrightRoute): Promise<Request> {
  const request = routed.request();
  const method = request.method();
  const headers = Object.entries(await request.allHeaders()).filter(([name]) => !name.startsWith(":"));
  const body = method === "GET" || method === "HEAD" ? null : request.postDataBuffer();
  return new Request(request.url(), { method, headers, body: body === null ? null : new Uint8Array(body) });
}

/** What each test of {@link mockFixtures} receives. */
export interface PlaywrightFixtures {
  /** The worker's mock, which intercepts nothing in the test's own process. */
  readonly mock: MockCloudReco;
  /** A cloud database for all tests of a worker. */
  readonly database: MockCloudDatabase;
}

type Use<Value> = (value: Value) => Promise<void>;

/**
 * Fixtures for `test.extend` of `@playwright/test`: a mock and a database per worker, and a `context` whose pages reach the mock.
 *
 * @param options - options of the mock, and of {@link route}.
 * @example export const test = base.extend(mockFixtures({ processingTimeSeconds: 0, corsAllowOrigin: "*" }));
 */
export function mockFixtures({ corsAllowOrigin, ...options }: MockCloudRecoOptions & RouteOptions = {}) {
  const routeOptions = corsAllowOrigin === undefined ? {} : { corsAllowOrigin };
  return {
    mock: [
      // Playwright requires a destructured first parameter.
      // biome-ignore lint/correctness/noEmptyPattern: see above
      async ({}: object, use: Use<MockCloudReco>): Promise<void> => {
        await using mock = new MockCloudReco({ intercept: false, ...options });
        await use(mock);
      },
      { scope: "worker" },
    ],
    database: [
      async ({ mock }: Pick<PlaywrightFixtures, "mock">, use: Use<MockCloudDatabase>): Promise<void> =>
        use(mock.addCloudDatabase()),
      { scope: "worker" },
    ],
    context: async <Context extends PlaywrightContext>(
      { context, mock }: { context: Context } & Pick<PlaywrightFixtures, "mock">,
      use: Use<Context>,
    ): Promise<void> => {
      await route(context, mock, routeOptions);
      await use(context);
    },
  } as const;
}
