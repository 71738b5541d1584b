import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http, { OutgoingMessage } from "node:http";
import { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isIpAddress } from "../../core/general/ip-address.ts";
import { propertyOf } from "../../core/general/property.ts";
import { originOf } from "../host-table.ts";
import { isFunction, replace } from "../replace.ts";
import { MemorySocket } from "./memory-socket.ts";
import { canonicalHost, type Endpoint } from "./openers.ts";
import { endpointOfUrl } from "./refusals.ts";
import { hostOfHeader, urlIn } from "./requested-hosts.ts";
import { type Addressee, addresseeOf, type SentHead } from "./sent-requests.ts";
import {
  CREATED,
  isIdleInUndici,
  isInUndici,
  SENDING,
  stateOf,
  symbolOf,
  urlInUndici,
} from "./undici-state.ts";

/** Decides about connections that were opened before. */
export interface KeptConnectionHandler {
  /** Whether a mock answers for this endpoint, or nothing may reach it. */
  isRefused(endpoint: Endpoint): boolean;
  /** The error for code that still uses one; the journal gets it too. */
  refuseKept(endpoint: Endpoint): Error;
  /** The error for a request that a proxy would pass on to this endpoint. */
  refuseProxied(endpoint: Endpoint): Error;
  /** Whether a connection leads through a proxy. */
  isTunnel(socket: object): boolean;
  /** Whether HTTP clients may not reach this origin. */
  isBlocked(origin: string): boolean;
  /** The error of a request that may not reach its addressee. */
  refuseBlocked(method: string, addressee: Addressee): Error | undefined;
}

/**
 * Prevents clients from reusing connections to refused endpoints and blocked origins that were opened before the mock started.
 * node:http and undici drop such idle connections when they try to reuse them, and open others. A request in progress ends normally.
 * Other connections to refused endpoints fail at the next write; those to blocked origins belong to no HTTP client.
 *
 * @returns a function that ends this.
 */
export function watchKeptConnections(handler: KeptConnectionHandler): () => void {
  // Bun's sockets are its own.
  if (!isFunction(propertyOf(Socket.prototype, "_writeGeneric"))) return () => {};
  const judge = new ConnectionJudge(handler);
  const endings = [
    ...watchAgents(judge),
    ...watchUndici(judge),
    watchWrites(judge, (endpoint) => handler.refuseKept(endpoint)),
  ];
  return () => {
    for (const end of endings) end();
  };
}

/** Decides which earlier connections clients may still use. */
class ConnectionJudge {
  constructor(private readonly handler: KeptConnectionHandler) {}

  /** The refused endpoint that a connection leads to. */
  refusedEndpoint(socket: object): Endpoint | undefined {
    return destinationsOf(socket).find((endpoint) => this.handler.isRefused(endpoint));
  }

  /** The error for a request on a connection. `origin`: of the request, in undici. */
  refusalOf(socket: object, head: SentHead, origin?: unknown): Error | undefined {
    const [connectedTo] = destinationsOf(socket);
    if (connectedTo === undefined) return undefined;
    const [proxied, asked] = [head.target, origin].map(urlIn).map((url) => url && endpointOfUrl(url));
    // A request for a proxy says in its target where it goes; any other goes where the connection leads, or to the host that it names.
    const refusal =
      proxied === undefined
        ? (this.refusalOfNamed(socket, connectedTo, head.hostHeader) ?? this.refusalOfProxied(asked))
        : this.refusalOfProxied(proxied);
    return refusal ?? this.handler.refuseBlocked(head.method, addresseeOf(head, asked ?? connectedTo));
  }

  private refusalOfProxied(endpoint: Endpoint | undefined): Error | undefined {
    return endpoint && this.handler.isRefused(endpoint) ? this.handler.refuseProxied(endpoint) : undefined;
  }

  private refusalOfNamed(socket: object, connectedTo: Endpoint, host: string | undefined): Error | undefined {
    const options = this.handler.isTunnel(socket) ? { socket } : connectedTo.options;
    const named = { ...connectedTo, options, requested: hostOfHeader(host) };
    const endpoint = [...destinationsOf(socket), named].find((one) => this.handler.isRefused(one));
    return endpoint && this.handler.refuseKept(endpoint);
  }

  /** Whether an agent may not use a connection that it keeps for requests with these options. */
  isBlockedFor(socket: Socket, options: unknown): boolean {
    const origin = socket instanceof MemorySocket ? undefined : originOfOptions(socket, options);
    return origin !== undefined && this.handler.isBlocked(origin);
  }

