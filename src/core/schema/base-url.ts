import { InvalidOptionError } from "./zod/problems.ts";

/** A base URL does not begin with `http://` or `https://`. */
export class MissingSchemeError extends TypeError {
  /** Always `MissingSchemeError`. */
  override readonly name = "MissingSchemeError";

  constructor(url: string) {
    const shown = withoutCredentials(url);
    super(`Invalid URL "${shown}": No scheme supplied. Perhaps you meant "https://${shown}".`);
  }
}

/** A URL without user and password, as errors and logs show it. */
export const withoutCredentials = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@\s]*@/i, "$1…@");

/**
 * Reads a base URL. Keeps its path prefix without the trailing slash.
 *
 * @throws MissingSchemeError when there is no scheme.
 * @throws InvalidOptionError when it is not an http or https URL, or has a query, a fragment or credentials.
 */
export function parseBaseUrl(option: string, value: unknown): URL {
  const expected =
    "an http or https URL without query, such as https://vws.example.com or https://proxy.example/vws";
  if (typeof value !== "string") throw new InvalidOptionError(option, String(value), expected);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) throw new MissingSchemeError(value);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const extra = url && url.search + url.hash + url.username + url.password;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || extra !== "")
    throw new InvalidOptionError(option, JSON.stringify(withoutCredentials(value)), expected);
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** The URL host of a local server that listens on that address. */
export function localHost(address: string): string {
  if (isEveryAddress(address)) return "127.0.0.1";
  return address.includes(":") ? `[${address}]` : address;
}

/** Whether a server that listens there listens on all addresses of its machine. */
export const isEveryAddress = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** The URL of a server that listens on an address, for a client that reached this machine as `host`. */
export function reachedUrl(url: string, address: string, host: string | undefined): string {
  if (host === undefined || !isEveryAddress(address)) return url;
  const reached = new URL(url);
  reached.hostname = host.replace(/:\d*$/, "");
  return reached.origin;
}
