import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { OutgoingMessage } from "node:http";
import { setImmediate } from "node:timers";
import { stoppedError, unhandledError } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import type { Nock } from "./nock-module.ts";
import { isRequestOptions, type RequestOptions } from "./nock-request.ts";

const REQUEST_SENT = "http.client.request.start";

/**
 * Requests that do not reach a mock: to hosts that nock does not know; aborted by their clients; still under way when the last
 * mock stops.
 */
export class StrayRequests {
  private readonly noMatch = (request: unknown, options: unknown) => this.onNoMatch(request, options);
  private readonly sent = (message: unknown) => this.onSent(message);
  /** Hosts where a scope of the user's has found no answer, and may let requests through (`allowUnmocked`). */
  private readonly unmocked = new Set<string>();
  /** Hosts that were given back in this turn of the event loop. */
  private readonly givenBack = new Set<string>();
  /** Ends the one that lingers, of which there may be many in one turn. */
  private static endLast = () => {};

  constructor(
    private readonly nock: Nock,
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
  ) {
    StrayRequests.endLast();
    nock.emitter.on("no match", this.noMatch);
    subscribe(REQUEST_SENT, this.sent);
  }

  /** Whether a scope of the user's decides about requests to this host. */
  areUsers(origin: string): boolean {
    return this.unmocked.has(origin);
  }

  end(): void {
    this.nock.emitter.off("no match", this.noMatch);
    unsubscribe(REQUEST_SENT, this.sent);
  }

  /** Goes on until the turn is over, to refuse what was sent to these hosts before. */
  linger(origins: Iterable<string>): void {
    for (const origin of origins) this.givenBack.add(origin);
    StrayRequests.endLast = () => this.end();
    setImmediate(StrayRequests.endLast);
  }

  /** nock has no answer for a request: one with options, that it has kept from the network, or options only. */
  private onNoMatch(request: unknown, options: unknown): void {
    if (isRequestOptions(options)) {
      this.unmocked.add(originIn(options));
      // An error thrown here could end the process.
      if (request instanceof OutgoingMessage) this.refuseLate(request, originIn(options), options.path);
    } else if (isRequestOptions(request)) {
      // An error thrown here is the client's.
      this.refuseUnknownHost(request);
    } else if (request instanceof OutgoingMessage) {
      const given: unknown = Reflect.get(request, "options");
      if (isRequestOptions(given)) this.unmocked.add(originIn(given));
    }
  }

  private refuseUnknownHost(options: RequestOptions): void {
    const origin = originIn(options);
    // A user's `cleanAll` has just removed our interceptors. The request is answered at its socket.
    if (this.hosts.has(origin)) return;
    if (!this.others.mayPass(origin)) throw unhandledError(options.method, origin, options.path);
  }

  /** A request of node:http was given to its socket. */
  private onSent(message: unknown): void {
    const request = typeof message === "object" && message !== null && Reflect.get(message, "request");
    if (!(request instanceof OutgoingMessage)) return;
    const { socket } = request;
    const origin = originOfMessage(request);
    if (socket === null || origin === undefined) return;
    // nock's sockets open a connection when they find nobody to ask.
    if ("passthrough" in socket) this.refuseLate(request, origin, String(Reflect.get(request, "path")));
    if (!this.hosts.has(origin)) return;
    // nock reports an error even if the client has aborted meanwhile, when some clients (got) no longer listen, which would
    // end the process. Before node:http's own listener, which passes the error on to the request.
    socket.prependListener("error", () => socket.destroyed && request.on("error", () => {}));
    socket.once("close", () => setImmediate(closeParsers, socket));
  }

  /** Fails a request that was on its way when the mock stopped. If nock is still active, it may as well be a new one. */
  private refuseLate(request: OutgoingMessage, origin: string, path: string): void {
    if (this.nock.isActive() || !this.givenBack.has(origin)) return;
    request.destroy(stoppedError(String(Reflect.get(request, "method")), origin, path));
  }
}

function originOfMessage(request: OutgoingMessage): string | undefined {
  const url = `${Reflect.get(request, "protocol")}//${request.getHeader("host")}`;
  return URL.canParse(url) ? originOf(new URL(url)) : undefined;
}

/** nock adds the port to the host only later. */
const originIn = ({ proto, host, port }: RequestOptions) =>
  `${proto}://${host}${/:\d+$/.test(host) ? "" : `:${port}`}`;

/**
 * nock's sockets (those of @mswjs/interceptors) let go of their two HTTP parsers without closing them, and a parser that was
 * not closed stays in memory for good: 11 kB for each request of node:http.
 */
function closeParsers(socket: object): void {
  for (const name of ["requestParser", "responseParser"]) {
    const parser: unknown = Reflect.get(socket, name);
    if (typeof parser !== "object" || parser === null) continue;
    const close: unknown = Reflect.get(parser, "close");
    if (typeof close === "function") Reflect.apply(close, parser, []);
  }
}
