import type { MalformedKind } from "../core/api.ts";
import type { HeaderList, RequestHandler, Result } from "../core/message.ts";
import type { RequestHead } from "./http-server/http-messages.ts";

/** One base URL and what answers requests to it. */
export interface InterceptedHost {
  /** An origin and, optionally, a path prefix, which `handle` does not see. Different for every host of an interception. */
  readonly baseUrl: URL;
  readonly handle: RequestHandler;
  /** Whether the headers tell that a request is meant for this mock, when several have this base URL. */
  readonly recognizes?: (headers: HeaderList) => boolean;
  /** Answers bytes of which no request could be made. The head may be missing. */
  readonly handleMalformed?: (why: MalformedKind, head: RequestHead | undefined) => Promise<Result>;
  /** Is told of a connection to this host that could not be answered. */
  readonly noteRefusal?: (authority: string, reason: string) => void;
}

/** What serves a path, and the path without the base URL's prefix. */
export interface Served {
  readonly handle: RequestHandler;
  readonly path: string;
}

interface Row extends Omit<InterceptedHost, "baseUrl"> {
  readonly prefix: string;
}

/**
 * The hosts of all running mocks, by origin. Of two prefixes the longer serves; of several mocks with one base URL the one that
 * recognizes the request, or else the newest. So tests that run at the same time each have their own mock.
 */
export class HostTable {
  private readonly rowsByOrigin = new Map<string, readonly Row[]>();

  /** Adds hosts; the function returned removes them. */
  add(hosts: readonly InterceptedHost[]): () => void {
    const added = hosts.map(({ baseUrl, ...host }) => ({
      origin: originOf(baseUrl),
      row: { prefix: baseUrl.pathname.replace(/\/+$/, ""), ...host },
    }));
    for (const { origin, row } of added) {
      const rows = [row, ...(this.rowsByOrigin.get(origin) ?? [])];
      this.rowsByOrigin.set(origin, rows.sort(byLongestPrefix));
    }
    return () => {
      for (const { origin, row } of added) {
        const rows = this.rowsByOrigin.get(origin)?.filter((other) => other !== row) ?? [];
        if (rows.length > 0) this.rowsByOrigin.set(origin, rows);
        else this.rowsByOrigin.delete(origin);
      }
    };
  }

  has(origin: string): boolean {
    return this.rowsByOrigin.has(origin);
  }

  get origins(): string[] {
    return [...this.rowsByOrigin.keys()];
  }

  /** The base URLs that are served under an origin. */
  baseUrls(origin: string): string[] {
    const prefixes = this.rowsByOrigin.get(origin)?.map(({ prefix }) => prefix) ?? [];
    return [...new Set(prefixes)].map((prefix) => showUrl(origin, prefix));
  }

  /** The base URLs of a host, whatever their scheme and port. */
  baseUrlsOfHost(host: string): string[] {
    const isOfHost = (origin: string) =>
      origin.slice(origin.indexOf("//") + 2, origin.lastIndexOf(":")) === host;
    return this.origins.filter(isOfHost).flatMap((origin) => this.baseUrls(origin));
  }

  /** What was last started of all that is served under an origin. */
  newest(origin: string): Row | undefined {
    return this.rowsByOrigin.get(origin)?.[0];
  }

  /** Notes in the journal of the host's mock that a connection could not be answered. */
  noteRefusal(host: string, authority: string, reason: string): void {
    const origin = this.origins.find((served) => served.includes(`//${host}:`));
    if (origin !== undefined) this.newest(origin)?.noteRefusal?.(authority, reason);
  }

  find(origin: string, path: string, headers: HeaderList): Served | undefined {
    const rows = this.rowsByOrigin.get(origin) ?? [];
    const newest = rows.find(({ prefix }) => isUnder(prefix, path));
    if (newest === undefined) return undefined;
    const rivals = rows.filter(({ prefix }) => prefix === newest.prefix);
    const row = rivals.find(({ recognizes }) => rivals.length > 1 && recognizes?.(headers)) ?? newest;
    return { handle: row.handle, path: path.slice(row.prefix.length) || "/" };
  }
}

/** An origin with its port always given, `https://host:443`, as nock writes the keys of its own table. */
export function originOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.protocol}//${url.hostname.replace(/^\[|\]$/g, "")}:${port}`;
}

/** An origin as a URL: there, IPv6 addresses have brackets. */
export const urlOf = (origin: string): URL => new URL(origin.replace(/\/\/([^[]*:.*):(\d+)$/, "//[$1]:$2"));

/** A URL as people write it, without the port that its scheme implies. */
export function showUrl(origin: string, path: string): string {
  return origin.replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2") + path;
}

const isUnder = (prefix: string, path: string) =>
  path.startsWith(prefix) && /^(\/|$)/.test(path.slice(prefix.length));

/** `sort` is stable, so among equal prefixes the newest stays first. */
const byLongestPrefix = (a: Row, b: Row) => b.prefix.length - a.prefix.length;
