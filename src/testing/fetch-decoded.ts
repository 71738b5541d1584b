import type { MockCloudReco } from "../index.ts";

/** Whatever answers requests in place of the network: a mock, or a function that forwards requests to servers. */
export type FetchMock = Pick<MockCloudReco, "fetch" | "urls">;

/** The base URLs of a mock; APIs may share one. */
export const baseUrls = ({ urls }: FetchMock): readonly string[] => [...new Set(Object.values(urls))];

/** Fetches from a mock. The response has no headers that describe the encoded body, which `fetch` has decoded. */
export async function fetchDecoded(mock: FetchMock, request: Request): Promise<Response> {
  const { body, status, statusText, headers: received } = await mock.fetch(request);
  const headers = new Headers(received);
  if (headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return new Response(body, { status, statusText, headers });
}
