import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isIpAddress } from "../../core/general/ip-address.ts";
import { propertyOf } from "../../core/general/property.ts";
import { canonicalHost, type Endpoint } from "./openers.ts";
import { hostOfHeader, urlIn } from "./requested-hosts.ts";
import { CREATED } from "./undici-state.ts";

interface LookedUp {
  readonly address: string;
  /** The host that the request names, unless it is for a proxy at this address. */
  readonly name: string | undefined;
}

/**
 * Finds the hosts behind addresses: undici's interceptor `dns` looks a host up by itself, and then connects to the address, and so do
 * clients that send a `Host` of their own. Over TLS, the server name still tells the host; otherwise only the requests do.
 */
export class LookedUpHosts {
  /** Requests that name one of our hosts and were sent to an address. Weak: undici does not say which of them it forgot. */
  private requests: readonly WeakRef<object>[] = [];
  private readonly created = (message: unknown): void => {
    const request = Object(propertyOf(message, "request"));
    if (this.lookedUpBy(request) !== undefined)
      this.requests = [...this.unanswered(), request].map((one) => new WeakRef(one));
  };

  /** @param isOurs - whether mocks answer connections to an endpoint, or they are refused. */
  constructor(private readonly isOurs: (endpoint: Endpoint) => boolean) {
    subscribe(CREATED, this.created);
  }

  /** What an unanswered request is for whose connection is opened like this. undici 8 says that it connects to the named host. */
  at(host: string, port: number): LookedUp | undefined {
    if (this.requests.length === 0) return undefined;
    const found = this.unanswered().map((request) => this.lookedUpBy(request));
    return found.find((one) => one?.port === port && (one.address === host || one.header === host));
  }

  end(): void {
    unsubscribe(CREATED, this.created);
  }

  private unanswered(): readonly object[] {
    const kept = this.requests.flatMap((request) => request.deref() ?? []);
    return kept.filter((request) => !propertyOf(request, "completed") && !propertyOf(request, "aborted"));
  }

  private lookedUpBy(request: object) {
    const origin = String(propertyOf(request, "origin"));
    const named = hostOfHeader(propertyOf(request, "host"));
    if (!origin.startsWith("http:") || !URL.canParse(origin) || named === undefined) return undefined;
    const header = canonicalHost(named);
    const { hostname, port: given } = new URL(origin);
    const [address, port] = [canonicalHost(hostname), Number(given || 80)];
    if (!isIpAddress(address) || address === header) return undefined;
    if (!this.isOurs({ scheme: "http:", host: header, port, options: {} })) return undefined;
    const isForProxy = urlIn(propertyOf(request, "path")) !== undefined;
    return { address, port, header, name: isForProxy ? undefined : header };
  }
}
