import http, { type ClientRequest } from "node:http";
import { Socket } from "node:net";
import type { ReplyFnResult } from "nock";
import { answer, connectionError } from "../answer.ts";
import { type HostTable, urlOf } from "../host-table.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { activateNock, type Nock } from "./nock-module.ts";
import { NockOrigin, OriginPattern } from "./nock-origin.ts";
import { interceptedRequest, replyDirectly } from "./nock-request.ts";
import { StrayRequests } from "./stray-requests.ts";

/**
 * How answers reach the client: `documented` returns them to nock; `direct`, where nock is known from inside, hands them over
 * at once and so saves nock's two timers, 3 ms a request.
 */
export type ReplyMode = "direct" | "documented";

/** A host that nobody enables by name. */
const NOWHERE = new URL("http://nowhere.invalid");

/**
 * Intercepts global `fetch` and everything built on `node:http` (axios, got, superagent, node-fetch) with nock: so a user's own
 * interceptors for the same hosts work beside ours.
 *
 * Loads nock now, and leaves it as it was found when it stops.
 */
export class NockInterceptor {
  private readonly active = activateNock();
  private readonly registrations = new Map<string, NockOrigin>();
  private readonly strays: StrayRequests;
  private hasStopped = false;

  /**
   * @param current - the one that runs in this process, whichever it is by then.
   * @throws Error if nock is missing, of an unusable version or switched off, or if `process.nextTick` is faked.
   */
  constructor(
    private readonly hosts: HostTable,
    others: OtherHosts,
    private readonly current: () => NockInterceptor | undefined,
    private readonly replyMode: ReplyMode = "direct",
  ) {
    this.strays = new StrayRequests(this.active.nock, hosts, others);
  }

  /** Has nock intercept what is in the table of hosts, and nothing else. */
  update(): void {
    for (const origin of this.hosts.origins) this.register(origin);
    for (const origin of this.registrations.keys()) if (!this.hosts.has(origin)) this.unregister(origin);
  }

  stop(): void {
    this.hasStopped = true;
    const origins = [...this.registrations.keys()];
    for (const origin of origins) this.unregister(origin);
    this.active.restore();
    this.strays.linger(origins);
  }

  /** What can be done when this nock's Jest environment is gone. */
  detach(): void {
    this.hasStopped = true;
    this.active.detach();
    this.strays.end();
  }

  /** Whether the user's own nock lets requests to this host through: by `allowUnmocked`, or by `enableNetConnect`, if not to all. */
  isEnabledByUser(origin: string): boolean {
    return this.strays.areUsers(origin) || this.isConnectable(origin);
  }

  private isConnectable(origin: string): boolean {
    return !this.connectsTo(NOWHERE) && this.connectsTo(urlOf(origin));
  }

  /** nock does not tell what is enabled; but what is not, it does not let connect. */
  private connectsTo({ hostname, port, protocol }: URL): boolean {
    let hasAsked = false;
    const createConnection = () => {
      hasAsked = true;
      return new Socket();
    };
    const request = new http.ClientRequest({ hostname, port, protocol, createConnection });
    request.on("error", () => {}).destroy();
    return hasAsked;
  }

  private serves(nock: Nock, origin: string): boolean {
    return this.active.nock === nock && this.hosts.has(origin);
  }

  private register(origin: string): void {
    if (this.registrations.has(origin)) return;
    const { current } = this;
    const { nock } = this.active;
    const pattern = new OriginPattern(
      origin,
      // Not `this`: nock keeps the first pattern of an origin, which has to work again for a later one.
      () => current()?.serves(nock, origin) === true,
      // Only theirs: ours were removed when the origin was no longer served.
      () => nock.activeMocks().some((mock) => isFor(origin, mock)),
    );
    const reply = (request: ClientRequest, target: string) => this.reply(origin, request, target);
    this.registrations.set(origin, new NockOrigin(nock, pattern, reply));
  }

  private unregister(origin: string): void {
    this.registrations.get(origin)?.remove();
    this.registrations.delete(origin);
  }

  private async reply(origin: string, request: ClientRequest, target: string): Promise<ReplyFnResult> {
    const asked = interceptedRequest(request, origin, target);
    const response = await answer(this.hosts, asked).catch((reason: unknown) => {
      throw this.toClientError(reason);
    });
    if (this.replyMode === "documented" || !this.active.knownInside) {
      return [response.status, response.body, response.headers.flat()];
    }
    replyDirectly(request, response);
    return new Promise(() => {});
  }

  /** What nock hands on to the client; for what is not an Error of its own realm, it would never end the request. */
  private toClientError(reason: unknown): Error {
    const isError = reason instanceof Error;
    const message = isError ? reason.message : String(reason);
    // Given back, nock would make a response with status 500 of all but system errors.
    if (this.hasStopped && !(isError && "errno" in reason))
      return connectionError({ kind: "reset", message }, reason);
    return isError ? reason : new Error(message, { cause: reason });
  }
}

/** Whether an interceptor, which nock writes `GET https://host:443/path`, is for an origin. */
function isFor(origin: string, interceptor: string): boolean {
  const url = interceptor.slice(interceptor.indexOf(" ") + 1);
  return url.startsWith(origin) && !/^\d/.test(url.slice(origin.length));
}
