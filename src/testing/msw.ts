import { type HttpHandler, http } from "msw";
import { baseUrls, type FetchMock, fetchDecoded } from "./fetch-decoded.ts";

export type { FetchMock };

/**
 * Handlers for MSW that pass requests to a mock: for `setupServer`, and in browsers for `setupWorker` with an object whose
 * `fetch` forwards to servers. When the connection fails, so does the request; MSW hides the message, but the journal has it.
 *
 * @example
 * const mock = new MockCloudReco({ intercept: false });
 * const server = setupServer(...handlers(mock));
 */
export function handlers(mock: FetchMock): HttpHandler[] {
  return baseUrls(mock).map((url) =>
    http.all(`${url}/*`, ({ request }) => fetchDecoded(mock, request).catch(() => Response.error())),
  );
}
