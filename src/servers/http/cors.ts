import { type HeaderList, header, type WireRequest, type WireResponse } from "../../emulator/message.ts";

const NO_BODY = Buffer.alloc(0);

/** Answers a CORS preflight request; undefined for any other request. */
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

/** Adds the headers that let scripts of an origin read a response. */
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
