import { Socket } from "node:net";
import type { HostTable } from "../host-table.ts";
import type { StoppedOrigins } from "../stopped-origins.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { Destinations } from "./destinations.ts";
import { type KeptConnectionHandler, watchKeptConnections } from "./kept-connections.ts";
import { guardSessions } from "./kept-sessions.ts";
import { MemorySocket } from "./memory-socket.ts";
import {
  canonicalHost,
  type Endpoint,
  failConnecting,
  type HostAndPort,
  type Opening,
  type OpeningHandler,
  protocolsOf,
  watchOpenings,
} from "./openers.ts";
import { OriginServers } from "./origin-servers.ts";
import {
  authorityOf,
  connectError,
  endpointOfUrl,
  originOfEndpoint,
  proxyAdvice,
  tunnelTo,
  WHY,
  whyProxied,
} from "./refusals.ts";
import { followRequests } from "./request-contexts.ts";
import { hostOfHeader, urlIn } from "./requested-hosts.ts";
import { RequestedTunnels } from "./requested-tunnels.ts";
import { secureProperties } from "./secure-properties.ts";
import {
  type Addressee,
  addresseeOf,
  endSilently,
  judgeRequests,
  type RequestVerdict,
  type SentHead,
} from "./sent-requests.ts";
import { answerSocks, type TunnelVerdict } from "./socks.ts";

/**
 * Intercepts connections below all HTTP clients: every connection of this process to an intercepted host leads to a mock in memory,
 * even if the client captured Node's functions before. Connections that cannot be answered fail with a reason.
 */
export class SocketInterceptor implements OpeningHandler, KeptConnectionHandler {
  private readonly servers: OriginServers;
  private readonly stopWatching: () => void;
  private readonly stopFollowing = followRequests();
  private readonly destinations: Destinations;
  private readonly tunnels = new RequestedTunnels();
  private readonly stopWatchingKept: () => void;
  private stopGuardingSessions: (() => void) | undefined;

