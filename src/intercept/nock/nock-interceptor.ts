import http, { type ClientRequest, IncomingMessage } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import type { ReplyFnResult } from "nock";
import type { HeaderList, WireResponse } from "../../core/emulator/message.ts";
import { splitTarget } from "../../core/http/http-messages.ts";
import { connectionError, urlOf } from "../errors.ts";
import type { HostTable, InterceptedRequest } from "../host-table.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { answerDirectly } from "./direct-clients.ts";
import { activateNock, isFor, type Nock } from "./nock-module.ts";
import { NockOrigin, OriginPattern } from "./nock-origin.ts";
import { originalClients } from "./original-clients.ts";
import { UnmatchedRequests } from "./unmatched-requests.ts";

/**
 * `documented` returns responses to nock. `direct` passes them to the client, in nock versions with known internals: it avoids
 * nock's two timers, 3 ms per request.
 */
export type ReplyMode = "direct" | "documented";

/** Node's class throws on it, before the request is published. */
const REFUSED_BY_NODE = { maxHeaderSize: -1 };

const UNKNOWN_HOST = new URL("http://nowhere.invalid");

/**
 * Intercepts global `fetch` and everything built on `node:http` (axios, got, superagent, node-fetch) beside nock, so that a user's
 * own interceptors for the same hosts keep working: `answerDirectly` answers, unless there are any for that origin.
 *
 * Loads nock when constructed, and restores nock's earlier state when stopped.
 */
export class NockInterceptor {
  private readonly originals = originalClients();
  private readonly active = activateNock();
  private readonly endDirect: () => void;
  private readonly registrations = new Map<string, NockOrigin>();
  private readonly unmatched: UnmatchedRequests;
  private hasStopped = false;

