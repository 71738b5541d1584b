import type { Fixtures, PlaywrightTestArgs } from "@playwright/test";
import { outcomeOf } from "./assert.ts";
import { baseUrls, type FetchMock, fetchDecoded } from "./fetch-decoded.ts";
import { FixtureHooks, type MockFixture, type MockFixtureOptions } from "./fixture.ts";

export type { FetchMock, MockFixtureOptions };

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

/** The fixtures of each test of {@link mockFixtures}; the mock answers the test's own process too. */
export interface PlaywrightFixtures extends MockFixture {}

/**
 * Fixtures for `test.extend` of `@playwright/test`: a mock and a database for each test, and a `context` whose pages reach the
 * mock. When a test fails, what the mock refused is appended to its error.
 *
 * @param options - options of a test's mock, and of {@link route}.
 * @throws in each test, what `new MockCloudReco()` throws.
 * @example export const test = base.extend(mockFixtures({ processingTimeSeconds: 0, failOnRefusedRequests: true }));
 */
export function mockFixtures({
  corsAllowOrigin,
  ...options
}: MockFixtureOptions & RouteOptions = {}): Fixtures<PlaywrightFixtures, object, PlaywrightTestArgs> {
  const routeOptions = corsAllowOrigin === undefined ? {} : { corsAllowOrigin };
  const hooks = new FixtureHooks(options, "use it in a test or in a fixture of a test");
  return {
    mock: [
      // Playwright requires a destructured first parameter.
      // biome-ignore lint/correctness/noEmptyPattern: see above
      async ({}, use, test) => {
        hooks.begin();
        await use(hooks.mock);
        await hooks.end(outcomeOf(test));
      },
      // Also for tests without these fixtures: their backend must not reach the real service.
      { auto: true },
    ],
    // Depends on the mock, so that it exists before.
    database: async ({ mock: _mock }, use) => use(hooks.database),
    context: async ({ context, mock }, use) => {
      await route(context, mock, routeOptions);
      await use(context);
    },
  };
}