  /** @param currentHosts - the hosts of the mocks that are started in this process when called. */
  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly stopped: StoppedOrigins,
    currentHosts: () => HostTable | undefined,
  ) {
    this.servers = new OriginServers(hosts, others, currentHosts);
    this.destinations = new Destinations(hosts, others, stopped);
    this.stopWatching = watchOpenings(this);
    this.stopWatchingKept = watchKeptConnections(this);
    this.guardSessions();
  }

  /** Refuses requests of HTTP/2 sessions. Called for each mock, because HTTP/2 may have been loaded since the one before. */
  guardSessions(): void {
    this.stopGuardingSessions ??= guardSessions(this);
  }

  /** Closes idle connections to unserved origins. Busy ones stay open for the next mock. */
  closeIdle(origins: readonly string[]): void {
    this.servers.closeIdle(origins);
  }

  stop(): void {
    this.stopWatching();
    this.stopWatchingKept();
    this.stopGuardingSessions?.();
    this.stopFollowing();
    this.tunnels.end();
    this.destinations.end();
  }

  open(opening: Opening): Socket | undefined {
    const tunnel = this.tunnels.take(opening);
    if (tunnel !== undefined && this.isRefused(tunnel)) return this.openTunnel(opening);
    const target = this.destinations.of(opening);
    const origin = originOfEndpoint(target);
    if (this.hosts.has(origin)) {
      const protocols = protocolsOf(opening.options);
      const isReadable = protocols.length === 0 || protocols.includes("http/1.1");
      return isReadable
        ? this.connect(target, opening)
        : refused(opening, this.bypassError(target, WHY.http2));
    }
    if (this.hosts.has(`https://${authorityOf(target)}`)) return this.openPlain(target, opening);
    const refusal = this.refuse(target);
    if (refusal !== undefined) return refused(opening, refusal);
    // Accepted and refused as a request, so that the error names the request and no DNS lookup happens.
    return opening.isHttp && !this.others.mayPass(origin) ? this.connect(target, opening) : undefined;
  }

  opened(socket: Socket, opening: Opening): void {
    if (opening.options.socket === undefined)
      judgeRequests(socket, (head) => this.judge(head, socket, opening));
  }

  connecting(socket: Socket): void {
    answerSocks(socket, (authority) => this.judgeTunnel(authority, socket));
  }

  /**
   * @param how - how the client went around the mock that serves the endpoint.
   * @param advice - what to do besides sending the request to a mock.
   */
  refuse(endpoint: Endpoint, how: string = WHY.capturedFunction, advice?: string): Error | undefined {
    const target = this.destinations.of(endpoint);
    if (!this.destinations.areOurs(target)) return undefined;
    const { scheme, host, port } = target;
    if (["http", "https"].some((served) => this.hosts.has(`${served}://${host}:${port}`)))
      return this.bypassError(target, how);
    if (this.stopped.has(originOfEndpoint(target))) return connectError(target, WHY.stopped);
    const served = this.hosts.baseUrlsOfHost(host).join(" and ");
    const closed = this.others.whyClosed(host);
    if (served === "" && closed !== undefined) {
      const also = scheme === "http:" ? `; use https:, and ${advice}` : `; ${advice}`;
      return connectError(target, closed + (advice === undefined ? "" : also));
    }
    const also = advice === undefined ? "" : `, and ${advice}`;
    return this.bypassError(target, `the mock serves only ${served}; send the request there${also}`);
  }

  isRefused(endpoint: Endpoint): boolean {
    return this.destinations.areOurs(this.destinations.of(endpoint));
  }

  refuseKept(endpoint: Endpoint): Error {
    return this.refuse(endpoint, WHY.openedBefore) ?? this.bypassError(endpoint, WHY.openedBefore);
  }

  refuseProxied(endpoint: Endpoint): Error {
    const { host } = endpoint;
    const refusal = this.refuse(endpoint, whyProxied(host), proxyAdvice(host));
    return refusal ?? this.bypassError(endpoint, whyProxied(host));
  }

  isTunnel(socket: object): boolean {
    return this.destinations.isTunnel(socket);
  }

  isBlocked(origin: string): boolean {
    return !this.others.mayPass(origin);
  }

  refuseBlocked(method: string, { origin, path }: Addressee): Error | undefined {
    return this.isBlocked(origin) ? this.others.refusal(method, origin, path) : undefined;
  }

  /** Opens a connection in memory to the HTTP server of a target. */
  private connect(target: Endpoint, { scheme, host, options }: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(options);
    endBelow(client, options);
    if (scheme === "https:") Object.assign(client, secureProperties(options));
    // An agent keeps it for this address (and server name), but its next request there may name another host.
    const names = scheme === "https:" ? [host, options.servername] : [host];
    if (!names.includes(target.host)) client.on("free", () => client.hasReceived && client.destroy());
    client.announce(...eventsOf(scheme));
    const origin = originOfEndpoint(target);
    if (this.hosts.has(origin)) this.others.warnOfUnasked(origin);
    this.servers.accept(origin, server);
    return client;
  }

  /** Opens a plain connection to a TLS port: `tls.connect` may follow on this socket, but sending plain data fails. */
  private openPlain(target: Endpoint, opening: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(opening.options);
    this.destinations.leadTo(client, authorityOf(target));
    server.once("data", () => server.failPeer(this.bypassError(target, WHY.plain)));
    client.announce("connect", "ready");
    return client;
  }

  /** Opens a connection in memory in place of one to a proxy, which may be down: the client asks it for a tunnel to a mock. */
  private openTunnel(opening: Opening): MemorySocket {
    const { client, server } = MemorySocket.pair(opening.options);
    if (opening.scheme === "https:") Object.assign(client, secureProperties(opening.options));
    judgeRequests(client, (head) => this.judge(head, client, opening));
    server.once("data", () => server.failPeer(this.bypassError(opening, WHY.otherTunnel)));
    client.announce(...eventsOf(opening.scheme));
    return client;
  }

  /** Decides about a request that a client is about to send on a real connection: to a proxy, or to a host that no mock serves. */
  private judge(head: SentHead, socket: Socket, opening: Opening): RequestVerdict {
    const { method, target, hostHeader } = head;
    const proxied = urlIn(target);
    const named = hostOfHeader(hostHeader);
    if (method === "CONNECT") {
      const verdict = this.judgeTunnel(target, socket);
      if (verdict === "ours") return { reply: "HTTP/1.1 200 Connection established\r\n\r\n" };
      if (verdict !== "send") return verdict;
    } else if (proxied !== undefined) {
      const endpoint = endpointOfUrl(proxied);
      if (this.isRefused(endpoint)) return { fail: this.refuseProxied(endpoint) };
    } else if (named && canonicalHost(named) !== opening.host) {
      const refusal = this.refuse({ ...opening, requested: named }, WHY.lookedUp);
      if (refusal !== undefined) return { fail: refusal };
    }
    const refusal = this.refuseBlocked(method, addresseeOf(head, opening));
    if (refusal !== undefined) return { fail: refusal };
    return proxied === undefined ? "sendAll" : "send";
  }

  /** Decides about a tunnel that a client asks a proxy for. */
  private judgeTunnel(authority: string, socket: Socket): TunnelVerdict {
    const endpoint = tunnelTo(authority);
    if (this.hosts.has(originOfEndpoint(endpoint))) {
      this.destinations.leadTo(socket, authorityOf(endpoint));
      return "ours";
    }
    const refusal = this.refuse(endpoint, whyProxied(endpoint.host));
    if (refusal !== undefined) return { fail: refusal };
    this.destinations.leadTo(socket, authority);
    return "send";
  }

  private bypassError(endpoint: HostAndPort, why: string): Error {
    const message = `bypassed the mock: ${why}`;
    this.hosts.recordRefusal(endpoint.host, authorityOf(endpoint), message);
    return connectError(endpoint, message);
  }
}

/** What a client hears of a new connection. */
const eventsOf = (scheme: Endpoint["scheme"]): readonly string[] =>
  scheme === "https:" ? ["connect", "ready", "secureConnect"] : ["connect", "ready"];

function refused({ options }: Opening, error: Error): Socket {
  const { client } = MemorySocket.pair(options);
  endBelow(client, options);
  return failConnecting(client, error);
}

/** Ends the connection on which TLS would have started, and passes its errors on to nobody, as TLS does. */
function endBelow(client: Socket, { socket }: Endpoint["options"]): void {
  if (!(socket instanceof Socket)) return;
  endSilently(socket);
  client.once("close", () => socket.destroy());
}
