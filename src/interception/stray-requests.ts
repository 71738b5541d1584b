import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { OutgoingMessage } from "node:http";
import { setImmediate } from "node:timers";
import { connectionError, unhandledError } from "./answer.ts";
import { type HostTable, originOf, showUrl } from "./host-table.ts";
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
  /** Hosts that were given back in this turn of the event loop. */
  private readonly givenBack = new Set<string>();
  /** Ends the one that lingers, of which there may be many in one turn. */
  private static endLast = () => {};

  constructor(
    private readonly nock: Nock,
    private readonly hosts: HostTable,
    private readonly failsUnhandled: () => boolean,
  ) {
    StrayRequests.endLast();
    nock.emitter.on("no match", this.noMatch);
    subscribe(REQUEST_SENT, this.sent);
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
      // An error thrown here could end the process.
      if (request instanceof OutgoingMessage) this.refuseLate(request, originIn(options), options.path);
    } else if (isRequestOptions(request)) {
      // An error thrown here is the client's.
      this.refuseUnknownHost(request);
    }
    // Else it is a request that a user's `allowUnmocked` lets through.
  }

  private refuseUnknownHost(options: RequestOptions): void {
    const origin = originIn(options);
    if (this.hosts.has(origin)) {
      throw new TypeError(
        `${options.method} ${showUrl(origin, options.path)}: nock.cleanAll() has removed the mock; ` +
          "it is back for requests made after this turn",
      );
    }
    if (this.failsUnhandled()) throw unhandledError(options.method, origin, options.path);
  }

  /** A request of node:http was given to its socket. */
  private onSent(message: unknown): void {
    const request = typeof message === "object" && message !== null && Reflect.get(message, "request");
    if (!(request instanceof OutgoingMessage)) return;
    const { socket } = request;
    const url = `${Reflect.get(request, "protocol")}//${request.getHeader("host")}`;
    if (socket === null || !URL.canParse(url)) return;
    const origin = originOf(new URL(url));
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
    const what = `${Reflect.get(request, "method")} ${showUrl(origin, path)}`;
    const message = `${what}: the mock was stopped while the request was on its way`;
    request.destroy(connectionError({ kind: "refused", message }));
  }
}

const originIn = ({ proto, host }: RequestOptions) => `${proto}://${host}`;

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
