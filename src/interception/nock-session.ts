import http, { type ClientRequest } from "node:http";
import type { ReplyFnResult } from "nock";
import type { HeaderList } from "../http/wire-message.ts";
import { answer } from "./answer.ts";
import { replyDirectly } from "./direct-reply.ts";
import { HostTable } from "./host-table.ts";
import type { Interception } from "./interceptor.ts";
import { activateNock } from "./nock-module.ts";
import { NockOrigin } from "./nock-origin.ts";
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
  private readonly noMatch = (request: unknown, interceptors: unknown) =>
    this.refuseUnmatched(request, interceptors);

  private constructor(private readonly way: ReplyWay) {
    this.active.nock.emitter.on("no match", this.noMatch);
    Object.defineProperty(http, SLOT, { value: this, configurable: true });
  }

  /** The running session, whichever copy of this package (ESM or CommonJS) opened it, or a new one. */
  static current(way: ReplyWay): NockSession {
    const session = NockSession.running();
    if (session?.realm === globalThis) return session;
    // Left running by an earlier test file of this Jest worker, with a nock of its own that has to go first.
    session?.close();
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
    if (!Reflect.deleteProperty(http, SLOT)) return;
    this.unregister(() => true);
    this.active.nock.emitter.off("no match", this.noMatch);
    this.active.giveBack();
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
      () => nock.activeMocks().some((mock) => mock.includes(` ${origin}/`)),
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
    const response = await answer(this.hosts, {
      origin,
      target,
      method: request.method,
      headers: headersOf(request),
      body: bodyOf(request),
    });
    if (this.way === "documented" || !this.active.knownInside) {
      return [response.status, response.body, response.headers.flat()];
    }
    replyDirectly(request, response);
    return new Promise(() => {});
  }

  /**
   * Hears of every request that nock does not answer. Only of those to hosts that nock does not know may the error be thrown
   * here: for others nock listens from a callback, and for a request that a user's `allowUnmocked` lets pass there is a
   * request object already.
   */
  private refuseUnmatched(request: unknown, interceptors: unknown): void {
    if (interceptors !== undefined || !isRequestOptions(request)) return;
    const origin = `${request.proto}://${request.host}`;
    const what = `${request.method} ${origin}${request.path}`;
    if (this.hosts.has(origin)) {
      throw new TypeError(
        `${what}: nock.cleanAll() has removed the mock; it is back for requests made after this turn`,
      );
    }
    if ([...this.mocks].some(({ unhandledRequests }) => unhandledRequests === "error")) {
      throw new TypeError(
        `${what}: no mock serves this host, and with unhandledRequests: "error" no request leaves the process, ` +
          'not even to localhost; "bypass" would let it',
      );
    }
  }
}

interface RequestOptions {
  readonly proto: string;
  /** With the port. */
  readonly host: string;
  readonly method: string;
  readonly path: string;
}

function isRequestOptions(value: unknown): value is RequestOptions {
  return typeof value === "object" && value !== null && "proto" in value && "host" in value;
}

function headersOf(request: ClientRequest): HeaderList {
  return Object.entries(request.getHeaders()).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : String(value),
  ]);
}

/** The bytes as they came. The `body` that nock passes to a reply is parsed, or hexadecimal. */
function bodyOf(request: ClientRequest): Buffer {
  const chunks: unknown = Reflect.get(request, "requestBodyBuffers");
  if (Array.isArray(chunks) && chunks.every((chunk) => Buffer.isBuffer(chunk))) return Buffer.concat(chunks);
  throw new TypeError("nock no longer keeps the bytes of a request body where they are looked for");
}
