import { AsyncLocalStorage } from "node:async_hooks";
import http from "node:http";
import { messageOf } from "../core/general/text.ts";
import { showUrl, unhandledError, urlOf } from "./errors.ts";
import { interceptFetchOfBunAndDeno } from "./fetch/fetch-transport.ts";
import { HostTable, type InterceptedHost } from "./host-table.ts";
import { NockInterceptor, type ReplyMode } from "./nock/nock-interceptor.ts";
import { isFor, mocksOfNewerNock } from "./nock/nock-module.ts";
import { SocketInterceptor } from "./sockets/socket-interceptor.ts";
import { StoppedOrigins } from "./stopped-origins.ts";
import { UndiciInterceptor } from "./undici-interceptor.ts";
import { isLocal, mayLeave, type OtherHosts, type UnhandledRequests } from "./unhandled-requests.ts";

export interface Interception {
  readonly hosts: readonly InterceptedHost[];
  /** `nock`: with nock's interceptors, and at the sockets for requests that bypass them. `sockets`: only at the sockets. */
  readonly intercept: "nock" | "sockets";
  /** Default `bypass`. */
  readonly unhandledRequests?: UnhandledRequests;
  /** How nock's responses reach the client; the first of several started mocks decides. Only tests set it. */
  readonly replyMode?: ReplyMode;
}

export interface Interceptor {
  /** Stops intercepting and restores what was patched. Requests in progress still get their responses. Idempotent. */
  stop(): void;
}

/** Key on `node:http`, which is loaded once; test runners load this file many times. */
const SLOT = Symbol.for("mock-cloud-reco.interceptors.1");

/**
 * Starts intercepting. Connections that were opened before are refused, not answered.
 *
 * @throws Error if `intercept` is `nock` and nock cannot be used in this process, with what to change.
 */
export function intercept(interception: Interception): Interceptor {
  return ProcessInterceptors.current().add(interception);
}

/**
 * Blocks every connection to these hosts from now on, unless a mock answers it.
 *
 * @param why - completes "connect to host:443 …".
 */
export function closeHosts(hosts: readonly string[], why: string): void {
  ProcessInterceptors.current().close(hosts, why);
}

/**
 * The latest mock of the current asynchronous context. Enabled only while a mock is started: it slows down each asynchronous
 * operation. One for all mocks, because contexts keep an entry for each.
 */
const starters = new AsyncLocalStorage<symbol>();

/** All started mocks of a process, and what they have patched. */
class ProcessInterceptors implements OtherHosts {
  private readonly realm = globalThis;
  private readonly restoreGlobals = keepGlobals();
  private readonly hosts = new HostTable(() => starters.getStore());
  private readonly mocks = new Set<Interception>();
  private readonly closed: Map<string, string>;
  private readonly warnedOf = new Set<string>();
  private readonly stopped = new StoppedOrigins();
  private readonly sockets = new SocketInterceptor(
    this.hosts,
    this,
    this.stopped,
    () => ProcessInterceptors.running()?.hosts,
  );
  private readonly undici = new UndiciInterceptor(this.hosts, this, this.stopped);
  private readonly restoreFetch = interceptFetchOfBunAndDeno(this.hosts, this);
  private nock: NockInterceptor | undefined;

  /** @param before - those of another realm of this process, whose closed hosts stay closed. */
  private constructor(before: ProcessInterceptors | undefined) {
    this.closed = new Map(before?.closed);
    Object.defineProperty(http, SLOT, { value: this, configurable: true });
  }

  /** The active interceptors of any copy of this package (ESM or CommonJS), or new ones. */
  static current(): ProcessInterceptors {
    const running = ProcessInterceptors.running();
    if (running?.realm === globalThis) return running;
    running?.detach();
    return new ProcessInterceptors(running);
  }

  private static running(): ProcessInterceptors | undefined {
    return Reflect.get(http, SLOT);
  }

  /** Not created per mock: nock keeps it for good. */
  private static readonly nockNow = (): NockInterceptor | undefined => ProcessInterceptors.running()?.nock;

  add(interception: Interception): Interceptor {
    try {
      if (interception.intercept === "nock")
        this.nock ??= new NockInterceptor(
          this.hosts,
          this,
          ProcessInterceptors.nockNow,
          interception.replyMode,
        );
    } catch (error) {
      this.endUnlessNeeded();
      throw error;
    }
    const starter = Symbol("starter");
    starters.enterWith(starter);
    const removeHosts = this.hosts.add(interception.hosts, starter);
    this.mocks.add(interception);
    this.sockets.guardSessions();
    this.nock?.update();
    return {
      stop: () => {
        if (!this.mocks.delete(interception)) return;
        const { origins } = this.hosts;
        removeHosts();
        if (this.mocks.size === 0) starters.disable();
        // A local program may serve these hosts now, but late requests must not reach the real service.
        const unserved = origins.filter((origin) => !this.hosts.has(origin));
        this.stopped.add(unserved.filter((origin) => !isLocal(urlOf(origin).hostname)));
        this.sockets.closeIdle(unserved);
        if ([...this.mocks].some((other) => other.intercept === "nock")) this.nock?.update();
        else {
          this.nock?.stop();
          this.nock = undefined;
        }
        this.endUnlessNeeded();
      },
    };
  }

  close(hosts: readonly string[], why: string): void {
    for (const host of hosts) this.closed.set(host, why);
  }

  warnOfUnasked(origin: string): void {
    if (this.warnedOf.has(origin) || !isMockedByUser(origin)) return;
    this.warnedOf.add(origin);
    process.emitWarning(
      `your mocks of ${origin} in nock are not asked, because a mock of mock-cloud-reco serves this host: use mock.addFault() instead`,
      { code: "MOCK_CLOUD_RECO_UNASKED" },
    );
  }

  whyClosed(host: string): string | undefined {
    return this.closed.get(host);
  }

  mayPass(origin: string): boolean {
    try {
      return this.isAllowed(origin) || this.nock?.isEnabledByUser(origin) === true || isMockedByUser(origin);
    } catch {
      // Not thrown: some callers cannot pass the error to the client. `refusal` returns it.
      return false;
    }
  }

  refusal(method: string, origin: string, target: string): TypeError {
    try {
      this.isAllowed(origin);
    } catch (cause) {
      return new TypeError(`${method} ${showUrl(origin, target)}: ${messageOf(cause)}`, { cause });
    }
    return unhandledError(method, origin, target);
  }

  /** @throws Error if the function of a mock's option cannot decide. */
  private isAllowed(origin: string): boolean {
    return [...this.mocks].every(
      // Called for each request, usually without parsing the origin.
      ({ unhandledRequests: policy = "bypass" }) => policy === "bypass" || mayLeave(policy, urlOf(origin)),
    );
  }

  private endUnlessNeeded(): void {
    if (this.mocks.size > 0 || this.closed.size > 0 || ProcessInterceptors.running() !== this) return;
    this.restoreFetch();
    this.undici.stop();
    this.sockets.stop();
    this.restoreGlobals();
    Reflect.deleteProperty(http, SLOT);
  }

  /** Ends what an earlier test file of this Jest worker left active. */
  private detach(): void {
    starters.disable();
    this.nock?.detach();
    this.restoreFetch();
    this.sockets.stop();
    this.undici.stop();
    Reflect.deleteProperty(http, SLOT);
  }
}

/** Whether a user's nock 15 has mocks of an origin. */
const isMockedByUser = (origin: string): boolean => mocksOfNewerNock().some((mock) => isFor(origin, mock));

/** Keeps globals that Node defines lazily: nock restores them as other properties. */
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
