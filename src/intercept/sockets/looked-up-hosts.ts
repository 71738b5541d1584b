import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isIP } from "node:net";
import { originOf } from "../host-table.ts";
import { propertyOf } from "./kept-connections.ts";
import { canonicalHost } from "./openers.ts";

/** undici (the package, and Node's own) publishes on it when a client calls it. */
const CREATED = "undici:request:create";

/**
 * Finds the served hosts behind addresses: undici's interceptor `dns` looks a host up by itself, and then connects to the address. Over
 * TLS, the server name still tells the host; otherwise only the requests do.
 */
export class LookedUpHosts {
  /** Requests that are for a served host and were sent to an address. Weak: undici does not say which of them it forgot. */
  private requests: readonly WeakRef<object>[] = [];
  private readonly created = (message: unknown): void => {
    const request = Object(propertyOf(message, "request"));
    if (this.hostOf(request) !== undefined)
      this.requests = [...this.unanswered(), request].map((one) => new WeakRef(one));
  };

  /** @param isServed - whether a mock serves an origin. */
  constructor(private readonly isServed: (origin: string) => boolean) {
    subscribe(CREATED, this.created);
  }

  /** The served host that an unanswered request to this address is for. */
  at(address: string, port: number): string | undefined {
    if (this.requests.length === 0) return undefined;
    const hosts = this.unanswered().map((request) => this.hostOf(request));
    return hosts.find((host) => host?.address === address && host.port === port)?.name;
  }

  end(): void {
    unsubscribe(CREATED, this.created);
  }

  private unanswered(): readonly object[] {
    const kept = this.requests.flatMap((request) => request.deref() ?? []);
    return kept.filter((request) => !propertyOf(request, "completed") && !propertyOf(request, "aborted"));
  }

  /** Of a request to the port of a served host. A user's own server may get the name of one, too, at another port. */
  private hostOf(request: object) {
    const [origin, header] = [String(propertyOf(request, "origin")), `http://${propertyOf(request, "host")}`];
    if (!origin.startsWith("http:") || !URL.canParse(origin) || !URL.canParse(header)) return undefined;
    const [sentTo, named] = [new URL(origin), new URL(header)];
    const address = canonicalHost(sentTo.hostname);
    if (isIP(address) === 0 || !["", sentTo.port].includes(named.port)) return undefined;
    // undici 6 leaves it out.
    named.port = sentTo.port;
    if (sentTo.hostname === named.hostname || !this.isServed(originOf(named))) return undefined;
    return { address, port: Number(sentTo.port || 80), name: canonicalHost(named.hostname) };
  }
}
