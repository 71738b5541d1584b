import { isIP, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Result, WireResponse } from "../../emulator/message.ts";
import { realTimers } from "../../emulator/real-timers.ts";
import { HttpServer } from "../../servers/http/http-server.ts";
import { socketError, stoppedError } from "../errors.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { isLocal, type OtherHosts } from "../unhandled-requests.ts";
import { type KeptConnectionHandler, watchKeptConnections } from "./kept-connections.ts";
import { LookedUpHosts } from "./looked-up-hosts.ts";
import { MemorySocket } from "./memory-socket.ts";
import {
  canonicalHost,
  type Endpoint,
  failConnecting,
  isRecord,
  type Opening,
  type OpeningHandler,
  protocolsOf,
  watchOpenings,
} from "./openers.ts";
import {
  authorityOf,
  connectError,
  type HostAndPort,
  hostAndPort,
  originOfEndpoint,
  WHY,
} from "./refusals.ts";
import { followRequests } from "./request-contexts.ts";
import { secureProperties } from "./secure-properties.ts";
import { judgeRequests, type SentHead, type Verdict } from "./sent-requests.ts";
import { answerSocks, type TunnelVerdict } from "./socks.ts";

/**
 * How long a client may stop within a request: an answer comes within a second, and for a client known to send more, within test
 * runners' 5 s. Nothing delays bytes in memory.
 */
const IDLE_MILLISECONDS = 800;

/**
 * Milliseconds from the opening of a connection to its request. The first time, undici loads its parser in between, and does not
 * notice that a connection closes: its request would wait forever.
 */
const FIRST_REQUEST_WITHIN = 1000;

interface OriginServer {
  readonly http: HttpServer;
  readonly connections: Set<MemorySocket>;
}

/**
 * Intercepts connections below all HTTP clients: every connection of this process to an intercepted host leads to a mock in memory,
 * even if the client captured Node's functions before. Connections that cannot be answered fail with a reason.
 */
export class SocketInterceptor implements OpeningHandler, KeptConnectionHandler {
  private readonly servers = new Map<string, OriginServer>();
  /** Authority behind a socket: of a tunnel through a proxy, or of a plain connection on which TLS will start. */
  private readonly tunnels = new WeakMap<object, string>();
  /** Origins that were released in this turn of the event loop. */
  private readonly released = new Set<string>();
  private readonly stopWatching: () => void;
  private readonly stopFollowing = followRequests();
  private readonly lookedUp: LookedUpHosts;
  private readonly stopWatchingKept: () => void;

