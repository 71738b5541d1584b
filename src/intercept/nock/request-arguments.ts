import https from "node:https";
import { urlToHttpOptions } from "node:url";
import { originOf } from "../host-table.ts";
import { canonicalHost, isRecord } from "../sockets/openers.ts";

/* What the arguments of node:http's functions say: a URL, options, or both. */

export type Scheme = "http:" | "https:";

/** The origin that a request of node:http with these arguments is for. */
export function originIn(scheme: Scheme, [first, second]: readonly unknown[]): string | undefined {
  const url = urlIn(first);
  if (typeof first === "string" && url === undefined) return undefined;
  const given = url === undefined ? first : second;
  const options = isRecord(given) ? given : {};
  if (options.socketPath) return undefined;
  // A request for a proxy names its host in the path, which nock cannot parse.
  const { path } = options;
  if (typeof path === "string" && /^https?:\/\//i.test(path) && URL.canParse(path))
    return originOf(new URL(path));
  const agent = isRecord(options._defaultAgent) ? options._defaultAgent : {};
  const protocol = String(options.protocol || url?.protocol || agent.protocol || scheme);
  const host = String(options.hostname || url?.hostname || options.host || "localhost");
  const port = options.port || url?.port || options.defaultPort || (protocol === "https:" ? 443 : 80);
  return `${protocol}//${canonicalHost(host)}:${port}`;
}

/** A URL, also one of another realm, such as that of a test runner. */
function urlIn(value: unknown): URL | undefined {
  if (typeof value === "string") return URL.canParse(value) ? new URL(value) : undefined;
  if (!isRecord(value)) return undefined;
  const { href, protocol, auth, path } = value;
  const isUrl = typeof href === "string" && protocol && auth === undefined && path === undefined;
  return isUrl && URL.canParse(href) ? new URL(href) : undefined;
}

/** The arguments for the class in place of `https.request`, which alone knows that the request is secure. */
export function secureArguments(args: readonly unknown[]): unknown[] {
  const rest = [...args];
  const url = urlIn(rest[0]);
  if (url !== undefined) rest.shift();
  const given = typeof rest[0] === "function" ? undefined : rest.shift();
  const options = { ...(url && urlToHttpOptions(url)), ...(isRecord(given) && given) };
  return [{ ...options, _defaultAgent: https.globalAgent }, ...rest];
}
