import { setImmediate } from "node:timers";
import { stoppedError, unhandledError } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";
import type { OtherHosts } from "../unhandled-requests.ts";

/** Taken at load, before a test fakes timers. */
const nextTurn = setImmediate;

/** Where undici, the package and the one inside Node, finds the dispatcher of requests that name none. */
const DISPATCHER_SLOTS = [
  Symbol.for("undici.globalDispatcher.1"),
  Symbol.for("undici.globalDispatcher.2"),
] as const;

/** Methods that call the `dispatch` of what they are called on: the proxy, or what was composed with it. */
const UNBOUND = new Set<string | symbol>(["request", "stream", "pipeline", "compose", "constructor"]);

interface RequestOptions {
  readonly origin?: string | URL;
  readonly path: string;
  readonly method: string;
}

/** Callbacks of a request that fails: undici 6 has the first two, 8 the others, and 7 uses both. */
interface Handler {
  onConnect?(abort: () => void, context: object): void;
  onError?(error: unknown): void;
  onRequestStart?(controller: object, context: object): void;
  onResponseError?(controller: object, error: unknown): void;
}

interface Dispatcher {
  dispatch(options: RequestOptions, handler: Handler): boolean;
}

/** Of undici's `MockAgent`, which keeps from the network what it has no answer for. */
interface MockDispatcher extends Dispatcher {
  readonly isMockActive: boolean;
  activate(): void;
  deactivate(): void;
}

/**
 * Stands before undici's global dispatchers: lets requests to intercepted hosts through a user's own `MockAgent`, to the sockets
 * where they are answered, and refuses those that must not leave the process before a connection is made.
 */
export class UndiciInterceptor {
  private readonly putBack: (() => void)[] = [];
  /** Hosts that nobody serves since this turn of the event loop. */
  private readonly released = new Set<string>();

  constructor(
    private readonly hosts: HostTable,
    private readonly others: OtherHosts,
  ) {
    // Node's own undici sets its dispatcher when it is first used. Unless it has, the package would later set one of its own.
    Reflect.get(globalThis, "Headers");
    for (const slot of DISPATCHER_SLOTS) {
      const original: unknown = Reflect.get(globalThis, slot);
      if (!isDispatcher(original)) continue;
      const proxy = this.proxyOf(original);
      Reflect.set(globalThis, slot, proxy);
      this.putBack.push(() => {
        // A user may have set another meanwhile.
        if (Reflect.get(globalThis, slot) === proxy) Reflect.set(globalThis, slot, original);
      });
    }
  }

  /** Refuses what was sent to these hosts before: fetch holds the dispatcher, and uses it a little later. */
  release(origins: Iterable<string>): void {
    for (const origin of origins) this.released.add(origin);
    nextTurn(() => this.released.clear());
  }

  stop(): void {
    for (const putBack of this.putBack) putBack();
  }

  private proxyOf(original: Dispatcher): Dispatcher {
    const dispatch: Dispatcher["dispatch"] = (options, handler) => {
      const origin = originIn(options);
      if (origin === undefined) return original.dispatch(options, handler);
      if (this.hosts.has(origin)) return dispatchUnmocked(original, options, handler);
      if (this.released.has(origin)) return fail(handler, stoppedError(options.method, origin, options.path));
      // Requests to a user's own MockAgent stay in the process.
      if (isMocking(original) || this.others.mayPass(origin)) return original.dispatch(options, handler);
      return fail(handler, unhandledError(options.method, origin, options.path));
    };
    return new Proxy(original, {
      get: (target, key) => {
        if (key === "dispatch") return dispatch;
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function" || UNBOUND.has(key)) return value;
        // The original's class has private members.
        return value.bind(target);
      },
    });
  }
}

/** The origin that a request is for, as the host table writes it. */
function originIn({ origin }: RequestOptions): string | undefined {
  return origin !== undefined && URL.canParse(String(origin)) ? originOf(new URL(origin)) : undefined;
}

/** A MockAgent asks whether it is active when a request is dispatched, and not later. */
function dispatchUnmocked(dispatcher: Dispatcher, options: RequestOptions, handler: Handler): boolean {
  if (!isMocking(dispatcher)) return dispatcher.dispatch(options, handler);
  dispatcher.deactivate();
  try {
    return dispatcher.dispatch(options, handler);
  } finally {
    dispatcher.activate();
  }
}

function fail(handler: Handler, error: unknown): boolean {
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
