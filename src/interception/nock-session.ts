import http, { type ClientRequest } from "node:http";
import type { ReplyFnResult } from "nock";
import { answer, connectionError } from "./answer.ts";
import { replyDirectly } from "./direct-reply.ts";
import { HostTable } from "./host-table.ts";
import type { Interception } from "./interceptor.ts";
import { activateNock } from "./nock-module.ts";
import { NockOrigin } from "./nock-origin.ts";
import { interceptedRequest } from "./nock-request.ts";
import { OriginPattern } from "./origin-pattern.ts";
import { StrayRequests } from "./stray-requests.ts";

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
  private readonly strays = new StrayRequests(this.active.nock, this.hosts, () =>
    [...this.mocks].some(({ unhandledRequests }) => unhandledRequests === "error"),
  );

  private constructor(private readonly way: ReplyWay) {
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
    const origins = [...this.registrations.keys()];
    this.unregister(() => true);
    this.active.giveBack();
    this.strays.linger(origins);
    Reflect.deleteProperty(http, SLOT);
  }

  /** Ends what an earlier test file of this Jest worker has left running. */
  private abandon(): void {
    this.active.abandon();
    this.strays.end();
    Reflect.deleteProperty(http, SLOT);
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
}

/** Whether an interceptor, which nock writes `GET https://host:443/path`, is for an origin. */
function isFor(origin: string, interceptor: string): boolean {
  const url = interceptor.slice(interceptor.indexOf(" ") + 1);
  return url.startsWith(origin) && !/^\d/.test(url.slice(origin.length));
}
