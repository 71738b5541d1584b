import type {
  MalformedKind,
  RequestHandler,
  RequestHead,
  Result,
  WireRequest,
  WireResponse,
} from "../core/emulator/message.ts";
import { connectionError, showUrl } from "./errors.ts";

/** A request as an interceptor receives it; its path includes the base URL's prefix. */
export interface InterceptedRequest extends WireRequest {
  readonly origin: string;
}

/** How a mock answers what is sent to one of its hosts. */
interface HostHandlers {
  readonly handle: RequestHandler;
  /** Identifies a request of this mock, if several mocks have this base URL. */
  readonly identifies?: (request: RequestHead) => IdentifiedBy | undefined;
  /** Answers bytes that could not be parsed as a request. The head may be missing. */
  readonly handleMalformed?: (why: MalformedKind, head: RequestHead) => Promise<Result>;
  /** Called for a connection to this host that could not be answered. */
  readonly recordRefusal?: (authority: string, reason: string) => void;
}

export interface InterceptedHost extends HostHandlers {
  /** An origin and an optional path prefix, which `handle` does not see. Unique among the hosts of an interception. */
  readonly baseUrl: URL;
}

/** `key`: the request names a key of the mock; `dataset`: a dataset of the mock; `client`: a client or user of the mock. */
export type IdentifiedBy = "key" | "dataset" | "client";

interface Entry extends HostHandlers {
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

  /** @param starterInContext - the starter of the current asynchronous context. */
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

  /** The host with the longest prefix of this origin; of several, the most recently started. */
  first(origin: string): Entry | undefined {
    return this.rowsByOrigin.get(origin)?.[0];
  }

  recordRefusal(host: string, authority: string, reason: string): void {
    const origin = this.origins.find((served) => served.includes(`//${host}:`));
    if (origin !== undefined) this.first(origin)?.recordRefusal?.(authority, reason);
  }

  /** @throws the error of the client's request. */
  async answer({ origin, ...request }: InterceptedRequest): Promise<WireResponse> {
    const { method } = request;
    const found = this.find(origin, request);
    if (found === undefined) throw this.unserved(request, origin);
    const { entry, path } = found;
    const { response, connectionError: failure } = await entry.handle({ ...request, path });
    if (response === undefined) throw connectionError(failure);
    // A response to HEAD has a body's headers, but no body.
    return method === "HEAD" ? { ...response, body: Buffer.alloc(0) } : response;
  }

  /** @throws the error of the client's request. */
  async answerMalformed(origin: string, why: MalformedKind, head: RequestHead): Promise<WireResponse> {
    const message = `malformed HTTP request (${why})`;
    const failed: Result = { connectionError: { kind: "reset", message } };
    // Nothing is known of a request whose first line could not be read.
    const found = head.path === "" ? undefined : this.find(origin, head);
    const { entry, path } = found ?? { entry: this.first(origin), path: head.path };
    const { response, connectionError: failure } =
      (await entry?.handleMalformed?.(why, { ...head, path })) ?? failed;
    if (response === undefined) throw connectionError(failure);
    return response;
  }

  private unserved({ method, path }: WireRequest, origin: string): Error {
    const what = `No mock serves ${method} ${showUrl(origin, path)}`;
    const baseUrls = this.baseUrls(origin).join(" and ");
    const message = baseUrls ? `${what}, only ${baseUrls}` : what;
    this.first(origin)?.recordRefusal?.(origin.slice(origin.indexOf("//") + 2), message);
    return connectionError({ kind: "refused", message });
  }

  /** The host that a request belongs to, and its path there. */
  private find(
    origin: string,
    request: RequestHead,
  ): { readonly entry: Entry; readonly path: string } | undefined {
    const rows = this.rowsByOrigin.get(origin) ?? [];
    for (const newest of rows) {
      const { prefix } = newest;
      const rest = request.path.slice(prefix.length);
      // Without a prefix also `*`, of OPTIONS.
      if (prefix !== "" && !(request.path.startsWith(prefix) && /^(\/|$)/.test(rest))) continue;
      const path = rest || "/";
      const chosen = rows.length > 1 ? this.entryFor(rows, prefix, { ...request, path }) : undefined;
      return { entry: chosen ?? newest, path };
    }
    return undefined;
  }

  private entryFor(rows: readonly Entry[], sharedPrefix: string, request: RequestHead): Entry | undefined {
    const starter = this.starterInContext();
    const candidates = rows.filter(({ prefix }) => prefix === sharedPrefix);
    if (candidates.length === 1) return undefined;
    const identified = candidates.map(({ identifies }) => identifies?.(request));
    // Surest first: a key has one owner. The context of a pooled client may be that of another test. Tokens may be shared.
    return (
      candidates[identified.indexOf("key")] ??
      candidates.find((candidate) => starter !== undefined && candidate.starter === starter) ??
      candidates[identified.indexOf("dataset")] ??
      candidates[identified.indexOf("client")]
    );
  }
}

/** An origin that always includes its port, `https://host:443`, like the keys of nock's own table. */
export function originOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.protocol}//${url.hostname.replace(/^\[|\]$/g, "")}:${port}`;
}

/** `sort` is stable, so the newest of several equal prefixes stays first. */
const byLongestPrefix = (a: Entry, b: Entry) => b.prefix.length - a.prefix.length;
