import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { Socket } from "node:net";
import net from "node:net";
import tls from "node:tls";
import { realTimers } from "../../core/general/real-timers.ts";
import { replace } from "../replace.ts";
import { followOpening, requestedHost } from "./requested-hosts.ts";

export interface HostAndPort {
  /** Host in the form of {@link canonicalHost}. */
  readonly host: string;
  readonly port: number;
}

/** The destination of a connection, independent of the Node function that opens it. */
export interface Endpoint extends HostAndPort {
  readonly scheme: "http:" | "https:";
  readonly options: Readonly<Record<string, unknown>>;
  /** The host that a request on the connection names, if that is known. */
  readonly requested?: string | undefined;
}

/** Reads the arguments of Node's connecting functions; undefined for a pipe, and for arguments that Node rejects. */
function endpointOf(scheme: Endpoint["scheme"], args: readonly unknown[]): Endpoint | undefined {
  const given: readonly unknown[] = Array.isArray(args[0]) ? args[0] : args;
  const [first, second] = given;
  const added = isRecord(first) ? {} : { port: first, ...hostIn(second) };
  // TLS uses an object's own properties only. TCP uses the object itself, whose copy would cost each connection more than the rest here.
  const options = isRecord(first) && scheme === "http:" ? first : { ...given.find(isRecord), ...added };
  if (options.path || options.socketPath) return undefined;
  const port = Number(options.port ?? (scheme === "http:" ? 80 : 443));
  if (!Number.isInteger(port)) return undefined;
  return { scheme, host: canonicalHost(String(options.host ?? "localhost")), port, options };
}

const hostIn = (argument: unknown): { readonly host?: string } =>
  typeof argument === "string" ? { host: argument } : {};

/** Normalizes a host name: lower case, without brackets and without a trailing dot. */
export const canonicalHost = (host: string): string =>
  host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

export interface Opening extends Endpoint {
  /** Whether the client certainly uses HTTP; otherwise it may use any protocol. */
  readonly isHttp: boolean;
}

interface Guard {
  /** Called for a socket that is about to connect, whatever function opened it. */
  connecting(socket: Socket): void;
  /** The error for a socket that bypassed the patched functions; undefined if it may connect. */
  refuse(endpoint: Endpoint): Error | undefined;
}

export interface OpeningHandler extends Guard {
  /** Returns the socket for the client, or undefined to let Node open the connection. */
  open(opening: Opening): Socket | undefined;
  /** Called for a connection that Node opened. */
  opened(socket: Socket, opening: Opening): void;
}

interface Opener {
  readonly owner: object;
  readonly name: string;
  readonly scheme: Endpoint["scheme"];
  readonly isHttp: boolean;
}

/** The functions that Node's HTTP clients and undici look up and call for every new connection. */
const OPENERS: readonly Opener[] = [
  { owner: tls, name: "connect", scheme: "https:", isHttp: false },
  { owner: net, name: "connect", scheme: "http:", isHttp: false },
  { owner: net, name: "createConnection", scheme: "http:", isHttp: false },
  { owner: http.Agent.prototype, name: "createConnection", scheme: "http:", isHttp: true },
  // Patched too, because it may connect to a proxy from the environment.
  { owner: https.Agent.prototype, name: "createConnection", scheme: "https:", isHttp: true },
];

/**
 * Patches Node's functions to ask a handler about every connection. Returns a function that restores them.
 * Why there: decision 0002.
 */
export function watchOpenings(handler: OpeningHandler): () => void {
  let isWatching = true;
  const restorers = OPENERS.map(({ owner, name, scheme, isHttp }) =>
    replace(owner, name, (original) => {
      return function (...args) {
        const endpoint = isWatching ? endpointOf(scheme, args) : undefined;
        if (endpoint === undefined) return original.apply(this, args);
        const opening = {
          ...endpoint,
          // A client may use its object again, with other values, while the connection is open.
          options: { ...endpoint.options },
          isHttp: isHttp || offersHttp(endpoint),
          requested: isHttp ? requestedHost() : undefined,
        };
        const socket = handler.open(opening);
        if (socket !== undefined) {
          const connected = isHttp ? undefined : args.findLast((arg) => typeof arg === "function");
          const event = scheme === "https:" ? "secureConnect" : "connect";
          if (typeof connected === "function") socket.once(event, () => connected.call(socket));
          return socket;
        }
        const real = original.apply(this, args);
        if (real instanceof net.Socket) handler.opened(real, opening);
        return real;
      };
    }),
  );
  restorers.push(followOpening());
  const unguard = guardSockets(handler);
  syncBuiltinESMExports();
  return () => {
    isWatching = false;
    for (const restore of restorers) restore();
    syncBuiltinESMExports();
    // Clients that just requested a connection still open it in this turn of the event loop.
    realTimers.setImmediate(unguard);
  };
}

/** They share one patch, so that they can end in any order. */
const guards = new Set<Guard>();

/**
 * Our patches of `Socket#connect`, with what removes each. Another interceptor that is active when the last guard ends, such as a
 * user's nock 15, keeps ours beneath its own, and puts it back when it stops: it is then used again.
 */
const patches = new WeakMap<object, () => void>();
const connectNow = (): object => Reflect.get(net.Socket.prototype, "connect");

/** Patches `Socket#connect`, which every connection uses, even one opened with a function captured before. */
function guardSockets(added: Guard): () => void {
  if (guards.size === 0 && !patches.has(connectNow())) {
    const remove = replace(net.Socket.prototype, "connect", (original) => {
      return function (...args) {
        const endpoint = endpointOf(this instanceof tls.TLSSocket ? "https:" : "http:", args);
        // The newest knows mocks that were started while an older one ends.
        const newestFirst = [...guards].reverse();
        for (const guard of newestFirst) {
          const refusal = endpoint && guard.refuse(endpoint);
          if (refusal !== undefined && this instanceof net.Socket) return failConnecting(this, refusal);
        }
        if (endpoint !== undefined && this instanceof net.Socket) newestFirst[0]?.connecting(this);
        return original.apply(this, args);
      };
    });
    patches.set(connectNow(), remove);
  }
  guards.add(added);
  return () => {
    if (guards.delete(added) && guards.size === 0) patches.get(connectNow())?.();
  };
}

/** Fails a socket like a failed connection: deferred, after the client could add its listeners. */
export function failConnecting(socket: Socket, error: Error): Socket {
  Reflect.set(socket, "connecting", true);
  realTimers.setImmediate(() => socket.destroy(error));
  return socket;
}

/** Whether a TLS connection offers HTTP in its ALPN protocols. */
const offersHttp = ({ options }: Endpoint): boolean =>
  protocolsOf(options).some((protocol) => protocol === "h2" || protocol.startsWith("http/"));

/** Reads `ALPNProtocols`: a list, or bytes with a length before each name. */
export function protocolsOf({ ALPNProtocols: given }: Readonly<Record<string, unknown>>): string[] {
  if (Array.isArray(given)) return given.map(String);
  if (!ArrayBuffer.isView(given)) return [];
  const text = Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString("latin1");
  return ["http/1.1", "h2"].filter((protocol) => text.includes(protocol));
}
