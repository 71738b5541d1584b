import { type HeaderList, header, type WireRequest, type WireResponse } from "../../core/message.ts";

const NO_BODY = Buffer.alloc(0);

/** A browser's question before it sends a request of another origin; undefined when it is none. */
export function preflightReply(request: WireRequest, allowOrigin: string): WireResponse | undefined {
  const method = header(request, "access-control-request-method");
  if (request.method !== "OPTIONS" || method === undefined) return undefined;
  const headers = header(request, "access-control-request-headers");
  return {
    status: 204,
    headers: [
      ["Access-Control-Allow-Origin", allowOrigin],
      ["Access-Control-Allow-Methods", method],
      ...(headers === undefined ? [] : [["Access-Control-Allow-Headers", headers] as const]),
      ["Access-Control-Max-Age", "600"],
    ],
    body: NO_BODY,
  };
}

/** The same response, which scripts of that origin may read. */
export const readableFrom = <T extends { readonly headers: HeaderList }>(
  response: T,
  allowOrigin: string,
): T => ({
  ...response,
  headers: [
    ...response.headers,
    ["Access-Control-Allow-Origin", allowOrigin],
    ["Access-Control-Expose-Headers", "*"],
  ],
});
