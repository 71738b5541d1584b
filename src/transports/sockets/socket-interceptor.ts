import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import type { Result, WireResponse } from "../../core/message.ts";
import { answer, answerMalformed, connectionError, stoppedError, unhandledError } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { HttpServer } from "../http-server/http-server.ts";
import { isLocal, type OtherHosts } from "../unhandled-requests.ts";
import { canonicalHost, type Endpoint } from "./endpoint.ts";
import { MemorySocket } from "./memory-socket.ts";
import { failConnecting, type Opening, type OpeningHandler, protocolsOf, watchOpenings } from "./openers.ts";
import { judgeRequests, type SentHead, type Verdict } from "./sent-requests.ts";

/** Taken at load, before a test fakes timers. */
const nextTurn = setImmediate;

/** What reads the connections to one origin, and their ends that it reads. */
interface OriginServer {
  readonly http: HttpServer;
  readonly connections: Set<MemorySocket>;
}

/**
 * Beneath all clients: whatever connection this process opens to an intercepted host ends in memory, at a mock, whichever
 * function the client has kept from before. What cannot be answered fails, saying why.
 */
export class SocketInterceptor implements OpeningHandler {
  private readonly servers = new Map<string, OriginServer>();
  /** Where a socket leads: a proxy was asked for that host on it, or it is plain and TLS is to follow. */
  private readonly tunnels = new WeakMap<object, string>();
  /** Origins that nobody serves since this turn of the event loop. */
  private readonly released = new Set<string>();
  private readonly stopWatching: () => void;

  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
  ) {
    this.stopWatching = watchOpenings(this);
  }

  /**
   * Ends connections to origins that nobody serves any longer; a response that is being made is still sent. What is opened to
   * them in this turn of the event loop was asked for before.
   */
  release(origins: readonly string[]): void {
    for (const origin of origins) {
      this.released.add(origin);
      const server = this.servers.get(origin);
      if (server === undefined) continue;
      this.servers.delete(origin);
      const isAnswering = server.http.drain();
      for (const connection of server.connections) {
        if (connection.isQuiet && !isAnswering(connection)) connection.destroy();
      }
    }
    nextTurn(() => this.released.clear());
  }

  stop(): void {
    this.stopWatching();
  }

  open(opening: Opening): Socket | undefined {
    const target = this.targetOf(opening);
    const origin = originOfEndpoint(target);
    if (this.hosts.has(origin)) {
      const protocols = protocolsOf(opening.options);
      const isReadable = protocols.length === 0 || protocols.includes("http/1.1");
      return isReadable
        ? this.connect(origin, opening)
        : refused(opening, this.wentAround(target, WHY.http2));
    }
    if (this.hosts.has(`https://${authorityOf(target)}`)) return this.openPlain(target, opening);
    const refusal = this.refuse(target);
    if (refusal !== undefined) return refused(opening, refusal);
    // Refused as a request, so that the error names it, and that no host is looked up.
    return opening.isHttp && !this.others.mayPass(origin) ? this.connect(origin, opening) : undefined;
  }

  opened(socket: Socket, opening: Opening): void {
    if (opening.options.socket === undefined)
      judgeRequests(socket, (head) => this.judge(head, socket, opening));
  }

  refuse(endpoint: Endpoint, how: string = WHY.keptFunction): Error | undefined {
    const { host } = endpoint;
    const authority = authorityOf(endpoint);
    if (this.hosts.has(`http://${authority}`) || this.hosts.has(`https://${authority}`)) {
      return this.wentAround(endpoint, how);
    }
    if (this.released.has(originOfEndpoint(endpoint))) return connectError(endpoint, WHY.stopped);
    const closed = this.others.whyClosed(host);
    if (closed !== undefined) return connectError(endpoint, closed);
    const served = isLocal(host) ? [] : this.hosts.baseUrlsOfHost(host);
    if (served.length === 0) return undefined;
    return this.wentAround(endpoint, `only ${served.join(" and ")} is served; send the request there`);
  }

  /** Where a connection leads in the end: through a tunnel, or to an address for which TLS gives a name. */
  private targetOf({ scheme, host, port, options }: Opening): Endpoint {
    const target = { scheme, host, port, options };
    if (scheme === "http:") return target;
    const authority = isObject(options.socket) ? this.tunnels.get(options.socket) : undefined;
    if (authority !== undefined) return { ...target, ...hostAndPort(authority) };
    const name = typeof options.servername === "string" ? canonicalHost(options.servername) : host;
    return this.hosts.has(`https://${name}:${port}`) ? { ...target, host: name } : target;
  }

  /** A connection in memory, at whose other end Node's own HTTP server reads. */
  private connect(origin: string, { scheme, options }: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(options);
    const tunnel = options.socket;
    if (isSocket(tunnel)) client.once("close", () => tunnel.destroy());
    if (scheme === "https:") Object.assign(client, secureProperties(options));
    client.announce(...(scheme === "https:" ? ["connect", "ready", "secureConnect"] : ["connect", "ready"]));
    const { http, connections } = this.serverOf(origin);
    connections.add(server);
    server.once("close", () => connections.delete(server));
    http.accept(server);
    return client;
  }

  /** TCP to a port where TLS is spoken: `tls.connect` on this socket may follow, but nothing may be written to it. */
  private openPlain(target: Endpoint, opening: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(opening.options);
    this.tunnels.set(client, authorityOf(target));
    server.once("data", () => server.failPeer(this.wentAround(target, WHY.plain)));
    client.announce("connect", "ready");
    return client;
  }

  /** A request that a client is about to send on a connection of its own: to a proxy, or to a host that nobody serves. */
  private judge({ method, target, hostHeader }: SentHead, socket: Socket, opening: Opening): Verdict {
    if (method === "CONNECT") {
      const endpoint: Endpoint = { scheme: "https:", ...hostAndPort(target), options: {} };
      if (this.hosts.has(originOfEndpoint(endpoint))) {
        this.tunnels.set(socket, authorityOf(endpoint));
        return { reply: "HTTP/1.1 200 Connection established\r\n\r\n" };
      }
      const refusal = this.refuse(endpoint, WHY.proxy);
      if (refusal !== undefined) return { fail: refusal };
      if (this.others.mayPass(originOfEndpoint(endpoint))) return "sendAll";
      return { fail: unhandledError(method, originOfEndpoint(endpoint), "") };
    }
    const isForProxy = /^https?:\/\//i.test(target) && URL.canParse(target);
    const base = `${opening.scheme}//${hostHeader ?? authorityOf(opening)}`;
    const url = new URL(
      isForProxy ? target : target.replace(/^\/*/, "/"),
      URL.canParse(base) ? base : undefined,
    );
    const origin = originOf(url);
    if (isForProxy && this.hosts.has(origin)) {
      const endpoint: Endpoint = {
        scheme: "http:",
        host: url.hostname,
        port: Number(url.port || 80),
        options: {},
      };
      return { fail: this.wentAround(endpoint, WHY.proxy) };
    }
    if (!this.others.mayPass(origin))
      return { fail: unhandledError(method, origin, url.pathname + url.search) };
    return isForProxy ? "send" : "sendAll";
  }

  private serverOf(origin: string): OriginServer {
    const running = this.servers.get(origin);
    if (running !== undefined) return running;
    const http = new HttpServer({
      answer: (request, socket) =>
        this.respond(origin, request, socket, () => answer(this.hosts, { origin, ...request })),
      answerMalformed: (why, head, socket) =>
        this.respond(origin, head, socket, () => answerMalformed(this.hosts, origin, why, head)),
    });
    const server = { http, connections: new Set<MemorySocket>() };
    this.servers.set(origin, server);
    return server;
  }

  /** In the asynchronous context of the client; what fails, fails the client with the same error. */
  private async respond(
    origin: string,
    { method, path }: { readonly method: string; readonly path: string } = { method: "", path: "" },
    socket: Duplex,
    make: () => Promise<WireResponse>,
  ): Promise<Result> {
    const connection = socket instanceof MemorySocket ? socket : undefined;
    const inContext = async () => {
      if (this.hosts.has(origin)) return make();
      // A server that was not drained has never been for a mock.
      throw this.servers.has(origin)
        ? unhandledError(method, origin, path)
        : stoppedError(method, origin, path);
    };
    try {
      return { response: await (connection?.runAsPeer(inContext) ?? inContext()) };
    } catch (reason) {
      const error = reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
      connection?.failPeer(error);
      return { connectionError: { kind: "refused", message: error.message } };
    }
  }

  private wentAround(endpoint: Endpoint, why: string): Error {
    const message = `went around the mock: ${why}`;
    this.hosts.noteRefusal(endpoint.host, authorityOf(endpoint), message);
    return connectError(endpoint, message);
  }
}

const WHY = {
  http2: 'it asks for HTTP/2 only, and the mock speaks HTTP/1.1; let the client offer "http/1.1" too',
  keptFunction:
    "the client opens it with a function that it kept from before the mock; " +
    'import "mock-cloud-reco/register" first (--import, --require or a setup file)',
  plain: "it sends bytes without TLS to a port where TLS is spoken; use https, or tls.connect",
  stopped: "was asked for before the mock was stopped",
  proxy: "it asks a proxy for it; exclude the host with NO_PROXY, or leave the proxy out of the test",
} as const;

const authorityOf = ({ host, port }: Pick<Endpoint, "host" | "port">) => `${host}:${port}`;
const originOfEndpoint = (endpoint: Endpoint) => `${endpoint.scheme}//${authorityOf(endpoint)}`;

function hostAndPort(authority: string): Pick<Endpoint, "host" | "port"> {
  const colon = authority.lastIndexOf(":");
  return { host: canonicalHost(authority.slice(0, colon)), port: Number(authority.slice(colon + 1)) };
}

const connectError = (endpoint: Endpoint, why: string) =>
  connectionError({ kind: "refused", message: `connect to ${authorityOf(endpoint)} ${why}` });

const refused = ({ options }: Opening, error: Error) =>
  failConnecting(MemorySocket.pair(options).client, error);

/** What clients ask a TLS connection. */
const secureProperties = (options: Opening["options"]) => ({
  encrypted: true,
  authorized: true,
  authorizationError: null,
  alpnProtocol: protocolsOf(options).includes("http/1.1") && "http/1.1",
  servername: options.servername,
  getPeerCertificate: () => ({}),
  getSession: () => undefined,
  isSessionReused: () => false,
  getProtocol: () => "TLSv1.3",
  getCipher: () => ({
    name: "TLS_AES_256_GCM_SHA384",
    standardName: "TLS_AES_256_GCM_SHA384",
    version: "TLSv1.3",
  }),
});

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isSocket = (value: unknown): value is Socket => value instanceof Socket;
