import { header, type WireResponse } from "../../core/emulator/message.ts";

const STATUSES = new Set([301, 302, 303, 307, 308]);
const MOST = 20;
/** Headers of a body, which is not sent again. */
const OF_BODY = [
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
  "content-length",
];
/** Headers that another origin must not see. */
const OF_ORIGIN = ["authorization", "proxy-authorization", "cookie", "host"];

/**
 * Returns the request that `fetch` sends next; undefined if it does not follow. Throws the errors of `fetch`.
 *
 * @param count - redirections so far.
 */
export function redirected(
  request: Request,
  body: Buffer,
  response: WireResponse,
  count: number,
): Request | undefined {
  if (!STATUSES.has(response.status)) return undefined;
  const location = header(response, "location");
  if (request.redirect === "error") throw failed("unexpected redirect");
  if (request.redirect === "manual" || location === undefined) return undefined;
  if (!URL.canParse(location, request.url)) throw failed(new TypeError("Invalid URL"));
  const url = new URL(location, request.url);
  if (!/^https?:$/.test(url.protocol)) throw failed("URL scheme must be a HTTP(S) scheme");
  if (count === MOST) throw failed("redirect count exceeded");
  if (request.mode === "cors" && (url.username || url.password))
    throw failed('cross origin not allowed for request mode "cors"');
  const { method, signal, redirect } = request;
  const headers = new Headers([...request.headers]);
  const isGet =
    response.status === 303 ? !/^(GET|HEAD)$/.test(method) : method === "POST" && response.status < 303;
  if (isGet) for (const name of OF_BODY) headers.delete(name);
  if (url.origin !== new URL(request.url).origin) for (const name of OF_ORIGIN) headers.delete(name);
  const sent = isGet ? { method: "GET" } : { method, ...(body.length > 0 && { body }) };
  return new Request(url, { ...sent, headers, signal, redirect });
}

const failed = (cause: Error | string): TypeError =>
  new TypeError("fetch failed", { cause: typeof cause === "string" ? new Error(cause) : cause });
