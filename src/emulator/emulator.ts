import type { Service } from "../schema/operation-names.ts";
import type { Api, MalformedKind } from "./api.ts";
import { runChecks } from "./check.ts";
import { type Clock, realMilliseconds } from "./clock.ts";
import type { ApiResponse, Context } from "./context.ts";
import { type FaultEffect, faultRequest, type SharedFaults } from "./faults.ts";
import { findRoute, type Route, unservedReason } from "./find-route.ts";
import type { Journal, RequestResult } from "./journal.ts";
import { SNAPSHOT_LIMITS } from "./json.ts";
import { type ConnectionError, header, type Result, type WireRequest } from "./message.ts";
import type { OperationResult } from "./operation.ts";
import type { Profile } from "./profiles.ts";
import type { Random } from "./random.ts";
import { recordRequest, recordResponse, withCutOff } from "./recorded-message.ts";
import { RequestBody } from "./request-body.ts";
import { makeResponse, PreparedResponse } from "./response.ts";
import { bounded, messageOf } from "./text.ts";

/** The services that the emulator itself needs; operations may see more. */
export interface EmulatorServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: Profile;
  readonly journal: Journal;
  readonly faults: SharedFaults;
  readonly settings: {
    /** Delay of every response of an API with `isDelayed`, in seconds. */
    readonly responseDelaySeconds: number;
    readonly delay: (seconds: number) => Promise<void>;
  };
}

export interface EmulatorOptions {
  /** Servers answer unserved paths with 404; in process, the client gets a connection error. */
  readonly unservedPaths: "notFound" | "connectionError";
  /** Whether the transport can send a body while it is being made. */
  readonly sendsStreams?: boolean;
  /** Turns the error of a failed request into a refusal; without one, the error is thrown. */
  readonly answerFailure?: (error: unknown) => ServerRefusal | undefined;
}

/** A refusal by the emulator's server rather than by the emulated service: a line of text in the form of the API's responses. */
export interface ServerRefusal {
  readonly status: number;
  readonly refusedBy: string;
  readonly reason: string;
  /** Default: the reason. */
  readonly line?: string;
}

/** The check of operations that say themselves how a `Content-Length` that is no number is refused. */
const OWN_LENGTH_CHECK = "contentLengthIsInteger";

/** A response or a failed connection, and its delay in addition to the configured one. */
type Answer = (OperationResult | NoResponse) & { readonly delaySeconds?: number };

/** The client's connection fails, with this reason. */
interface NoResponse extends Omit<OperationResult, "response"> {
  readonly response?: undefined;
  readonly failure: ConnectionError["kind"];
  readonly reason: string;
}

/** The whole emulator behind one function: a request in, a response out. Transports only translate. */
export class Emulator<Services extends EmulatorServices> {
  constructor(
    private readonly apis: readonly Api<Services>[],
    private readonly services: Services,
    /** The services as a request that arrives now sees them. */
    private readonly forRequest: (services: Services) => Services,
    private readonly options: EmulatorOptions,
  ) {}

  get journal(): Journal {
    return this.services.journal;
  }

  /**
   * Answers one request.
   *
   * @param host - the APIs that the host serves; the first one answers requests that match no operation.
   * @throws what a user's own matcher, rater or store threw.
   */
  handle(host: readonly [Service, ...Service[]], request: WireRequest): Promise<Result> {
    const [first, ...others] = host;
    const route = findRoute([this.api(first), ...others.map((service) => this.api(service))], request);
    const services = this.forRequest(this.services);
    return this.recorded(route, request, (context) =>
      this.services.faults.isEmpty
        ? this.answer(host, route, context, services)
        : this.answerOrFault(route, context, services, () => this.answer(host, route, context, services)),
    );
  }

