import http, { type ClientRequest, OutgoingMessage } from "node:http";
import { setImmediate } from "node:timers";
import type { ReplyFnResult } from "nock";
import { ignoreErrorsAfterAbort } from "./aborted-requests.ts";
import { answer, connectionError, unhandledError } from "./answer.ts";
import { replyDirectly } from "./direct-reply.ts";
import { HostTable, showUrl } from "./host-table.ts";
import type { Interception } from "./interceptor.ts";
import { activateNock } from "./nock-module.ts";
import { NockOrigin } from "./nock-origin.ts";
import { interceptedRequest, isRequestOptions, type RequestOptions } from "./nock-request.ts";
import { OriginPattern } from "./origin-pattern.ts";

/**
 * How answers reach the client: `documented` returns them to nock; `direct`, where nock is known from inside, hands them over
 * at once and so saves nock's two timers, 3 ms a request.
 */
export type ReplyWay = "direct" | "documented";

/** Where the process's session is kept: test runners load this file many times over, but `node:http` only once. */
const SLOT = Symbol.for("mock-cloud-reco.nock-session.1");

/** All mocks of a process that run at the same time, and nock for as long as they do. */
export class NockSession {
  private readonly realm = globalThis;
  private readonly active = activateNock();
  private readonly hosts = new HostTable();
  private readonly mocks = new Set<Interception>();
  private readonly registrations = new Map<string, NockOrigin>();
  private readonly noMatch = (request: unknown, options: unknown) => this.refuseUnmatched(request, options);

  private readonly stopIgnoring: () => void;
  /** A closed session hears of late requests until the turn is over, or the next session opens. */
  private static endLinger = (): unknown => undefined;

  private constructor(private readonly way: ReplyWay) {
    NockSession.endLinger();
    this.active.nock.emitter.on("no match", this.noMatch);
    this.stopIgnoring = ignoreErrorsAfterAbort((origin) => this.hosts.has(origin));
    Object.defineProperty(http, SLOT, { value: this, configurable: true });
  }

  /** The running session, whichever copy of this package (ESM or CommonJS) opened it, or a new one. */
  static current(way: ReplyWay): NockSession {
    const session = NockSession.running();
    if (session?.realm === globalThis) return session;
    session?.abandon();
    return new NockSession(way);
  }

  private static running(): NockSession | undefined {
    return Reflect.get(http, SLOT);
  }

  /** Starts a mock; the function returned stops it. */
  add(interception: Interception): () => void {
    const removeHosts = this.hosts.add(interception.hosts);
    this.mocks.add(interception);
    for (const origin of this.hosts.origins) this.register(origin);
    return () => {
      removeHosts();
      this.mocks.delete(interception);
      if (this.mocks.size === 0) this.close();
      else this.unregister((origin) => !this.hosts.has(origin));
    };
  }

  private close(): void {
    if (NockSession.running() !== this) return;
    this.unregister(() => true);
    this.active.giveBack();
    this.leave();
    NockSession.endLinger = () => this.active.nock.emitter.off("no match", this.noMatch);
    setImmediate(NockSession.endLinger);
  }

  /** Ends what an earlier test file of this Jest worker has left running. */
  private abandon(): void {
    this.active.abandon();
    this.leave();
  }

  private leave(): void {
    Reflect.deleteProperty(http, SLOT);
    this.stopIgnoring();
  }

  private register(origin: string): void {
    if (this.registrations.has(origin)) return;
    const { nock } = this.active;
    const pattern = new OriginPattern(
      origin,
      // Not `this`: nock keeps the first pattern of an origin, which has to work again in a later session.
      () => {
        const session = NockSession.running();
        return session?.active.nock === nock && session.hosts.has(origin);
      },
      // Only theirs: ours were removed when the origin was no longer served.
      () => nock.activeMocks().some((mock) => isFor(origin, mock)),
    );
    const reply = (request: ClientRequest, target: string) => this.reply(origin, request, target);
    this.registrations.set(origin, new NockOrigin(nock, pattern, reply));
  }

  private unregister(isOver: (origin: string) => boolean): void {
    for (const [origin, registration] of this.registrations) {
      if (!isOver(origin)) continue;
      registration.remove();
      this.registrations.delete(origin);
    }
  }

  private async reply(origin: string, request: ClientRequest, target: string): Promise<ReplyFnResult> {
    const asked = interceptedRequest(request, origin, target);
    const response = await answer(this.hosts, asked).catch((reason: unknown) => {
      throw this.toClientError(reason);
    });
    if (this.way === "documented" || !this.active.knownInside) {
      return [response.status, response.body, response.headers.flat()];
    }
    replyDirectly(request, response);
    return new Promise(() => {});
  }

  /** What nock hands on to the client; for what is not an Error of its own realm, it would never end the request. */
  private toClientError(reason: unknown): Error {
    const isError = reason instanceof Error;
    const message = isError ? reason.message : String(reason);
    // Given back, nock would make a response with status 500 of all but system errors.
    const isOver = NockSession.running() !== this;
    if (isOver && !(isError && "errno" in reason)) return connectionError({ kind: "reset", message }, reason);
    return isError ? reason : new Error(message, { cause: reason });
  }

  /** Hears of every request that nock does not answer. */
  private refuseUnmatched(request: unknown, options: unknown): void {
    if (options !== undefined) this.refuseLate(request, options);
    else if (isRequestOptions(request)) this.refuseUnknownHost(request);
    // Else the request is one that a user's `allowUnmocked` lets through.
  }

  /** A request that came in before the last mock stopped. An error thrown here could end the process. */
  private refuseLate(request: unknown, options: unknown): void {
    if (this.active.nock.isActive() || !(request instanceof OutgoingMessage) || !isRequestOptions(options))
      return;
    const message = `${describe(options)}: the mock was stopped while the request was on its way`;
    request.destroy(connectionError({ kind: "refused", message }));
  }

  /** A request for a host of which nock knows nothing. An error thrown here is the client's. */
  private refuseUnknownHost(options: RequestOptions): void {
    if (this.hosts.has(originIn(options))) {
      throw new TypeError(
        `${describe(options)}: nock.cleanAll() has removed the mock; it is back for requests made after this turn`,
      );
    }
    if ([...this.mocks].some(({ unhandledRequests }) => unhandledRequests === "error")) {
      throw unhandledError(options.method, originIn(options), options.path);
    }
  }
}

/** Whether an interceptor, which nock writes `GET https://host:443/path`, is for an origin. */
function isFor(origin: string, interceptor: string): boolean {
  const url = interceptor.slice(interceptor.indexOf(" ") + 1);
  return url.startsWith(origin) && !/^\d/.test(url.slice(origin.length));
}

const originIn = ({ proto, host }: RequestOptions) => `${proto}://${host}`;
const describe = (options: RequestOptions) => `${options.method} ${showUrl(originIn(options), options.path)}`;