  /** Whether undici may not send another request on a connection. */
  isLostInUndici(socket: Socket): boolean {
    // Asked of every socket that anything reads from: whether it is undici's takes the longest to find out.
    if (isFresh(socket) || isInNodeRequest(socket) || !isInUndici(socket)) return false;
    if (destinationsOf(socket).length === 0) return false;
    const url = urlInUndici(socket);
    return (
      this.refusedEndpoint(socket) !== undefined ||
      (url !== undefined && this.handler.isBlocked(originOf(url)))
    );
  }
}

/** Watches the three moments in which node:http puts a request on a connection that it already has. */
function watchAgents(judge: ConnectionJudge): (() => void)[] {
  const dropIdle = (agent: unknown, name: string, options: unknown) => {
    for (const [key, sockets] of Object.entries(Object(propertyOf(agent, "freeSockets"))))
      for (const socket of [sockets].flat()) {
        if (!(socket instanceof Socket) || socket.destroyed) continue;
        // An agent for https adds to the names by which node:http keeps connections: they only begin alike.
        const isForTheseOptions = key.startsWith(name);
        if (
          judge.refusedEndpoint(socket) === undefined &&
          !(isForTheseOptions && judge.isBlockedFor(socket, options))
        )
          continue;
        socket.destroy();
        // A destroyed socket emits "close" a turn later. Until then the agent could still hand it out.
        socket.emit("agentRemove");
      }
  };

  return [
    // 1. An idle one: agents ask for its name right before they look for it. Not `addRequest`, which other interceptors replace.
    replace(http.Agent.prototype, "getName", (original) => {
      return function (...args) {
        const name = original.apply(this, args);
        dropIdle(this, String(name), args[0]);
        return name;
      };
    }),
    // 2. One that becomes free while another request waits for it: the agent passes it on, unless it is closed.
    replace(http.Agent.prototype, "emit", (original) => {
      return function (...args) {
        const [event, socket, options] = args;
        if (event === "free" && socket instanceof Socket)
          if (judge.refusedEndpoint(socket) !== undefined || judge.isBlockedFor(socket, options))
            socket.destroy();
        return original.apply(this, args);
      };
    }),
    // 3. One that the client itself kept, and gives to a request: the request fails with our error, as if connecting had failed.
    replace(ownerOf(http.ClientRequest.prototype, "onSocket"), "onSocket", (original) => {
      return function (...args) {
        const [socket, error] = args;
        const host = this instanceof OutgoingMessage ? this.getHeader("host") : undefined;
        const refusal =
          socket instanceof Socket && !error ? judge.refusalOf(socket, headOf(this, host)) : undefined;
        return refusal === undefined ? original.apply(this, args) : original.call(this, socket, refusal);
      };
    }),
  ];
}

/**
 * Watches undici, the package and the one in Node. Its pools cannot be reached from outside, so that their connections are judged by what
 * undici does with them: it calls `ref` and `read` on its sockets, and announces requests on channels.
 */
function watchUndici(judge: ConnectionJudge): (() => void)[] {
  // Requests that were made before the mock started are in progress, and end normally.
  const newRequests = new WeakSet<object>();
  const created = (message: unknown) => {
    newRequests.add(Object(propertyOf(message, "request")));
  };
  const sending = (message: unknown) => {
    const [request, socket] = [propertyOf(message, "request"), propertyOf(message, "socket")];
    // HTTP/2 sessions refuse it themselves.
    if (!newRequests.has(Object(request)) || !(socket instanceof Socket) || !isInUndici(socket)) return;
    const host = propertyOf(request, "host");
    const refusal = judge.refusalOf(socket, headOf(request, host), propertyOf(request, "origin"));
    if (refusal !== undefined) socket.destroy(refusal);
  };
  subscribe(CREATED, created);
  subscribe(SENDING, sending);

  return [
    // undici calls this on an idle connection before it uses it, and opens another one if it finds it closed.
    replace(Socket.prototype, "ref", (original) => {
      return function (...args) {
        if (this instanceof Socket && judge.isLostInUndici(this) && isIdleInUndici(this)) this.destroy();
        return original.apply(this, args);
      };
    }),
    // undici calls this when a response arrives, and before it uses a connection that became idle a moment ago.
    replace(Socket.prototype, "read", (original) => {
      return function (...args) {
        if (this instanceof Socket && judge.isLostInUndici(this)) {
          if (isIdleInUndici(this)) this.destroy();
          else markForReset(this);
        }
        return original.apply(this, args);
      };
    }),
    () => unsubscribe(CREATED, created),
    () => unsubscribe(SENDING, sending),
  ];
}

