import type { RequestHandler, Result, WireRequest } from "../emulator/message.ts";
import type { MalformedKind } from "../emulator/operation.ts";
import type { RequestHead } from "../servers/http/http-messages.ts";

/** A base URL and the handlers of requests to it. */
export interface InterceptedHost {
  /** An origin and an optional path prefix, which `handle` does not see. Unique among the hosts of an interception. */
  readonly baseUrl: URL;
  readonly handle: RequestHandler;
  /** What identifies a request as meant for this mock, when several mocks have this base URL. */
  readonly recognizes?: (request: RequestMarks) => Recognition | undefined;
  /** Answers bytes that could not be parsed as a request. The head may be missing. */
  readonly handleMalformed?: (why: MalformedKind, head: RequestHead | undefined) => Promise<Result>;
  /** Called for a connection to this host that could not be answered. */
  readonly noteRefusal?: (authority: string, reason: string) => void;
}

/** The parts of a request that can identify its mock. */
export type RequestMarks = Pick<WireRequest, "path" | "headers">;

/** `key`: the request names a key of the mock; `dataset`: a dataset of the mock; `client`: a client or user of the mock. */
export type Recognition = "key" | "dataset" | "client";

/** The handler for a path, and the path without the base URL's prefix. */
export interface Route {
  readonly handle: RequestHandler;
  readonly path: string;
}

interface Entry extends Omit<InterceptedHost, "baseUrl"> {
  readonly prefix: string;
  readonly starter: symbol | undefined;
}

/**
 * The hosts of all started mocks, by origin. The longest matching prefix serves a request. Of several mocks with the same base
 * URL, concurrent tests can each use one: a request belongs to the mock that has its key, otherwise to the mock that was started
 * in its asynchronous context, otherwise to the one that issued its token or dataset, and otherwise to the newest.
 */
export class HostTable {
  private readonly rowsByOrigin = new Map<string, readonly Entry[]>();

  /** @param starterInContext - tells which starter the present asynchronous context belongs to. */
  constructor(private readonly starterInContext: () => symbol | undefined = () => undefined) {}

  /** Adds hosts, to which requests in the starter's asynchronous context belong. Returns a function that removes them. */
  add(hosts: readonly InterceptedHost[], starter?: symbol): () => void {
    const added = hosts.map(({ baseUrl, ...host }) => ({
      origin: originOf(baseUrl),
      row: { prefix: baseUrl.pathname.replace(/\/+$/, ""), starter, ...host },
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

  /** The base URLs with this origin. */
  baseUrls(origin: string): string[] {
    const prefixes = this.rowsByOrigin.get(origin)?.map(({ prefix }) => prefix) ?? [];
    return [...new Set(prefixes)].map((prefix) => showUrl(origin, prefix));
  }

  /** The base URLs of a host, with any scheme and port. */
  baseUrlsOfHost(host: string): string[] {
    const isOfHost = (origin: string) =>
      origin.slice(origin.indexOf("//") + 2, origin.lastIndexOf(":")) === host;
    return this.origins.filter(isOfHost).flatMap((origin) => this.baseUrls(origin));
  }

  /** The most recently started host with this origin. */
  newest(origin: string): Entry | undefined {
    return this.rowsByOrigin.get(origin)?.[0];
  }

  /** Records in the journal of the host's mock that a connection could not be answered. */
  noteRefusal(host: string, authority: string, reason: string): void {
    const origin = this.origins.find((served) => served.includes(`//${host}:`));
    if (origin !== undefined) this.newest(origin)?.noteRefusal?.(authority, reason);
  }

  find(origin: string, { path, headers }: RequestMarks): Route | undefined {
    const rows = this.rowsByOrigin.get(origin) ?? [];
    const newest = rows.find(({ prefix }) => isUnder(prefix, path));
    if (newest === undefined) return undefined;
    const candidates = rows.filter(({ prefix }) => prefix === newest.prefix);
    const servedPath = path.slice(newest.prefix.length) || "/";
    const owner = candidates.length > 1 && this.ownerAmong(candidates, { path: servedPath, headers });
    const { handle } = owner || newest;
    return { handle, path: servedPath };
  }

  private ownerAmong(candidates: readonly Entry[], request: RequestMarks): Entry | undefined {
    const starter = this.starterInContext();
    const recognitions = candidates.map(({ recognizes }) => recognizes?.(request));
    return (
      candidates[recognitions.indexOf("key")] ??
      candidates.find((candidate) => starter !== undefined && candidate.starter === starter) ??
      candidates[recognitions.indexOf("dataset")] ??
      candidates[recognitions.indexOf("client")]
    );
  }
}

/** An origin that always includes its port, `https://host:443`, like the keys of nock's own table. */
export function originOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.protocol}//${url.hostname.replace(/^\[|\]$/g, "")}:${port}`;
}

/** Parses an origin of {@link originOf}; URLs require brackets around IPv6 addresses. */
export const urlOf = (origin: string): URL => new URL(origin.replace(/\/\/([^[]*:.*):(\d+)$/, "//[$1]:$2"));

/** A URL without the default port of its scheme. */
export function showUrl(origin: string, path: string): string {
  return origin.replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2") + path;
}

const isUnder = (prefix: string, path: string) =>
  // Without a prefix also `*`, of OPTIONS.
  prefix === "" || (path.startsWith(prefix) && /^(\/|$)/.test(path.slice(prefix.length)));

/** `sort` is stable, so the newest of several equal prefixes stays first. */
const byLongestPrefix = (a: Entry, b: Entry) => b.prefix.length - a.prefix.length;
