import http from "node:http";
import { HostTable, type InterceptedHost, urlOf } from "./host-table.ts";
import { NockInterceptor, type ReplyMode } from "./nock/nock-interceptor.ts";
import { SocketInterceptor } from "./sockets/socket-interceptor.ts";
import { UndiciInterceptor } from "./undici/undici-interceptor.ts";
import { isLocal, mayLeave, type OtherHosts, type UnhandledRequests } from "./unhandled-requests.ts";

/** What one mock wants intercepted. */
export interface Interception {
  readonly hosts: readonly InterceptedHost[];
  /** `nock`: with nock's interceptors, and what goes around them at its socket. `sockets`: all at its socket. */
  readonly intercept: "nock" | "sockets";
  /** Default `bypass`. */
  readonly unhandledRequests?: UnhandledRequests;
  /** How nock's answers reach the client; decided by the first of several mocks that run at once. */
  readonly replyMode?: ReplyMode;
}

/** Interception that goes on until it is stopped. */
export interface Interceptor {
  /** Ends it and gives everything back. Requests that were already being answered still get their answers. Idempotent. */
  stop(): void;
}

/** Where the process's interceptors are kept: test runners load this file many times over, but `node:http` only once. */
const SLOT = Symbol.for("mock-cloud-reco.interceptors.1");

/**
 * Begins to intercept; what was opened before by clients that keep connections is not caught.
 *
 * @throws Error if nock is wanted and cannot be used in this process, saying what to change.
 */
export function intercept(interception: Interception): Interceptor {
  return ProcessInterceptors.current().add(interception);
}

/**
 * Lets no connection to these hosts leave the process from now on, whether a mock serves them or not.
 *
 * @param why - completes "connect to host:443 …".
 */
export function closeHosts(hosts: readonly string[], why: string): void {
  ProcessInterceptors.current().close(hosts, why);
}

/** All mocks of a process that run at the same time, and what they have patched. */
class ProcessInterceptors implements OtherHosts {
  private readonly realm = globalThis;
  private readonly putBackGlobals = keepGlobals();
  private readonly hosts = new HostTable();
  private readonly mocks = new Set<Interception>();
  private readonly closed = new Map<string, string>();
  private readonly sockets = new SocketInterceptor(this.hosts, this);
  private readonly undici = new UndiciInterceptor(this.hosts, this);
  private nock: NockInterceptor | undefined;

  private constructor() {
    Object.defineProperty(http, SLOT, { value: this, configurable: true });
  }

  /** Those that run, whichever copy of this package (ESM or CommonJS) has started them, or new ones. */
  static current(): ProcessInterceptors {
    const running = ProcessInterceptors.running();
    if (running?.realm === globalThis) return running;
    running?.detach();
    return new ProcessInterceptors();
  }

  private static running(): ProcessInterceptors | undefined {
    return Reflect.get(http, SLOT);
  }

  add(interception: Interception): Interceptor {
    try {
      if (interception.intercept === "nock") this.nock ??= this.startNock(interception.replyMode);
    } catch (error) {
      this.endUnlessNeeded();
      throw error;
    }
    const removeHosts = this.hosts.add(interception.hosts);
    this.mocks.add(interception);
    this.nock?.update();
    return {
      stop: () => {
        if (!this.mocks.delete(interception)) return;
        const { origins } = this.hosts;
        removeHosts();
        // A program of one's own may serve them from now on, but the real service must not be reached.
        const released = origins.filter(
          (origin) => !this.hosts.has(origin) && !isLocal(urlOf(origin).hostname),
        );
        this.undici.release(released);
        this.sockets.release(released);
        if (![...this.mocks].some((other) => other.intercept === "nock")) this.endNock();
        this.nock?.update();
        this.endUnlessNeeded();
      },
    };
  }

  close(hosts: readonly string[], why: string): void {
    for (const host of hosts) this.closed.set(host, why);
  }

  whyClosed(host: string): string | undefined {
    return this.closed.get(host);
  }

  mayPass(origin: string): boolean {
    const url = urlOf(origin);
    const mayAll = [...this.mocks].every(({ unhandledRequests = "bypass" }) =>
      mayLeave(unhandledRequests, url),
    );
    return mayAll || this.nock?.isEnabledByUser(origin) === true;
  }

  private startNock(replyMode: ReplyMode | undefined): NockInterceptor {
    const current = () => ProcessInterceptors.running()?.nock;
    return new NockInterceptor(this.hosts, this, current, replyMode);
  }

  private endNock(): void {
    this.nock?.stop();
    this.nock = undefined;
  }

  private endUnlessNeeded(): void {
    if (this.mocks.size > 0 || this.closed.size > 0 || ProcessInterceptors.running() !== this) return;
    this.undici.stop();
    this.sockets.stop();
    this.putBackGlobals();
    Reflect.deleteProperty(http, SLOT);
  }

  /** Ends what an earlier test file of this Jest worker has left running. */
  private detach(): void {
    this.nock?.detach();
    this.sockets.stop();
    this.undici.stop();
    Reflect.deleteProperty(http, SLOT);
  }
}

/** Globals that Node defines anew when they are first read; nock gives them back, but as another kind of properties. */
function keepGlobals(): () => void {
  const kept = ["fetch", "Headers", "Request", "Response"].map((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    return { name, descriptor, value: Reflect.get(globalThis, name) };
  });
  return () => {
    for (const { name, descriptor, value } of kept) {
      const isOurs = Reflect.get(globalThis, name) === value;
      if (descriptor !== undefined && isOurs) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}