/**
 * The response must still arrive, so the connection may not be closed. undici closes one with this mark after the response, instead of
 * sending the next request. In an undici without it, it is closed once it is idle, or the request is refused when its head is sent.
 */
function markForReset(socket: Socket): void {
  const mark = symbolOf(socket, "reset");
  if (mark !== undefined) Reflect.set(socket, mark, true);
}

/** Fails what no HTTP client sends: raw sockets, and protocols of their own. Every write of a connected socket ends here. */
const watchWrites = (judge: ConnectionJudge, refuseKept: (endpoint: Endpoint) => Error): (() => void) =>
  replace(Socket.prototype, "_writeGeneric", (original) => {
    return function (...args) {
      const done = args.at(-1);
      // Requests of these clients on older connections are refused above, with the request's own error.
      const isJudged = (socket: Socket) =>
        isFresh(socket) || !(isInNodeRequest(socket) || isInUndici(socket) || isInFirstRequest(socket));
      const endpoint = this instanceof Socket && isJudged(this) ? judge.refusedEndpoint(this) : undefined;
      if (endpoint === undefined || !isFunction(done)) return original.apply(this, args);
      return done(refuseKept(endpoint));
    };
  });

const known = new WeakMap<object, readonly Endpoint[]>();

/**
 * Where a connection leads. A TLS connection may name another host than the one that it was opened to.
 *
 * @returns nothing for a connection in memory or to a pipe, one that a server accepted, and one that is not connected yet.
 */
export function destinationsOf(socket: object): readonly Endpoint[] {
  const destinations = known.get(socket) ?? readDestinations(socket);
  if (destinations.length > 0) known.set(socket, destinations);
  return destinations;
}

function readDestinations(socket: object): readonly Endpoint[] {
  const port = propertyOf(socket, "server") ? undefined : propertyOf(socket, "remotePort");
  if (typeof port !== "number") return [];
  // The first is known after the handshake only.
  const servername =
    propertyOf(socket, "servername") || propertyOf(stateOf(socket, "connect-options"), "servername");
  const scheme = socket instanceof TLSSocket ? "https:" : "http:";
  // The name, if there was one, because many hosts share an address.
  const connectedTo =
    addressInUndici(socket) ?? (propertyOf(socket, "_host") || propertyOf(socket, "remoteAddress"));
  const options = { host: connectedTo, socket: propertyOf(socket, "_parent") ?? undefined };
  return [servername, connectedTo]
    .filter((host) => typeof host === "string" && host !== "")
    .map((host) => ({ scheme, host: canonicalHost(String(host)), port, options }));
}

/** The address that a client of undici 8 connects to: the socket has the name in the first request's `Host`. */
function addressInUndici(socket: object): string | undefined {
  const host = canonicalHost(urlInUndici(socket)?.hostname ?? "");
  return isIpAddress(host) ? host : undefined;
}

/** The origin that an agent of node:http opens a connection to, for these options; undefined for a pipe. */
function originOfOptions(socket: Socket, options: unknown): string | undefined {
  const [host, port, pipe] = ["host", "port", "socketPath"].map((name) => propertyOf(options, name));
  if (pipe || !port) return undefined;
  const scheme = socket instanceof TLSSocket ? "https:" : "http:";
  return `${scheme}//${canonicalHost(String(host || "localhost"))}:${port}`;
}

const headOf = (request: unknown, host: unknown): SentHead => ({
  method: String(propertyOf(request, "method")),
  target: String(propertyOf(request, "path")),
  hostHeader: host ? String(host) : undefined,
});

/** Other interceptors extend Node's classes. */
function ownerOf(prototype: object, name: string): object {
  const parent: object | null = Object.hasOwn(prototype, name) ? null : Object.getPrototypeOf(prototype);
  return parent === null ? prototype : ownerOf(parent, name);
}

/**
 * Nothing was sent on it yet. If it leads to a refused endpoint all the same, the client opened it by functions that it captured. undici
 * would open another one again and again if it were closed without a request.
 */
const isFresh = (socket: Socket) =>
  // Not `bytesWritten`, which counts what waits to be written.
  propertyOf(socket, "_bytesDispatched") === 0;
/** Nothing was read yet: for example, another interceptor sends the body by a socket of its own. */
const isInFirstRequest = (socket: Socket) => !isFresh(socket) && socket.bytesRead === 0;
const isInNodeRequest = (socket: Socket) => Boolean(propertyOf(socket, "_httpMessage"));
