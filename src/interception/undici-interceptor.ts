import { answer, unhandledError } from "./answer.ts";
import { HostTable } from "./host-table.ts";
import type { Interception, Interceptor } from "./interceptor.ts";
import { type DispatchHandler, UndiciReply } from "./undici-reply.ts";
import { type DispatchOptions, interceptedRequest, originIn } from "./undici-request.ts";

/** Where undici, the package and the one inside Node, finds the dispatcher of requests that name none. */
const DISPATCHER_SLOTS = [
  Symbol.for("undici.globalDispatcher.1"),
  Symbol.for("undici.globalDispatcher.2"),
] as const;
const SESSION_SLOT = Symbol.for("mock-cloud-reco.undici-session.1");

/** Methods that call the `dispatch` of what they are called on: the proxy, or what was composed with it. */
const UNBOUND = new Set<string | symbol>(["request", "stream", "pipeline", "compose", "constructor"]);

interface Dispatcher {
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
}

/**
 * Intercepts `request`, `stream`, `pipeline` and `fetch` of the `undici` package, versions 6 to 8, where they use the global
 * dispatcher, and that dispatcher's own methods; not `new Client(origin)`, nor an agent given with a request. undici must be
 * loaded, or it misses the interception.
 */
export function interceptWithUndici(interception: Interception): Interceptor {
  const remove = UndiciSession.current().add(interception);
  let running = true;
  return {
    stop: () => {
      if (running) remove();
      running = false;
    },
  };
}

/** All mocks that run at the same time, and undici's global dispatchers for as long as they do. */
class UndiciSession {
  private readonly hosts = new HostTable();
  private readonly mocks = new Set<Interception>();
  private readonly putBack: (() => void)[] = [];

  private constructor() {
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
    Object.defineProperty(globalThis, SESSION_SLOT, { value: this, configurable: true });
  }

  /** The running session, whichever copy of this package opened it, or a new one. */
  static current(): UndiciSession {
    const session: UndiciSession | undefined = Reflect.get(globalThis, SESSION_SLOT);
    return session ?? new UndiciSession();
  }

  /** Starts a mock; the function returned stops it. */
  add(interception: Interception): () => void {
    const removeHosts = this.hosts.add(interception.hosts);
    this.mocks.add(interception);
    return () => {
      removeHosts();
      this.mocks.delete(interception);
      if (this.mocks.size > 0) return;
      Reflect.deleteProperty(globalThis, SESSION_SLOT);
      for (const putBack of this.putBack) putBack();
    };
  }

  private proxyOf(original: Dispatcher): Dispatcher {
    const dispatch: Dispatcher["dispatch"] = (options, handler) => {
      const origin = originIn(options);
      if (origin === undefined) return original.dispatch(options, handler);
      if (this.hosts.has(origin)) this.serve(origin, options, handler);
      else if (this.refuses(original)) this.refuse(origin, options, handler);
      else return original.dispatch(options, handler);
      return true;
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

  private serve(origin: string, options: DispatchOptions, handler: DispatchHandler): void {
    const reply = new UndiciReply(handler);
    if (!reply.start()) return;
    interceptedRequest(options, origin)
      .then((request) => answer(this.hosts, request))
      .then((response) => reply.respond(response))
      .catch((error: unknown) => reply.fail(error));
  }

  /** Requests to a user's own MockAgent stay in the process. */
  private refuses(original: Dispatcher): boolean {
    return (
      !Reflect.get(original, "isMockActive") &&
      [...this.mocks].some(({ unhandledRequests }) => unhandledRequests === "error")
    );
  }

  private refuse(origin: string, options: DispatchOptions, handler: DispatchHandler): void {
    const reply = new UndiciReply(handler);
    reply.start();
    reply.fail(unhandledError(options.method, origin, options.path));
  }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "dispatch") === "function";
}
