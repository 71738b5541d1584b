import type { HostTable } from "../host-table.ts";
import type { StoppedOrigins } from "../stopped-origins.ts";
import { isLocal, isLoopback, type OtherHosts } from "../unhandled-requests.ts";
import { LookedUpHosts } from "./looked-up-hosts.ts";
import { canonicalHost, type Endpoint, isRecord } from "./openers.ts";
import { hostAndPort, originOfEndpoint } from "./refusals.ts";

/** Finds the hosts that connections are for, whatever address they are opened to. */
export class Destinations {
  /** Authority behind a socket: of a tunnel through a proxy, or of a plain connection in memory on which TLS will start. */
  private readonly tunnels = new WeakMap<object, string>();
  private readonly lookedUp = new LookedUpHosts((endpoint) => this.areOurs(endpoint));

  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly stopped: StoppedOrigins,
  ) {}

  end(): void {
    this.lookedUp.end();
  }

  /** Notes that a socket leads to `host:port`. */
  leadTo(socket: object, authority: string): void {
    this.tunnels.set(socket, authority);
  }

  /** Whether a connection leads through a proxy, or TLS will start on it. */
  isTunnel(socket: object): boolean {
    return this.tunnels.has(socket);
  }

  /** Where a connection leads: behind a tunnel, or to the host of ours that TLS or a request names besides an address. */
  of(endpoint: Endpoint): Endpoint {
    const { scheme, host, port, options, requested } = endpoint;
    const tunnel = isRecord(options.socket) ? this.tunnels.get(options.socket) : undefined;
    const found = scheme === "http:" ? this.lookedUp.at(host, port) : undefined;
    const opened = {
      ...endpoint,
      ...(tunnel && hostAndPort(tunnel)),
      ...(found && { host: found.address, options: { ...options, host: found.address } }),
    };
    const servername = scheme === "https:" && options.servername ? String(options.servername) : undefined;
    const name = [servername, requested, found?.name]
      .map((one) => one && canonicalHost(one))
      .find((one) => one && this.areOurs({ ...opened, host: one }));
    return name ? { ...opened, host: name } : opened;
  }

  /** Whether mocks answer connections to an endpoint, or they are refused. */
  areOurs(endpoint: Endpoint): boolean {
    const { host, port, options } = endpoint;
    if (["http", "https"].some((scheme) => this.hosts.has(`${scheme}://${host}:${port}`))) return true;
    // The user's own server on this machine may have the name of a served host. A socket may be a tunnel that leads elsewhere.
    if (options.socket === undefined && isThisMachine(canonicalHost(String(options.host ?? host))))
      return false;
    if (this.stopped.has(originOfEndpoint(endpoint)) || this.others.whyClosed(host) !== undefined)
      return true;
    return !isLocal(host) && this.hosts.baseUrlsOfHost(host).length > 0;
  }
}

/** Whether this is a loopback address, or one that leads to such. */
const isThisMachine = (host: string): boolean =>
  isLoopback(host) || /^(0\.0\.0\.0|::|::ffff:(127(\.\d+){3}|7f[0-9a-f]{2}:[0-9a-f]+))$/.test(host);
