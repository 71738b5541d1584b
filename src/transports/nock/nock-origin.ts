import type { ClientRequest } from "node:http";
import type { Interceptor, ReplyFnResult, Scope } from "nock";
import type { Nock } from "./nock-module.ts";

/** The methods that nock hands over. Others fail with its own `ERR_NOCK_NO_MATCH`. */
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] as const;
const ANY_PATH = /^/;

/** Gives what nock should answer, or answers by itself and never settles. */
export type ReplyToNock = (request: ClientRequest, target: string) => Promise<ReplyFnResult>;

/** Everything registered with nock for one origin. */
export class NockOrigin {
  private interceptors: Interceptor[] = [];
  private registered = false;
  /** nock's own list of the origin's interceptors, as requests show it; not known before the first one. */
  private order: unknown;

  constructor(
    private readonly nock: Nock,
    private readonly pattern: OriginPattern,
    private readonly reply: ReplyToNock,
  ) {
    this.register();
  }

  /** Registers again what a user's `nock.cleanAll()` has removed. */
  register(): void {
    if (this.registered) return;
    this.registered = true;
    const scope = this.nock(this.pattern);
    // nock parses bodies by these headers next, in a callback where malformed JSON ends the process. The reply reads its own.
    scope.on("request", (request) => Object.assign(request, { headers: {} }));
    this.noticeCleanAll(scope);
    // nock asks first whether any interceptor is for the origin. This one says yes before the movers below are asked.
    const forOrigin = anyTimes(scope.intercept(ANY_PATH, "NONE"));
    forOrigin.reply();
    this.interceptors = [forOrigin, ...METHODS.flatMap((method) => this.interceptLast(scope, method))];
  }

  remove(): void {
    for (const interceptor of this.interceptors) this.nock.removeInterceptor(interceptor);
    this.interceptors = [];
  }

  /**
   * Serves what no interceptor of the user's serves. nock takes the first that matches, in order of registration, so that
   * ours would shadow those that the user adds later: the first of these two matches nothing, but moves the second behind them.
   */
  private interceptLast(scope: Scope, method: string): Interceptor[] {
    const serve = (request: ClientRequest, target: string) => {
      this.order = Reflect.get(request, "interceptors");
      return this.reply(request, target);
    };
    const served = () => {
      const interceptor = anyTimes(scope.intercept(ANY_PATH, method));
      interceptor.reply(function (target) {
        return serve(this.req, target);
      });
      return interceptor;
    };
    const moveLast = () => {
      if (this.isBehindUsers(last)) return false;
      const at = this.interceptors.indexOf(last);
      // No longer there: the request came in before a `cleanAll`.
      if (at < 0) return false;
      this.nock.removeInterceptor(last);
      last = served();
      this.interceptors[at] = last;
      return false;
    };
    const mover = anyTimes(scope.intercept(moveLast, method));
    mover.reply();
    let last = served();
    return [mover, last];
  }

  /** Moving takes 0.1 ms, and looking whether it is necessary nothing. */
  private isBehindUsers(interceptor: Interceptor): boolean {
    if (!Array.isArray(this.order) || !this.order.includes(interceptor)) return false;
    return this.order
      .slice(this.order.indexOf(interceptor))
      .every((other) => this.interceptors.includes(other));
  }

  /** `cleanAll` empties each scope by assigning this property. By the next request we are registered again. */
  private noticeCleanAll(scope: Scope): void {
    let keyed = Reflect.get(scope, "keyedInterceptors");
    Object.defineProperty(scope, "keyedInterceptors", {
      get: () => keyed,
      set: (emptied) => {
        keyed = emptied;
        if (!this.registered || this.interceptors.length === 0) return;
        this.registered = false;
        queueMicrotask(() => this.interceptors.length > 0 && this.register());
      },
    });
  }
}

/** Never used up (`persist` would leave traces), and not waited for by `nock.isDone()`. */
const anyTimes = (interceptor: Interceptor) => interceptor.optionally().times(Number.POSITIVE_INFINITY);

/**
 * A base path for nock that lets go of its origin. nock keeps the entry of a host for good once a scope was registered, and
 * fails every request to it when the scope's interceptors are gone. This pattern is the key of our entry, and stops matching.
 *
 * It is written as nock writes a scope's own origin, so that a user's scopes for the same host share the entry.
 */
export class OriginPattern extends RegExp {
  private usersOwn = false;

  /**
   * @param origin - `https://host:443`.
   * @param isServed - whether a running mock serves the origin now.
   * @param isUsers - whether the user has interceptors of their own for it. Once that was seen, the host stays theirs.
   */
  constructor(
    private readonly origin: string,
    private readonly isServed: () => boolean,
    private readonly isUsers: () => boolean,
  ) {
    super(`^(?:[^ ]+ )?${origin.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?:/|$)`);
  }

  /** nock asks several times for every request of the process, so that most are told from their text alone. */
  override test(text: string): boolean {
    const start = text.startsWith(this.origin) ? 0 : text.indexOf(" ") + 1;
    const end = start + this.origin.length;
    if (!text.startsWith(this.origin, start) || (end < text.length && text[end] !== "/")) return false;
    if (this.isServed()) return true;
    this.usersOwn ||= this.isUsers();
    return this.usersOwn;
  }

  override exec(text: string): RegExpExecArray | null {
    return this.test(text) ? super.exec(text) : null;
  }

  override toString(): string {
    return this.origin;
  }
}
