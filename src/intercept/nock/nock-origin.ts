import type { ClientRequest } from "node:http";
import type { Interceptor, ReplyFnResult, Scope } from "nock";
import type { Nock } from "./nock-module.ts";

/** The methods that are registered with nock. Others fail with nock's `ERR_NOCK_NO_MATCH`. */
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] as const;
const ANY_PATH = /^/;
const NO_HEADERS = { value: {}, configurable: true, writable: true };

/** Returns nock's reply, or answers the client itself and never settles. */
export type ReplyToNock = (request: ClientRequest, target: string) => Promise<ReplyFnResult>;

export class NockOrigin {
  /** nock's names of the interceptors. Successors have the same names. */
  keys: readonly string[] = [];
  private interceptors: Interceptor[] = [];
  private registered = false;
  /** nock's list of the origin's interceptors, taken from a request; unknown before the first one. */
  private order: unknown;

  constructor(
    private readonly nock: Nock,
    private readonly pattern: OriginPattern,
    private readonly reply: ReplyToNock,
  ) {
    this.register();
  }

  /** Registers the interceptors, again after a user's `nock.cleanAll()` removed them. */
  register(): void {
    if (this.registered) return;
    this.registered = true;
    const scope = this.nock(this.pattern);
    // nock would parse the body by these headers. The reply reads others.
    // Defined, because assigning replaces all headers in Bun.
    scope.on("request", (request) => Object.defineProperty(request, "headers", NO_HEADERS));
    this.noticeCleanAll(scope);
    // nock first looks for any interceptor of the origin: this one matches instead of the movers below.
    const forOrigin = anyTimes(scope.intercept(ANY_PATH, "NONE"));
    forOrigin.reply();
    this.interceptors = [forOrigin, ...METHODS.flatMap((method) => this.interceptLast(scope, method))];
    this.keys = scope.activeMocks();
  }

  remove(): void {
    for (const interceptor of this.interceptors) this.nock.removeInterceptor(interceptor);
    this.interceptors = [];
  }

  /**
   * Serves requests that no interceptor of the user matches. nock uses the first registered match, so ours would shadow later ones
   * of the user. Therefore the first of these two matches nothing, but moves the second to the end.
   */
  private interceptLast(scope: Scope, method: string): Interceptor[] {
    const serve = (request: ClientRequest, target: string) => {
      // The only place where nock shows the list that it searches, with the user's interceptors.
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
    // nock calls this to learn whether the path matches: before it looks at the interceptors that follow in its list.
    const moveLast = () => {
      if (this.isBehindUsers(last)) return false;
      const at = this.interceptors.indexOf(last);
      // Already removed: the request arrived before a `cleanAll`.
      if (at < 0) return false;
      // nock has no way to move an interceptor, but a new one is added to the end of the list that it is searching.
      this.nock.removeInterceptor(last);
      last = served();
      this.interceptors[at] = last;
      // It never matches itself: nock goes on, first to the user's interceptors and then to the moved one.
      return false;
    };
    const mover = anyTimes(scope.intercept(moveLast, method));
    // nock registers an interceptor only when it has a reply.
    mover.reply();
    let last = served();
    return [mover, last];
  }

  /** Checked first, because moving takes 0.1 ms per request. */
  private isBehindUsers(interceptor: Interceptor): boolean {
    if (!Array.isArray(this.order) || !this.order.includes(interceptor)) return false;
    return this.order
      .slice(this.order.indexOf(interceptor))
      .every((other) => this.interceptors.includes(other));
  }

  /** `cleanAll` empties each scope by assigning this property. Registers again before the next request. */
  private noticeCleanAll(scope: Scope): void {
    let keyed = Reflect.get(scope, "keyedInterceptors");
    Object.defineProperty(scope, "keyedInterceptors", {
      get: () => keyed,
      set: (emptied) => {
        keyed = emptied;
        // It assigns it once for each interceptor: the first time counts.
        if (!this.registered || this.interceptors.length === 0) return;
        this.registered = false;
        // Not now: it forgets the whole origin afterwards.
        queueMicrotask(() => this.interceptors.length > 0 && this.register());
      },
    });
  }
}

/** Makes an interceptor unlimited (`persist` would leave traces), and optional for `nock.isDone()`. */
const anyTimes = (interceptor: Interceptor) => interceptor.optionally().times(Number.POSITIVE_INFINITY);

/**
 * A base path for nock that can stop matching its origin. nock never removes a host's entry, and fails all requests to the host
 * once its scope has no interceptors. This pattern is the key of our entry. Its text equals nock's own key of the origin, so that
 * a user's scopes share the entry.
 */
export class OriginPattern extends RegExp {
  private usersOwn = false;

  /**
   * @param origin - `https://host:443`.
   * @param isServed - whether a started mock serves the origin now.
   * @param isUsers - whether the user has interceptors for the origin. Once it was true, the pattern always matches.
   */
  constructor(
    private readonly origin: string,
    private readonly isServed: () => boolean,
    private readonly isUsers: () => boolean,
  ) {
    super(`^(?:[^ ]+ )?${origin.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?:/|$)`);
  }

  /** Compares text first: nock calls this several times for each request of the process. */
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
