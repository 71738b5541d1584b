import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http from "node:http";
import { createRequire } from "node:module";
import { isIP, Socket } from "node:net";
import { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { isFunction, replace } from "../replace.ts";
import { canonicalHost, type Endpoint, isRecord } from "./openers.ts";
import { endpointOfUrl } from "./refusals.ts";
import { hostOfHeader, urlIn } from "./requested-hosts.ts";

/** Decides about connections that were opened before. */
export interface KeptConnectionHandler {
  isRefused(endpoint: Endpoint): boolean;
  /** The error for code that still uses one; the journal gets it too. */
  refuseKept(endpoint: Endpoint): Error;
  /** The error for a request that a proxy would pass on to this endpoint. */
  refuseProxied(endpoint: Endpoint): Error;
  /** Whether a connection leads through a proxy. */
  isTunnel(socket: object): boolean;
}

/** Destinations of a connection. A TLS connection may name another host than the one that it was opened to. */
type Destinations = readonly Endpoint[];

/** Channels of undici (the package, and Node's own): a client calls it, and a head is about to be written. */
const CREATED = "undici:request:create";
const SENDING = "undici:client:sendHeaders";

/**
 * Keeps clients from using earlier connections to refused endpoints. node:http and undici lose idle ones when they are about to
 * use them, and open others. A request in progress ends normally. Other connections fail at the next write, HTTP/2 sessions at
 * the next request.
 *
 * @returns a function that ends this.
 */
export function watchKeptConnections(handler: KeptConnectionHandler): () => void {
  // Bun's sockets are its own.
  if (!isFunction(propertyOf(Socket.prototype, "_writeGeneric"))) return () => {};
  const known = new WeakMap<object, Destinations>();
  const destinations = (socket: object): Destinations => {
    const found = known.get(socket) ?? destinationsOf(socket);
    if (found.length > 0) known.set(socket, found);
    return found;
  };
  const refused = (socket: object) => destinations(socket).find((endpoint) => handler.isRefused(endpoint));
  const refusalOfProxied = (url: URL | undefined): Error | undefined => {
    const endpoint = url && endpointOfUrl(url);
    return endpoint && handler.isRefused(endpoint) ? handler.refuseProxied(endpoint) : undefined;
  };
  /** The error for a request with this path, `Host` and, in undici, origin. */
  const refusalOf = (socket: object, path: unknown, host: unknown, origin?: unknown): Error | undefined => {
    const [connectedTo] = destinations(socket);
    if (connectedTo === undefined) return undefined;
    const url = urlIn(path);
    if (url !== undefined) return refusalOfProxied(url);
    const options = handler.isTunnel(socket) ? { socket } : connectedTo.options;
    const named = { ...connectedTo, options, requested: hostOfHeader(host) };
    const endpoint = [...destinations(socket), named].find((one) => handler.isRefused(one));
    return endpoint === undefined ? refusalOfProxied(urlIn(origin)) : handler.refuseKept(endpoint);
  };

  const newRequests = new WeakSet<object>();
  const created = (message: unknown) => {
    newRequests.add(Object(propertyOf(message, "request")));
  };
  const sending = (message: unknown) => {
    const [request, socket] = [propertyOf(message, "request"), propertyOf(message, "socket")];
    // HTTP/2 sessions refuse it themselves.
    if (!newRequests.has(Object(request)) || !(socket instanceof Socket) || !isInUndici(socket)) return;
    const [path, host, origin] = ["path", "host", "origin"].map((name) => propertyOf(request, name));
    const refusal = refusalOf(socket, path, host, origin);
    if (refusal !== undefined) socket.destroy(refusal);
  };

  const dropIdle = (agent: unknown) => {
    for (const socket of Object.values(Object(propertyOf(agent, "freeSockets"))).flat()) {
      if (!(socket instanceof Socket) || socket.destroyed || refused(socket) === undefined) continue;
      socket.destroy();
      // Otherwise the agent may hand it out until its "close" event.
      socket.emit("agentRemove");
    }
  };

  const restorers = [
    // Agents call this right before they look for an idle connection. Not `addRequest`, which other interceptors replace.
    replace(http.Agent.prototype, "getName", (original) => {
      return function (...args) {
        dropIdle(this);
        return original.apply(this, args);
      };
    }),
    // An agent gives a connection that became free to a request that waits for one, unless it is closed.
    replace(http.Agent.prototype, "emit", (original) => {
      return function (...args) {
        const [event, socket] = args;
        if (event === "free" && socket instanceof Socket && refused(socket) !== undefined) socket.destroy();
        return original.apply(this, args);
      };
    }),
    replace(ownerOf(http.ClientRequest.prototype, "onSocket"), "onSocket", (original) => {
      return function (...args) {
        const [socket, error] = args;
        const host = this instanceof http.OutgoingMessage ? this.getHeader("host") : undefined;
        const refusal =
          socket instanceof Socket && !error ? refusalOf(socket, propertyOf(this, "path"), host) : undefined;
        return refusal === undefined ? original.apply(this, args) : original.call(this, socket, refusal);
      };
    }),
    // undici calls this on an idle connection before it uses it.
    replace(Socket.prototype, "ref", (original) => {
      return function (...args) {
        if (this instanceof Socket && isIdleInUndici(this) && !isFresh(this) && refused(this) !== undefined)
          this.destroy();
        return original.apply(this, args);
      };
    }),
    // undici calls this when a response arrives, and before it uses a connection that became idle a moment ago.
    replace(Socket.prototype, "read", (original) => {
      return function (...args) {
        if (this instanceof Socket && isInUndici(this) && !isFresh(this) && refused(this) !== undefined) {
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
    ...guardSessions((socket) => {
      const endpoint = refused(socket);
      return endpoint && handler.refuseKept(endpoint);
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

/** Empty for a connection in memory, one that a server accepted, and one that is not connected yet. */
function destinationsOf(socket: object): Destinations {
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
  const client = stateOf(socket, "client");
  const url = isRecord(client) ? stateOf(client, "url") : undefined;
  const host = url instanceof URL ? canonicalHost(url.hostname) : "";
  return isIP(host) === 0 ? undefined : host;
}

/** Other interceptors extend Node's classes. */
function ownerOf(prototype: object, name: string): object {
  const parent: object | null = Object.hasOwn(prototype, name) ? null : Object.getPrototypeOf(prototype);
  return parent === null ? prototype : ownerOf(parent, name);
}

export const propertyOf = (owner: unknown, name: string | symbol): unknown =>
  Reflect.get(Object(owner), name);

/** undici keeps its state of a connection on the socket, by symbols with these descriptions. */
const symbolOf = (owner: object, description: string): symbol | undefined =>
  Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description);

function stateOf(owner: object, description: string): unknown {
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
/** Whether no request was sent on it whose response is not complete. */
function isIdleInUndici(socket: Socket): boolean {
  const client = stateOf(socket, "client");
  const [sent, answered] = ["pending index", "running index"].map((name) =>
    isRecord(client) ? stateOf(client, name) : undefined,
  );
  return isInUndici(socket) && sent === answered;
}

/** Found once, because it takes a session to find it. */
let knownSessionPrototype: object | undefined;

/** Node's class of HTTP/2 clients, once some code has loaded them: loading takes longer than starting a mock. */
function sessionPrototype(): object | undefined {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  if (!Array.isArray(loaded) || !loaded.includes("NativeModule http2")) return undefined;
  knownSessionPrototype ??= findSessionPrototype();
  return knownSessionPrototype;
}

function findSessionPrototype(): object {
  const { connect }: typeof import("node:http2") = createRequire(import.meta.url)("node:http2");
  const session = connect("http://localhost", {
    // Each write ends, because a session keeps what it is still sending.
    createConnection: () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }),
  });
  session.on("error", () => {}).destroy();
  return Object.getPrototypeOf(session);
}

/** Refuses new streams of HTTP/2 sessions, and closes these after the streams in progress. Returns functions that end this. */
function guardSessions(refuse: (socket: object) => Error | undefined): (() => void)[] {
  const prototype = sessionPrototype();
  if (prototype === undefined) return [];
  return [
    replace(prototype, "request", (original) => {
      return function (...args) {
        const refusal = refuse(Object(propertyOf(this, "socket")));
        if (refusal === undefined) return original.apply(this, args);
        const close = propertyOf(this, "close");
        // undici fails when one of its sessions closes by itself.
        if (isFunction(close) && stateOf(Object(this), "client") === undefined) close.call(this);
        throw refusal;
      };
    }),
  ];
}
