import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Endpoint } from "./openers.ts";
import { authorityOf, endpointOfUrl, tunnelTo } from "./refusals.ts";
import { field } from "./request-contexts.ts";
import { CREATED, SENDING } from "./undici-state.ts";

/**
 * The tunnels that undici's clients ask proxies for. undici asks once it is connected to the proxy, which may be down; so a mock has to
 * know before that what the connection is for.
 */
export class RequestedTunnels {
  /** By request, until it has a connection: the proxy, and where the tunnel leads. */
  private readonly waiting = new Map<object, { readonly proxy: string; readonly target: Endpoint }>();
  private readonly created = (message: unknown) => {
    const request = field(message, "request");
    if (request === undefined || Reflect.get(request, "method") !== "CONNECT") return;
    const [origin, path] = ["origin", "path"].map((name) => String(Reflect.get(request, name)));
    if (origin === undefined || path === undefined || !URL.canParse(origin)) return;
    this.waiting.set(request, { proxy: authorityOf(endpointOfUrl(new URL(origin))), target: tunnelTo(path) });
  };
  private readonly placed = (message: unknown) => {
    const request = field(message, "request");
    if (request !== undefined) this.waiting.delete(request);
  };

  constructor() {
    subscribe(CREATED, this.created);
    subscribe(SENDING, this.placed);
  }

  end(): void {
    unsubscribe(CREATED, this.created);
    unsubscribe(SENDING, this.placed);
  }

  /** Where the tunnel leads for which a connection to this proxy is opened; undefined for other connections. */
  take(proxy: Endpoint): Endpoint | undefined {
    const authority = authorityOf(proxy);
    for (const [request, one] of this.waiting) {
      const hasEnded = Boolean(Reflect.get(request, "aborted") || Reflect.get(request, "completed"));
      if (hasEnded) this.waiting.delete(request);
      if (hasEnded || one.proxy !== authority) continue;
      this.waiting.delete(request);
      return one.target;
    }
    return undefined;
  }
}