  /**
   * @param current - returns the interceptor that is active in this process when called.
   * @throws Error if nock is missing, disabled or of an unsupported version, or if `process.nextTick` is faked.
   */
  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly current: () => NockInterceptor | undefined,
    private readonly replyMode: ReplyMode = "direct",
  ) {
    this.unmatched = new UnmatchedRequests(this.active.nock, hosts, others);
    this.endDirect =
      replyMode === "direct" ? answerDirectly(hosts, this.originals, this.isUsers, this.isIgnored) : () => {};
    // Makes `import { request } from "node:https"` see the patched functions, and later the originals: nock does not do this.
    syncBuiltinESMExports();
  }

  /** Makes nock intercept exactly the origins in the host table. */
  update(): void {
    for (const origin of this.hosts.origins) this.register(origin);
    for (const origin of this.registrations.keys()) if (!this.hosts.has(origin)) this.unregister(origin);
  }

  stop(): void {
    this.hasStopped = true;
    const origins = [...this.registrations.keys()];
    for (const origin of origins) this.unregister(origin);
    // Before nock's own functions, which it replaced: each restores what it found.
    this.endDirect();
    this.active.restore();
    syncBuiltinESMExports();
    this.unmatched.drain(origins);
  }

  /** Cleans up after nock's Jest environment was torn down. */
  detach(): void {
    this.hasStopped = true;
    this.endDirect();
    this.active.detach();
    syncBuiltinESMExports();
    this.unmatched.end();
  }

  /** By `allowUnmocked`, or by `enableNetConnect` for some hosts. */
  isEnabledByUser(origin: string): boolean {
    return this.unmatched.isUnmocked(origin) || this.isConnectable(origin);
  }

  /** Whether the user's mocks in nock may answer requests to an origin. */
  private readonly isUsers = (origin: string): boolean => {
    const active = this.active.nock.activeMocks();
    let owned = 0;
    for (const { keys } of this.registrations.values()) owned += keys.length;
    // Nearly always, and for each request: only ours are registered.
    if (active.length === owned) return false;
    const known = new Set([...this.registrations.values()].flatMap(({ keys }) => keys));
    return active.some((mock) => !known.has(mock) && (isFor(origin, mock) || !NAMES_ORIGIN.test(mock)));
  };

  /** Whether nock would only send a request, and has no listeners. */
  private readonly isIgnored = (origin: string): boolean => {
    const { nock } = this.active;
    const isHeard = nock.emitter.listenerCount("no match") > 1;
    return nock.isActive() && !isHeard && this.others.mayPass(origin) && this.connectsTo(urlOf(origin));
  };

  private isConnectable(origin: string): boolean {
    return !this.connectsTo(UNKNOWN_HOST) && this.connectsTo(urlOf(origin));
  }

  /**
   * nock does not expose enabled hosts, but its request class becomes Node's only for enabled hosts without mocks. Taken from the
   * prototype, because http.ClientRequest is a proxy that intercepts first.
   */
  private connectsTo({ hostname, port, protocol }: URL): boolean {
    let hasConnected = false;
    const createConnection = () => {
      hasConnected = true;
      return new Socket();
    };
    const NockRequest: typeof ClientRequest = Reflect.get(http.ClientRequest.prototype, "constructor");
    // nock only looks for mocks of the scheme in `proto`.
    const proto = protocol.slice(0, -1);
    const options = { hostname, port, protocol, proto, createConnection, ...REFUSED_BY_NODE };
    try {
      new NockRequest(options).on("error", () => {}).destroy();
    } catch {
      return true;
    }
    return hasConnected;
  }

  private serves(nock: Nock, origin: string): boolean {
    return this.active.nock === nock && this.hosts.has(origin);
  }

  private register(origin: string): void {
    if (this.registrations.has(origin)) return;
    const { current } = this;
    const { nock } = this.active;
    const pattern = new OriginPattern(
      origin,
      // Not `this`: nock keeps the first pattern of an origin, which must also work for later interceptors.
      () => current()?.serves(nock, origin) === true,
      // Only the user's mocks are left here: ours are removed when the origin is no longer served.
      () => nock.activeMocks().some((mock) => isFor(origin, mock)),
    );
    const reply = (request: ClientRequest, target: string) => this.reply(origin, request, target);
    this.registrations.set(origin, new NockOrigin(nock, pattern, reply));
  }

  private unregister(origin: string): void {
    this.registrations.get(origin)?.remove();
    this.registrations.delete(origin);
  }

  private async reply(origin: string, request: ClientRequest, target: string): Promise<ReplyFnResult> {
    const asked = interceptedRequest(request, origin, target);
    const response = await this.hosts.answer(asked).catch((reason: unknown) => {
      throw this.toClientError(reason);
    });
    if (this.replyMode === "documented" || !this.active.hasKnownInternals) {
      return [response.status, response.body, response.headers.flat()];
    }
    replyDirectly(request, response);
    // nock waits for a reply that never comes: the client has its response already.
    return new Promise(() => {});
  }

  /** nock ends a request only with an Error of its own realm. */
  private toClientError(reason: unknown): Error {
    const isError = reason instanceof Error;
    const message = isError ? reason.message : String(reason);
    // After a restore, nock turns all errors except system errors into a response with status 500.
    if (this.hasStopped && !(isError && "errno" in reason))
      return connectionError({ kind: "reset", message }, reason);
    return isError ? reason : new Error(message, { cause: reason });
  }
}

/** An interceptor whose host is text, and not a pattern. */
const NAMES_ORIGIN = /^\S+ https?:\/\/[^/]+:\d+/;

/** Header names are sorted and in lower case; the body has its original bytes. */
function interceptedRequest(request: ClientRequest, origin: string, target: string): InterceptedRequest {
  const leaving = new AbortController();
  request.once("close", () => leaving.abort());
  return {
    origin,
    method: request.method,
    ...splitTarget(target),
    headers: headersOf(request),
    body: bodyOf(request),
    gone: leaving.signal,
  };
}

function headersOf(request: ClientRequest): HeaderList {
  return Object.entries(request.getHeaders()).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : String(value),
  ]);
}

/** Not nock's `body`, which is parsed or hexadecimal. */
function bodyOf(request: ClientRequest): Buffer {
  const chunks: unknown = Reflect.get(request, "requestBodyBuffers");
  if (Array.isArray(chunks) && chunks.every((chunk) => Buffer.isBuffer(chunk))) return Buffer.concat(chunks);
  throw new TypeError(
    "this version of nock does not expose the bytes of the request body in requestBodyBuffers",
  );
}

/** Does what nock does with a reply, without its two timers: emits a response on the request's socket. */
function replyDirectly(request: ClientRequest, { status, headers, body }: WireResponse): void {
  if (request.destroyed || request.socket === null || request.socket.destroyed) return;
  const message = new IncomingMessage(request.socket);
  message.statusCode = status;
  message.rawHeaders = headers.flat();
  message.complete = true;
  message.push(body);
  message.push(null);
  Object.assign(request, { res: message });
  request.emit("response", message);
}
