import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net, { type Socket } from "node:net";
import { setImmediate } from "node:timers";
import tls from "node:tls";
import { type Endpoint, endpointOf } from "./endpoint.ts";

/** Taken at load, before a test fakes timers. */
const nextTurn = setImmediate;

/** A connection that a client of this process is about to open. */
export interface Opening extends Endpoint {
  /** Whether an HTTP client opens it for certain; others may speak any protocol. */
  readonly isHttp: boolean;
}

export interface OpeningHandler {
  /** Gives the client this socket; undefined lets Node open the connection. */
  open(opening: Opening): Socket | undefined;
  /** Is told of a connection that Node has opened. */
  opened(socket: Socket, opening: Opening): void;
  /** Why this socket must not be connected, though its client asked none of the functions above. */
  refuse(endpoint: Endpoint): Error | undefined;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

interface Opener {
  readonly owner: object;
  readonly name: string;
  readonly scheme: Endpoint["scheme"];
  readonly isHttp: boolean;
}

/** What Node's HTTP clients, and undici, call for a new connection; looked up at every call. */
const OPENERS: readonly Opener[] = [
  { owner: tls, name: "connect", scheme: "https:", isHttp: false },
  { owner: net, name: "connect", scheme: "http:", isHttp: false },
  { owner: net, name: "createConnection", scheme: "http:", isHttp: false },
  { owner: http.Agent.prototype, name: "createConnection", scheme: "http:", isHttp: true },
  // Before it asks a proxy of the environment.
  { owner: https.Agent.prototype, name: "createConnection", scheme: "https:", isHttp: true },
];

/** Asks a handler about every connection, until the function returned gives Node's functions back. */
export function watchOpenings(handler: OpeningHandler): () => void {
  let isWatching = true;
  const putBack = OPENERS.map(({ owner, name, scheme, isHttp }) =>
    replace(owner, name, (original) => {
      return function (...args) {
        const endpoint = isWatching ? endpointOf(scheme, args) : undefined;
        if (endpoint === undefined) return Reflect.apply(original, this, args);
        const opening = { ...endpoint, isHttp: isHttp || offersHttp(endpoint) };
        const socket = handler.open(opening);
        if (socket !== undefined) {
          const connected = isHttp ? undefined : args.findLast((arg) => typeof arg === "function");
          const event = scheme === "https:" ? "secureConnect" : "connect";
          if (typeof connected === "function") socket.once(event, () => Reflect.apply(connected, socket, []));
          return socket;
        }
        const real = Reflect.apply(original, this, args);
        if (real instanceof net.Socket) handler.opened(real, opening);
        return real;
      };
    }),
  );
  const unguard = guardSockets((endpoint) => handler.refuse(endpoint));
  syncBuiltinESMExports();
  return () => {
    isWatching = false;
    for (const back of putBack) back();
    syncBuiltinESMExports();
    // Clients that have just asked for a connection go on to open it in this turn.
    nextTurn(unguard);
  };
}

type Refuse = (endpoint: Endpoint) => Error | undefined;

/** Whoever wants to know of connections that are opened in another way. One patch serves all, in whatever order they end. */
const guards = new Set<Refuse>();
let removeGuard = () => {};

/** Asks before a socket connects, whichever function its client has called or kept. */
function guardSockets(refuse: Refuse): () => void {
  if (guards.size === 0) {
    removeGuard = replace(net.Socket.prototype, "connect", (original) => {
      return function (...args) {
        const endpoint = endpointOf(this instanceof tls.TLSSocket ? "https:" : "http:", args);
        for (const guard of guards) {
          const refusal = endpoint && guard(endpoint);
          if (refusal !== undefined && this instanceof net.Socket) return failConnecting(this, refusal);
        }
        return Reflect.apply(original, this, args);
      };
    });
  }
  guards.add(refuse);
  return () => {
    if (guards.delete(refuse) && guards.size === 0) removeGuard();
  };
}

/** Fails a socket as a connection does that cannot be made: later, when the client listens. */
export function failConnecting(socket: Socket, error: Error): Socket {
  Reflect.set(socket, "connecting", true);
  nextTurn(() => socket.destroy(error));
  return socket;
}

/** The function returned puts the original back, unless somebody else has replaced ours meanwhile. */
function replace(owner: object, name: string, wrap: (original: AnyFunction) => AnyFunction): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = Reflect.get(owner, name);
  if (!isFunction(original)) throw new TypeError(`node:net or node:http has no function "${name}"`);
  const replaced = wrap(original);
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    enumerable: true,
    value: replaced,
  });
  return () => {
    if (Reflect.get(owner, name) !== replaced) return;
    if (descriptor === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, descriptor);
  };
}

const isFunction = (value: unknown): value is AnyFunction => typeof value === "function";

/** Whether a TLS connection says that HTTP will be spoken on it. */
export const offersHttp = ({ options }: Pick<Endpoint, "options">): boolean =>
  protocolsOf(options).some((protocol) => protocol === "h2" || protocol.startsWith("http/"));

/** The names in `ALPNProtocols`: a list, or bytes with the length before each name. */
export function protocolsOf({ ALPNProtocols: given }: Readonly<Record<string, unknown>>): string[] {
  if (Array.isArray(given)) return given.map(String);
  if (!ArrayBuffer.isView(given)) return [];
  const text = Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString("latin1");
  return ["http/1.1", "h2"].filter((protocol) => text.includes(protocol));
}