  /**
   * Answers a malformed request. No check runs but that of a `Content-Length` that is no number, if it comes first; the
   * response is delayed and recorded like any other.
   */
  async answerMalformed(
    [first, ...others]: readonly [Service, ...Service[]],
    request: WireRequest,
    kind: MalformedKind,
    refused: Required<Pick<OperationResult, "refusedBy" | "reason">>,
  ): Promise<Result> {
    const route = findRoute([this.api(first), ...others.map((service) => this.api(service))], request);
    const checks = route.operation?.checks.slice(0, 1) ?? [];
    const isOwn = kind === "contentLength" && checks.some(({ name }) => name === OWN_LENGTH_CHECK);
    const api = isOwn ? route.api : this.api(first);
    return this.recorded(isOwn ? route : { api }, request, async (context) => {
      const own = isOwn ? await runChecks(checks, context) : undefined;
      const { reason, refusedBy } = own ? { ...own, reason: own.refusal.reason } : refused;
      const response = own?.refusal.respond(context) ?? makeResponse(api.malformed[kind], context, reason);
      return { response: await this.finish(api, response, context), refusedBy, reason };
    });
  }

  /** Answers a request that the server refuses. No check runs, but the response is delayed and recorded like any other. */
  async refuse(service: Service, request: WireRequest, refusal: ServerRefusal): Promise<Result> {
    const api = this.api(service);
    return this.recorded({ api }, request, (context) => this.serverAnswer(api, refusal, context));
  }

  private async serverAnswer(
    api: Api<Services>,
    { status, refusedBy, reason, line = reason }: ServerRefusal,
    context: Context,
  ): Promise<OperationResult> {
    const response = makeResponse(api.serverText(status), context, line);
    return { response: await this.finish(api, response, context), refusedBy, reason };
  }

  /** Records a connection that no transport could answer; its client got this reason. */
  async refuseConnection(service: Service, authority: string, reason: string): Promise<void> {
    const api = this.api(service);
    const request = { method: "CONNECT", path: authority, query: "", headers: [], body: Buffer.alloc(0) };
    await this.recorded({ api }, request, async () => ({
      response: undefined,
      failure: "refused",
      refusedBy: "transport",
      reason,
    }));
  }

  private async recorded(
    { api, operation }: Pick<Route<Services>, "api" | "operation">,
    request: WireRequest,
    respond: (context: Context) => Promise<Answer>,
  ): Promise<Result> {
    const { clock, profile, random } = this.services;
    const context: Context = { request, now: clock.now().getTime(), profile, random, notes: {} };
    const started = realMilliseconds();
    const { method, path } = request;
    const time = new Date(context.now);
    const close = this.journal.open({
      time,
      api: api.name,
      operation: operation?.name,
      method,
      path: bounded(path),
      request: recordRequest(request, api.holdsSecrets),
    });
    const record = ({ reason, ...result }: Omit<RequestResult, "durationMs">) =>
      close({
        durationMs: realMilliseconds() - started,
        ...context.notes,
        ...result,
        reason: reason && bounded(reason),
      });

    let result: Result;
    let delaySeconds: number | undefined;
    try {
      const answering = respond(context);
      const answer = await (this.options.answerFailure === undefined
        ? answering
        : answering.catch((error: unknown) => this.answerFailure(api, context, error)));
      const { refusedBy } = answer;
      ({ delaySeconds } = answer);
      const reason = refusedBy === undefined ? answer.reason : withCutOff(answer.reason, request);
      if (answer.response === undefined) {
        record({ refusedBy, reason });
        const message = refusedBy === undefined ? `${method} ${path}: ${answer.reason}` : answer.reason;
        result = { connectionError: { kind: answer.failure, message } };
      } else {
        const { status, headers, resultCode, bodyStream: stream } = answer.response;
        const isStreamed = stream !== undefined && this.options.sendsStreams === true;
        const body =
          stream === undefined || isStreamed ? answer.response.body : Buffer.concat([...stream.chunks()]);
        const response = recordResponse({ headers, body: isStreamed ? stream : body }, api.holdsSecrets);
        record({ response, status, resultCode, refusedBy, reason: reason ?? context.notes.reason });
        result = {
          response: { status, headers, body, ...(isStreamed && { stream: () => stream.chunks() }) },
        };
      }
    } catch (error) {
      record({ refusedBy: "emulator", reason: `the request failed: ${messageOf(error)}` });
      throw error;
    }
    // Not above: the wait fails when the mock stops, after the request was recorded.
    await this.delayAnswer(api, delaySeconds);
    return result;
  }

