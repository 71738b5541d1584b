import { header, type WireRequest } from "../core/emulator/message.ts";

export const PAGE_PREFIX = "/page/";

/** Whether the page's API answers a request. Known without it: most servers are never looked at. */
export const isForPage = (request: WireRequest): boolean =>
  request.path.startsWith(PAGE_PREFIX) || isForBrowser(request);

function isForBrowser(request: WireRequest): boolean {
  const { method, path } = request;
  const accept = header(request, "accept") ?? "";
  return (method === "GET" || method === "HEAD") && path === "/" && /\btext\/html\b/i.test(accept);
}
