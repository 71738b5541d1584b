import type { MockCloudReco } from "../index.ts";

/** Answers requests in place of the network: a mock, or a function that forwards requests to servers. */
export type FetchMock = Pick<MockCloudReco, "fetch" | "urls">;

export const baseUrls = ({ urls }: FetchMock): readonly string[] => [...new Set(Object.values(urls))];

/** Removes the headers of the encoded body, because `fetch` has decoded it. */
export async function fetchDecoded(mock: FetchMock, request: Request): Promise<Response> {
  const { body, status, statusText, headers: received } = await mock.fetch(request);
  const headers = new Headers(received);
  if (headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return new Response(body, { status, statusText, headers });
}
