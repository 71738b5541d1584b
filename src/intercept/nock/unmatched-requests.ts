import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http, { OutgoingMessage } from "node:http";
import { realTimers } from "../../core/general/real-timers.ts";
import { stoppedError } from "../errors.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { replace } from "../replace.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import type { Nock } from "./nock-module.ts";

/** nock's description of a request that has no request object yet. */
interface NockRequest {
  readonly proto: string;
  readonly host: string;
  readonly port?: number | string;
  readonly method: string;
  readonly path: string;
}

function isNockRequest(value: unknown): value is NockRequest {
  return typeof value === "object" && value !== null && "proto" in value && "host" in value;
}

const REQUEST_SENT = "http.client.request.start";

/**
 * Handles requests for which nock calls no interceptor of ours: to hosts that nock does not know, aborted by their clients, or in
 * flight when the last mock stops.
 */
export class UnmatchedRequests {
  private readonly noMatch = (request: unknown, options: unknown) => this.onNoMatch(request, options);
  private readonly sent = (message: unknown) => this.onSent(message);
  /** Origins where a user's scope did not match a request, and may let it pass (`allowUnmocked`). */
  private readonly unmocked = new Set<string>();
  /** Origins that nock intercepted until this turn of the event loop. */
  private readonly left = new Set<string>();
  /** Ends a draining instance, so that many do not accumulate in one turn. */
  private static endDraining = () => {};
  private readonly endContinuing: () => void;

  constructor(
    private readonly nock: Nock,
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
  ) {
    UnmatchedRequests.endDraining();
    nock.emitter.on("no match", this.noMatch);
    subscribe(REQUEST_SENT, this.sent);
    this.endContinuing = continueAtOnce((request) => {
      const origin = originOfMessage(request);
      return isFromNock(request.socket) && origin !== undefined && hosts.has(origin);
    });
  }

  /** Whether a user's scope decides about requests to this origin. */
  isUnmocked(origin: string): boolean {
    return this.unmocked.has(origin);
  }

  end(): void {
    this.nock.emitter.off("no match", this.noMatch);
    unsubscribe(REQUEST_SENT, this.sent);
    this.endContinuing();
  }

  /** Refuses requests that were already sent to these origins, until the end of this turn of the event loop. */
  drain(origins: Iterable<string>): void {
    for (const origin of origins) this.left.add(origin);
    UnmatchedRequests.endDraining = () => this.end();
    realTimers.setImmediate(UnmatchedRequests.endDraining);
  }

  /** nock emits a blocked request with its options, and otherwise one of them. */
  private onNoMatch(request: unknown, options: unknown): void {
    if (isNockRequest(options)) {
      this.noteUnmocked(originIn(options), request);
      // Not thrown, because an error thrown here could end the process.
      if (request instanceof OutgoingMessage) this.refuseLate(request, originIn(options), options.path);
    } else if (isNockRequest(request)) {
      // An error thrown here reaches the client.
      this.refuseUnknownHost(request);
    } else if (request instanceof OutgoingMessage) {
      const given: unknown = Reflect.get(request, "options");
      if (isNockRequest(given)) this.noteUnmocked(originIn(given), request);
    }
  }

  /** nock decides only after this event whether it lets the request pass: one that it fails says nothing about later requests. */
  private noteUnmocked(origin: string, request: unknown): void {
    if (this.unmocked.has(origin)) return;
    this.unmocked.add(origin);
    queueMicrotask(() => {
      if (request instanceof OutgoingMessage && request.destroyed) this.unmocked.delete(origin);
    });
  }

  private refuseUnknownHost(options: NockRequest): void {
    const origin = originIn(options);
    // A user's `cleanAll` just removed our interceptors. The request is answered at its socket.
    if (this.hosts.has(origin)) return;
    if (!this.others.mayPass(origin)) throw this.others.refusal(options.method, origin, options.path);
  }

  /** A request of node:http was assigned to its socket. */
  private onSent(message: unknown): void {
    const request = typeof message === "object" && message !== null && Reflect.get(message, "request");
    if (!(request instanceof OutgoingMessage)) return;
    const { socket } = request;
    if (socket === null || !isFromNock(socket)) return;
    const origin = originOfMessage(request);
    if (origin === undefined) return;
    // nock's sockets open a real connection when no interceptor is left.
    this.refuseLate(request, origin, String(Reflect.get(request, "path")));
    if (!this.hosts.has(origin)) return;
    // An error may come when the client no longer listens.
    // Prepended, to run before node:http's own listener, which forwards the error to the request.
    socket.prependListener("error", () => socket.destroyed && request.on("error", () => {}));
    socket.once("close", () => realTimers.setImmediate(closeParsers, socket));
  }

  /** Fails a request that was in flight when the mock stopped. While nock is active, it may be a new request. */
  private refuseLate(request: OutgoingMessage, origin: string, path: string): void {
    if (this.nock.isActive() || !this.left.has(origin)) return;
    request.destroy(stoppedError(String(Reflect.get(request, "method")), origin, path));
  }
}

const isFromNock = (socket: object | null): boolean => socket !== null && "passthrough" in socket;

function originOfMessage(request: OutgoingMessage): string | undefined {
  const url = `${Reflect.get(request, "protocol")}//${request.getHeader("host")}`;
  return URL.canParse(url) ? originOf(new URL(url)) : undefined;
}

/** nock adds the port to the host only later, so it may be missing here. */
const originIn = ({ proto, host, port }: NockRequest) =>
  `${proto}://${host}${/:\d+$/.test(host) ? "" : `:${port}`}`;

/** Frees the two HTTP parsers of a socket of @mswjs/interceptors: 11 kB per request. */
function closeParsers(socket: object): void {
  for (const name of ["requestParser", "responseParser"]) {
    const parser: unknown = Reflect.get(socket, name);
    if (typeof parser !== "object" || parser === null) continue;
    const close: unknown = Reflect.get(parser, "close");
    if (typeof close === "function") close.call(parser);
  }
}

/**
 * Lets clients that wait for `100 Continue` send their bodies. Each request of node:http is given to an agent, nock's too.
 *
 * @returns a function that restores the agent.
 */
function continueAtOnce(isServed: (request: OutgoingMessage) => boolean): () => void {
  return replace(http.Agent.prototype, "addRequest", (original) => {
    return function (...args) {
      const [request] = args;
      if (request instanceof OutgoingMessage && /^100-continue$/i.test(String(request.getHeader("expect")))) {
        realTimers.setImmediate(() => {
          if (!request.destroyed && isServed(request)) request.emit("continue");
        });
      }
      return original.apply(this, args);
    };
  });
}