  private answerFailure(api: Api<Services>, context: Context, error: unknown): Promise<Answer> {
    const refusal = this.options.answerFailure?.(error);
    if (refusal === undefined) throw error;
    return this.serverAnswer(api, refusal, context);
  }

  private async delayAnswer({ isDelayed }: Api<Services>, furtherSeconds = 0): Promise<void> {
    const { responseDelaySeconds, delay } = this.services.settings;
    const seconds = (isDelayed ? responseDelaySeconds : 0) + furtherSeconds;
    if (seconds > 0) await delay(seconds);
  }

  private async answer(
    host: readonly Service[],
    { api, operation, params, pathIsServed }: Route<Services>,
    context: Context,
    services: Services,
  ): Promise<Answer> {
    const { request } = context;
    if (operation !== undefined) {
      const body = new RequestBody(request.body, request.images && SNAPSHOT_LIMITS);
      if (body.isLarge) await body.prepare(operation);
      const result = await operation.answer({ ...context, services, operation, params, body });
      if (api.finish === undefined) return result;
      return { ...result, response: await api.finish(result.response, context, this.services) };
    }
    const refused = await runChecks(api.unservedChecks ?? [], context);
    const refusedBy = refused?.refusedBy ?? "route";
    const reason = refused?.refusal.reason ?? unservedReason(this.apis, host, request);
    if (refused === undefined && !pathIsServed && this.options.unservedPaths === "connectionError")
      return { failure: "refused", refusedBy, reason };
    const response = (refused?.refusal ?? api.unserved(context)).respond(context);
    return { response: await this.finish(api, response, context), refusedBy, reason };
  }

  private async answerOrFault(
    { api, operation }: Route<Services>,
    context: Context,
    services: Services,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    const authorization = header(context.request, "authorization");
    const database = (await api.owner(authorization, services))?.databaseName;
    const request = faultRequest(context, { api: api.name, operation: operation?.name, database });
    const rule = await this.services.faults.choose(request, this.services.random);
    if (rule === undefined) return answer();
    context.notes.fault = rule.origin;
    if (database !== undefined) context.notes.database = database;
    return this.applyFault(rule, { api, operation }, context, answer);
  }

  private async applyFault(
    { response, resetConnection = false, executed = false, delaySeconds = 0, effect }: FaultEffect,
    route: Pick<Route<Services>, "api" | "operation">,
    context: Context,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    // For a request that was executed all the same, its own refusal says more than what the fault did.
    const facts = ({ refusedBy, reason = effect }: Pick<Answer, "refusedBy" | "reason"> = {}) => ({
      reason,
      delaySeconds,
      ...(refusedBy !== undefined && { refusedBy }),
    });
    if (response === undefined && !resetConnection) {
      const own = await answer();
      return { ...own, ...facts(own) };
    }
    const outcome = facts(executed ? await answer() : undefined);
    if (response === undefined) return { failure: "reset", ...outcome };
    return { response: await this.faultResponse(response, route, context), ...outcome };
  }

  private async faultResponse(
    response: NonNullable<FaultEffect["response"]>,
    { api, operation }: Pick<Route<Services>, "api" | "operation">,
    context: Context,
  ): Promise<ApiResponse> {
    if (response instanceof PreparedResponse) return response.respond(context);
    if ("resultCode" in response) {
      const failure = api.failure(response.resultCode, response.status, operation);
      return this.finish(api, failure.respond(context), context);
    }
    const { status, headers = {}, body = "" } = response;
    return { status, headers: Object.entries(headers), body: Buffer.from(body) };
  }

  private async finish(api: Api<Services>, response: ApiResponse, context: Context): Promise<ApiResponse> {
    return api.finish === undefined ? response : api.finish(response, context, this.services);
  }

  private api(service: Service): Api<Services> {
    const found = this.apis.find(({ name }) => name === service);
    if (found === undefined) throw new Error(`unknown API: ${service}`);
    return found;
  }
}
