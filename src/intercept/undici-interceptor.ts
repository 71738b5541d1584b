import { stoppedError } from "./errors.ts";
import { type HostTable, originOf } from "./host-table.ts";
import type { StoppedOrigins } from "./stopped-origins.ts";
import type { OtherHosts } from "./unhandled-requests.ts";

/** Keys of the global dispatcher, shared by the undici package and the undici inside Node. */
const DISPATCHER_SLOTS = [
  Symbol.for("undici.globalDispatcher.1"),
  Symbol.for("undici.globalDispatcher.2"),
] as const;

/** Methods that call `dispatch` on `this`, which must stay the proxy, or a dispatcher composed with it. */
const UNBOUND = new Set<string | symbol>(["request", "stream", "pipeline", "compose", "constructor"]);

interface DispatchOptions {
  readonly origin?: string | URL;
  /** The host whose address is in the origin, if undici's interceptor `dns` looked it up. */
  readonly servername?: string | null;
  readonly path: string;
  readonly method: string;
}

/** Callbacks of a failed request: undici 6 has the first two, undici 8 the others, and undici 7 both. */
interface Handler {
  onConnect?(abort: () => void, context: object): void;
  onError?(error: unknown): void;
  onRequestStart?(controller: object, context: object): void;
  onResponseError?(controller: object, error: unknown): void;
}

interface Dispatcher {
  dispatch(options: DispatchOptions, handler: Handler): boolean;
}

/** undici's `MockAgent`, which blocks requests that it has no response for. */
interface MockDispatcher extends Dispatcher {
  readonly isMockActive: boolean;
  activate(): void;
  deactivate(): void;
}

/**
 * Wraps undici's global dispatchers. Requests to intercepted hosts pass a user's own `MockAgent` and are answered at their sockets;
 * requests that must not leave the process are refused before they open a connection.
 */
export class UndiciInterceptor {
  private readonly restorers: (() => void)[] = [];
  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
    private readonly stopped: StoppedOrigins,
  ) {
    // Makes Node's own undici set its dispatcher now. Otherwise the undici package would later set another one.
    Reflect.get(globalThis, "Headers");
    for (const slot of DISPATCHER_SLOTS) {
      const original: unknown = Reflect.get(globalThis, slot);
      if (!isDispatcher(original)) continue;
      const proxy = this.proxyOf(original);
      Reflect.set(globalThis, slot, proxy);
      this.restorers.push(() => {
        // The user may have set another dispatcher since.
        if (Reflect.get(globalThis, slot) === proxy) Reflect.set(globalThis, slot, original);
      });
    }
  }

  stop(): void {
    for (const restore of this.restorers) restore();
  }

  private originIn({ origin, servername }: DispatchOptions): string | undefined {
    if (origin === undefined || !URL.canParse(String(origin))) return undefined;
    const url = new URL(origin);
    const sentTo = originOf(url);
    if (!servername) return sentTo;
    // undici's interceptor `dns` has put an address into the origin; the server name is still the host's.
    url.hostname = servername;
    return this.hosts.has(originOf(url)) ? originOf(url) : sentTo;
  }

  private proxyOf(original: Dispatcher): Dispatcher {
    const dispatch: Dispatcher["dispatch"] = (options, handler) => {
      const origin = this.originIn(options);
      if (origin === undefined) return original.dispatch(options, handler);
      // The mock answers at the socket. A MockAgent would refuse the request here, because it does not know the host.
      if (this.hosts.has(origin)) return dispatchUnmocked(original, options, handler);
      // fetch uses its dispatcher later in the turn.
      if (this.stopped.has(origin)) return fail(handler, stoppedError(options.method, origin, options.path));
      // A user's own MockAgent keeps requests in the process.
      if (isMocking(original) || this.others.mayPass(origin)) return original.dispatch(options, handler);
      return fail(handler, this.others.refusal(options.method, origin, options.path));
    };
    return new Proxy(original, {
      get: (target, key) => {
        if (key === "dispatch") return dispatch;
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function" || UNBOUND.has(key)) return value;
        // Bound to the original, because its class has private members.
        return value.bind(target);
      },
    });
  }
}

/** A MockAgent checks only during `dispatch` whether it is active. */
function dispatchUnmocked(dispatcher: Dispatcher, options: DispatchOptions, handler: Handler): boolean {
  if (!isMocking(dispatcher)) return dispatcher.dispatch(options, handler);
  // Only for this call, which is synchronous: no other request can meet the deactivated agent.
  dispatcher.deactivate();
  try {
    return dispatcher.dispatch(options, handler);
  } finally {
    dispatcher.activate();
  }
}

function fail(handler: Handler, error: unknown): boolean {
  // A handler of undici 6. It has to hear of a start before it may hear of an error.
  if (handler.onRequestStart === undefined) {
    handler.onConnect?.(() => {}, {});
    handler.onError?.(error);
    return true;
  }
  const controller = { abort() {}, pause() {}, resume() {}, aborted: false, paused: false, reason: null };
  handler.onRequestStart(controller, {});
  handler.onResponseError?.(controller, error);
  return true;
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "dispatch") === "function";
}

const isMocking = (dispatcher: Dispatcher): dispatcher is MockDispatcher =>
  Reflect.get(dispatcher, "isMockActive") === true;