  /** @param currentHosts - the hosts of the mocks that are started in this process when called. */
  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly currentHosts: () => HostTable | undefined,
  ) {
    this.lookedUp = new LookedUpHosts((origin) => hosts.has(origin));
    this.stopWatching = watchOpenings(this);
    this.stopWatchingKept = watchKeptConnections(this);
  }

  /** Closes idle connections to unserved origins. Busy ones stay open for the next mock. */
  closeIdle(origins: readonly string[]): void {
    for (const origin of origins) {
      const server = this.servers.get(origin);
      if (server === undefined) continue;
      this.servers.delete(origin);
      const close = (unusedToo: boolean) => {
        for (const connection of server.connections) {
          const isIdle = connection.isQuiet && !server.http.isAnswering(connection);
          if (isIdle && (unusedToo || connection.hasReceived)) connection.destroy();
        }
      };
      close(false);
      // A connection whose response was just read becomes idle in this turn of the event loop.
      realTimers.setImmediate(close, false);
      if ([...server.connections].some(({ hasReceived }) => !hasReceived))
        realTimers.setTimeout(close, FIRST_REQUEST_WITHIN, true).unref();
    }
  }

  /** Refuses connections to these origins in this turn of the event loop: they were requested before. */
  release(origins: readonly string[]): void {
    for (const origin of origins) this.released.add(origin);
    realTimers.setImmediate(() => this.released.clear());
  }

  stop(): void {
    this.stopWatching();
    this.stopWatchingKept();
    this.stopFollowing();
    this.lookedUp.end();
  }

  open(opening: Opening): Socket | undefined {
    const target = this.targetOf(opening);
    const origin = originOfEndpoint(target);
    if (this.hosts.has(origin)) {
      const protocols = protocolsOf(opening.options);
      const isReadable = protocols.length === 0 || protocols.includes("http/1.1");
      return isReadable
        ? this.connect(origin, opening)
        : refused(opening, this.bypassError(target, WHY.http2));
    }
    if (this.hosts.has(`https://${authorityOf(target)}`)) return this.openPlain(target, opening);
    const refusal = this.refuse(target);
    if (refusal !== undefined) return refused(opening, refusal);
    // Accepted and refused as a request, so that the error names the request and no DNS lookup happens.
    return opening.isHttp && !this.others.mayPass(origin) ? this.connect(origin, opening) : undefined;
  }

  opened(socket: Socket, opening: Opening): void {
    if (opening.options.socket === undefined)
      judgeRequests(socket, (head) => this.judge(head, socket, opening));
  }

  connecting(socket: Socket): void {
    answerSocks(socket, (authority) => this.judgeTunnel(authority, socket));
  }

  refuse(endpoint: Endpoint, how: string = WHY.capturedFunction): Error | undefined {
    const { host, port, scheme, options } = endpoint;
    const name = scheme === "https:" && options.servername ? canonicalHost(String(options.servername)) : host;
    if (this.hosts.has(`https://${name}:${port}`)) return this.bypassError({ host: name, port }, how);
    const authority = authorityOf(endpoint);
    if (this.hosts.has(`http://${authority}`)) return this.bypassError(endpoint, how);
    if (this.released.has(originOfEndpoint(endpoint))) return connectError(endpoint, WHY.stopped);
    const closed = this.others.whyClosed(host);
    if (closed !== undefined) return connectError(endpoint, closed);
    const served = isLocal(host) ? [] : this.hosts.baseUrlsOfHost(host);
    if (served.length === 0) return undefined;
    return this.bypassError(endpoint, `the mock serves only ${served.join(" and ")}; send the request there`);
  }

  isRefused({ scheme, host, port }: Endpoint): boolean {
    const isServed = ["http", "https"].some((served) => this.hosts.has(`${served}://${host}:${port}`));
    const isLookedUp = scheme === "http:" && this.lookedUp.at(host, port) !== undefined;
    if (isServed || isLookedUp || this.others.whyClosed(host) !== undefined) return true;
    return !isLocal(host) && this.hosts.baseUrlsOfHost(host).length > 0;
  }

  refuseKept(endpoint: Endpoint): Error {
    return this.refuse(endpoint, WHY.openedBefore) ?? this.bypassError(endpoint, WHY.openedBefore);
  }

  refuseProxied(endpoint: Endpoint): Error {
    return this.refuse(endpoint, WHY.proxy) ?? this.bypassError(endpoint, WHY.proxy);
  }

  /** The final destination: behind a tunnel, or the name that TLS or undici has besides an address. */
  private targetOf({ scheme, host, port, options }: Opening): Endpoint {
    const target = { scheme, host, port, options };
    if (scheme === "http:") return { ...target, host: this.lookedUp.at(host, port) ?? host };
    const authority = isRecord(options.socket) ? this.tunnels.get(options.socket) : undefined;
    if (authority !== undefined) return { ...target, ...hostAndPort(authority) };
    const name = typeof options.servername === "string" ? canonicalHost(options.servername) : host;
    return this.hosts.has(`https://${name}:${port}`) ? { ...target, host: name } : target;
  }

  /** Opens a connection in memory to the HTTP server of an origin. */
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

  /** Opens a plain connection to a TLS port: `tls.connect` may follow on this socket, but sending plain data fails. */
  private openPlain(target: Endpoint, opening: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(opening.options);
    this.tunnels.set(client, authorityOf(target));
    server.once("data", () => server.failPeer(this.bypassError(target, WHY.plain)));
    client.announce("connect", "ready");
    return client;
  }

  /** Decides about a request that a client is about to send on a real connection: to a proxy, or to a host that no mock serves. */
  private judge({ method, target, hostHeader }: SentHead, socket: Socket, opening: Opening): Verdict {
    if (method === "CONNECT") {
      const verdict = this.judgeTunnel(target, socket);
      if (verdict === "ours") return { reply: "HTTP/1.1 200 Connection established\r\n\r\n" };
      if (verdict !== "send") return verdict;
      const origin = originOfEndpoint({ scheme: "https:", ...hostAndPort(target), options: {} });
      return this.others.mayPass(origin) ? "sendAll" : { fail: this.others.refusal(method, origin, "") };
    }
    const isForProxy = /^https?:\/\//i.test(target) && URL.canParse(target);
    const base = `${opening.scheme}//${hostHeader ?? authorityOf(opening)}`;
    const url = new URL(
      isForProxy ? target : target.replace(/^\/*/, "/"),
      URL.canParse(base) ? base : undefined,
    );
    const origin = originOf(url);
    const isLookedUp = isIP(opening.host) !== 0 && origin.endsWith(`:${opening.port}`);
    if (!isForProxy && isLookedUp && url.hostname !== opening.host && this.hosts.has(origin))
      return { fail: this.bypassError({ host: url.hostname, port: opening.port }, WHY.lookedUp) };
    if (isForProxy && this.hosts.has(origin)) {
      const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
      return { fail: this.bypassError({ host: url.hostname, port }, WHY.proxy) };
    }
    if (!this.others.mayPass(origin))
      return { fail: this.others.refusal(method, origin, url.pathname + url.search) };
    return isForProxy ? "send" : "sendAll";
  }

  /** Decides about a tunnel that a client asks a proxy for. */
  private judgeTunnel(authority: string, socket: Socket): TunnelVerdict {
    const endpoint: Endpoint = { scheme: "https:", ...hostAndPort(authority), options: {} };
    if (this.hosts.has(originOfEndpoint(endpoint))) {
      this.tunnels.set(socket, authorityOf(endpoint));
      return "ours";
    }
    const refusal = this.refuse(endpoint, WHY.proxy);
    return refusal === undefined ? "send" : { fail: refusal };
  }

  private serverOf(origin: string): OriginServer {
    const running = this.servers.get(origin);
    if (running !== undefined) return running;
    const http = new HttpServer(
      {
        answer: (request, socket) =>
          this.respond(origin, request, socket, (hosts) => hosts.answer({ origin, ...request })),
        answerMalformed: (why, head, socket) =>
          this.respond(origin, head, socket, (hosts) => hosts.answerMalformed(origin, why, head)),
      },
      {
        limits: { idleMilliseconds: IDLE_MILLISECONDS },
        isSending: (socket) => socket instanceof MemorySocket && socket.isPeerSending,
      },
    );
    const server = { http, connections: new Set<MemorySocket>() };
    this.servers.set(origin, server);
    return server;
  }

  /** Responds in the asynchronous context of the client. An error also fails the client's connection. */
  private async respond(
    origin: string,
    { method, path }: { readonly method: string; readonly path: string } = { method: "", path: "" },
    socket: Duplex,
    make: (hosts: HostTable) => Promise<WireResponse>,
  ): Promise<Result> {
    const connection = socket instanceof MemorySocket ? socket : undefined;
    const inContext = async () => {
      // A client may reuse a connection to a stopped mock.
      const hosts = [this.hosts, this.currentHosts()].find((table) => table?.has(origin));
      if (hosts !== undefined) return make(hosts);
      // Released servers are removed, so one that is still listed never served a mock.
      throw this.servers.has(origin)
        ? this.others.refusal(method, origin, path)
        : stoppedError(method, origin, path);
    };
    try {
      return { response: await (connection?.runAsPeer(inContext) ?? inContext()) };
    } catch (reason) {
      const error = socketError(reason);
      connection?.failPeer(error);
      return { connectionError: { kind: "refused", message: error.message } };
    }
  }

  private bypassError(endpoint: HostAndPort, why: string): Error {
    const message = `bypassed the mock: ${why}`;
    this.hosts.recordRefusal(endpoint.host, authorityOf(endpoint), message);
    return connectError(endpoint, message);
  }
}

const refused = ({ options }: Opening, error: Error) =>
  failConnecting(MemorySocket.pair(options).client, error);

const isSocket = (value: unknown): value is Socket => value instanceof Socket;
