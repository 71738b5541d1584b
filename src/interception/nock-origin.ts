import type { ClientRequest } from "node:http";
import type { Interceptor, ReplyFnResult, Scope } from "nock";
import type { Nock } from "./nock-module.ts";
import type { OriginPattern } from "./origin-pattern.ts";

/** The methods that nock hands over. Others fail with its own `ERR_NOCK_NO_MATCH`. */
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] as const;
const ANY_PATH = /^/;

/** Gives what nock should answer, or answers by itself and never settles. */
export type ReplyToNock = (request: ClientRequest, target: string) => Promise<ReplyFnResult>;

/** Everything registered with nock for one origin. */
export class NockOrigin {
  private interceptors: Interceptor[] = [];
  private registered = false;

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
    this.interceptors = METHODS.flatMap((method) => this.interceptLast(scope, method));
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
    const { reply } = this;
    const served = () => {
      const interceptor = scope.intercept(ANY_PATH, method).optionally().times(Number.POSITIVE_INFINITY);
      interceptor.reply(function (target) {
        return reply(this.req, target);
      });
      return interceptor;
    };
    const mover = scope
      .intercept(() => {
        const at = this.interceptors.indexOf(last);
        if (at >= 0) {
          this.nock.removeInterceptor(last);
          last = served();
          this.interceptors[at] = last;
        }
        return false;
      }, method)
      .optionally()
      .times(Number.POSITIVE_INFINITY);
    mover.reply();
    let last = served();
    return [mover, last];
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
