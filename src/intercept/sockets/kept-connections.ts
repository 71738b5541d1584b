import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http, { OutgoingMessage } from "node:http";
import { isIP, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { propertyOf } from "../../core/general/property.ts";
import { originOf } from "../host-table.ts";
import { isFunction, replace } from "../replace.ts";
import { MemorySocket } from "./memory-socket.ts";
import { canonicalHost, type Endpoint, isRecord } from "./openers.ts";
import { endpointOfUrl } from "./refusals.ts";
import { hostOfHeader, urlIn } from "./requested-hosts.ts";
import { type Addressee, addresseeOf, type SentHead } from "./sent-requests.ts";

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

/** Destinations of a connection. A TLS connection may name another host than the one that it was opened to. */
type Destinations = readonly Endpoint[];

/** Channels of undici (the package, and Node's own): a client calls it, and a head is about to be written. */
const CREATED = "undici:request:create";
const SENDING = "undici:client:sendHeaders";

/**
 * Keeps clients from using earlier connections to refused endpoints and blocked origins. node:http and undici lose idle ones when
 * they are about to use them, and open others. A request in progress ends normally. Other connections to refused endpoints fail at
 * the next write; those to blocked origins belong to no HTTP client.
 *
 * @returns a function that ends this.
 */
export function watchKeptConnections(handler: KeptConnectionHandler): () => void {
  // Bun's sockets are its own.
  if (!isFunction(propertyOf(Socket.prototype, "_writeGeneric"))) return () => {};
  const refused = (socket: object) => destinationsOf(socket).find((endpoint) => handler.isRefused(endpoint));
  const refusalOfProxied = (endpoint: Endpoint | undefined): Error | undefined =>
    endpoint && handler.isRefused(endpoint) ? handler.refuseProxied(endpoint) : undefined;
  const refusalOfNamed = (socket: object, connectedTo: Endpoint, host: string | undefined) => {
    const options = handler.isTunnel(socket) ? { socket } : connectedTo.options;
    const named = { ...connectedTo, options, requested: hostOfHeader(host) };
    const endpoint = [...destinationsOf(socket), named].find((one) => handler.isRefused(one));
    return endpoint && handler.refuseKept(endpoint);
  };
  /** The error for a request, which has an origin in undici. */
  const refusalOf = (socket: object, head: SentHead, origin?: unknown): Error | undefined => {
    const [connectedTo] = destinationsOf(socket);
    if (connectedTo === undefined) return undefined;
    const [proxied, asked] = [head.target, origin].map(urlIn).map((url) => url && endpointOfUrl(url));
    const refusal =
      proxied === undefined
        ? (refusalOfNamed(socket, connectedTo, head.hostHeader) ?? refusalOfProxied(asked))
        : refusalOfProxied(proxied);
    return refusal ?? handler.refuseBlocked(head.method, addresseeOf(head, asked ?? connectedTo));
  };
  /** Whether the connections that an agent has for requests with these options are blocked. */
  const isBlockedIn = (socket: Socket, options: unknown) => {
    const origin = socket instanceof MemorySocket ? undefined : originOfOptions(socket, options);
    return origin !== undefined && handler.isBlocked(origin);
  };
  /** Whether undici may not send another request on a connection. */
  const isLostInUndici = (socket: Socket) => {
    if (!isInUndici(socket) || isFresh(socket) || destinationsOf(socket).length === 0) return false;
    const url = urlInUndici(socket);
    return refused(socket) !== undefined || (url !== undefined && handler.isBlocked(originOf(url)));
  };

  const newRequests = new WeakSet<object>();
  const created = (message: unknown) => {
    newRequests.add(Object(propertyOf(message, "request")));
  };
  const sending = (message: unknown) => {
    const [request, socket] = [propertyOf(message, "request"), propertyOf(message, "socket")];
    // HTTP/2 sessions refuse it themselves.
    if (!newRequests.has(Object(request)) || !(socket instanceof Socket) || !isInUndici(socket)) return;
    const host = propertyOf(request, "host");
    const refusal = refusalOf(socket, headOf(request, host), propertyOf(request, "origin"));
    if (refusal !== undefined) socket.destroy(refusal);
  };

  const dropIdle = (agent: unknown, name: string, options: unknown) => {
    for (const [key, sockets] of Object.entries(Object(propertyOf(agent, "freeSockets"))))
      for (const socket of [sockets].flat()) {
        if (!(socket instanceof Socket) || socket.destroyed) continue;
        // The names of an agent for https begin as these do.
        if (refused(socket) === undefined && !(key.startsWith(name) && isBlockedIn(socket, options)))
          continue;
        socket.destroy();
        // Otherwise the agent may hand it out until its "close" event.
        socket.emit("agentRemove");
      }
  };

  const restorers = [
    // Agents call this right before they look for an idle connection. Not `addRequest`, which other interceptors replace.
    replace(http.Agent.prototype, "getName", (original) => {
      return function (...args) {
        const name = original.apply(this, args);
        dropIdle(this, String(name), args[0]);
        return name;
      };
    }),
    // An agent gives a connection that became free to a request that waits for one, unless it is closed.
    replace(http.Agent.prototype, "emit", (original) => {
      return function (...args) {
        const [event, socket, options] = args;
        if (event === "free" && socket instanceof Socket)
          if (refused(socket) !== undefined || isBlockedIn(socket, options)) socket.destroy();
        return original.apply(this, args);
      };
    }),
    replace(ownerOf(http.ClientRequest.prototype, "onSocket"), "onSocket", (original) => {
      return function (...args) {
        const [socket, error] = args;
        const host = this instanceof OutgoingMessage ? this.getHeader("host") : undefined;
        const refusal =
          socket instanceof Socket && !error ? refusalOf(socket, headOf(this, host)) : undefined;
        return refusal === undefined ? original.apply(this, args) : original.call(this, socket, refusal);
      };
    }),
    // undici calls this on an idle connection before it uses it.
    replace(Socket.prototype, "ref", (original) => {
      return function (...args) {
        if (this instanceof Socket && isIdleInUndici(this) && isLostInUndici(this)) this.destroy();
        return original.apply(this, args);
      };
    }),
    // undici calls this when a response arrives, and before it uses a connection that became idle a moment ago.
    replace(Socket.prototype, "read", (original) => {
      return function (...args) {
        if (this instanceof Socket && isLostInUndici(this)) {
          if (isIdleInUndici(this)) this.destroy();
          // undici closes a connection with this mark after the response, instead of sending the next request.
          else Object.assign(this, { [symbolOf(this, "reset") ?? ""]: true });
        }
        return original.apply(this, args);
      };
    }),
    // Every write of a socket, once it is connected.
    replace(Socket.prototype, "_writeGeneric", (original) => {
      return function (...args) {
        const done = args.at(-1);
        // Requests of these clients on older connections are refused above.
        const isJudged = (socket: Socket) =>
          isFresh(socket) || !(isInNodeRequest(socket) || isInUndici(socket) || isInFirstRequest(socket));
        const endpoint = this instanceof Socket && isJudged(this) ? refused(this) : undefined;
        if (endpoint === undefined || !isFunction(done)) return original.apply(this, args);
        return done(handler.refuseKept(endpoint));
      };
    }),
  ];
  subscribe(CREATED, created);
  subscribe(SENDING, sending);
  return () => {
    for (const restore of restorers) restore();
    unsubscribe(CREATED, created);
    unsubscribe(SENDING, sending);
  };
}

const known = new WeakMap<object, Destinations>();

/** Empty for a connection in memory or to a pipe, one that a server accepted, and one that is not connected yet. */
export function destinationsOf(socket: object): Destinations {
  const destinations = known.get(socket) ?? readDestinations(socket);
  if (destinations.length > 0) known.set(socket, destinations);
  return destinations;
}

function readDestinations(socket: object): Destinations {
  const [port, server] = ["remotePort", "server"].map((name) => propertyOf(socket, name));
  // The first is known after the handshake only.
  const servername =
    propertyOf(socket, "servername") || propertyOf(stateOf(socket, "connect-options"), "servername");
  if (typeof port !== "number" || server) return [];
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
  return isIP(host) === 0 ? undefined : host;
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

/** undici keeps its state of a connection on the socket, by symbols with these descriptions. */
const symbolOf = (owner: object, description: string): symbol | undefined =>
  Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description);

export function stateOf(owner: object, description: string): unknown {
  const symbol = symbolOf(owner, description);
  return symbol && propertyOf(owner, symbol);
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
/** Whether a client of undici speaks HTTP/1.1 on it. */
const isInUndici = (socket: Socket) => Boolean(stateOf(socket, "parser"));

/** The URL of the client that has a connection, also behind a proxy. */
function urlInUndici(socket: object): URL | undefined {
  const client = stateOf(socket, "client");
  return isRecord(client) ? urlIn(stateOf(client, "url")) : undefined;
}

/** Whether no request was sent on it whose response is not complete. */
function isIdleInUndici(socket: Socket): boolean {
  const client = stateOf(socket, "client");
  const [sent, answered] = ["pending index", "running index"].map((name) =>
    isRecord(client) ? stateOf(client, name) : undefined,
  );
  return isInUndici(socket) && sent === answered;
}
