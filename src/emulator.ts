import { instanceEndpoints } from "./apis/instance/routes.ts";
import { managerEndpoints } from "./apis/manager/routes.ts";
import { modelTargetEndpoints } from "./apis/model-target/routes.ts";
import { queryEndpoints } from "./apis/query/routes.ts";
import { reportEndpoints } from "./apis/report/routes.ts";
import { targetEndpoints } from "./apis/target/routes.ts";
import { applyFault, type DelayedAnswer } from "./faults/apply.ts";
import { faultRequest } from "./faults/fault-request.ts";
import { Faults } from "./faults/faults.ts";
import { presetFaults } from "./faults/presets.ts";
import { headerLineRefusal, headerLinesFit } from "./guards/header-lines.ts";
import type { Answer, NoAnswer } from "./http/endpoint.ts";
import type { Exchange, Reply } from "./http/exchange.ts";
import type { Outcome } from "./http/outcome.ts";
import { RequestBody } from "./http/request-body.ts";
import type { WireRequest } from "./http/wire-message.ts";
import { emptyNotFound, notFoundPage } from "./responses/pages.ts";
import { emptyQueryReply, encodeQueryReply } from "./responses/query-api.ts";
import type { Awaitable } from "./runtime/awaitable.ts";
import { Journal, type RequestResult } from "./runtime/journal.ts";
import { messageOf } from "./runtime/message-of.ts";
import type { Service } from "./runtime/operation.ts";
import { realMilliseconds } from "./runtime/real-time.ts";
import type { ServiceEndpoint, Services, Settings } from "./services.ts";
import { unservedReason } from "./unserved-reason.ts";

export interface EmulatorOptions {
  /** Real servers answer unserved paths with 404; in process the client gets a connection error. */
  readonly unservedPaths: "notFound" | "connectionError";
  readonly journal?: Journal;
  /** Default: those that the settings name. */
  readonly faults?: Faults;
  /** Answers a request that failed, and says who refused it and why; without an answer the error is thrown. */
  readonly answerFailure?: (error: unknown, exchange: Exchange) => Answer | undefined;
}

/** Every endpoint, by the host that serves it. */
export const API_ENDPOINTS: Readonly<Record<Service, readonly ServiceEndpoint[]>> = {
  target: [...targetEndpoints, ...instanceEndpoints, ...reportEndpoints],
  query: queryEndpoints,
  modelTarget: modelTargetEndpoints,
  manager: managerEndpoints,
};

const UNSERVED: Readonly<Record<Service, (exchange: Exchange, settings: Settings) => Awaitable<Reply>>> = {
  target: notFoundPage,
  query: (exchange, { queryContentEncoding }) =>
    encodeQueryReply(emptyQueryReply(404)(exchange), exchange, queryContentEncoding),
  modelTarget: notFoundPage,
  manager: emptyNotFound,
};

/** The whole emulator behind one function: a request in, a response out. Transports only translate. */
export class Emulator {
  readonly journal: Journal;
  readonly faults: Faults;

  private readonly services: Services;

  constructor(
    services: Omit<Services, "journal">,
    private readonly options: EmulatorOptions,
  ) {
    this.journal = options.journal ?? new Journal();
    this.faults = options.faults ?? new Faults(presetFaults(services.settings));
    this.services = { ...services, journal: this.journal };
  }

  /**
   * Answers one request.
   *
   * @param apis - what the host serves; the first one answers what none of them serves.
   * @throws what a user's own matcher, rater or store threw.
   */
  async handle(apis: readonly [Service, ...Service[]], request: WireRequest): Promise<Outcome> {
    const found = findEndpoint(apis, request);
    return this.journalled(found, request, (exchange) =>
      this.faults.areNone
        ? this.answer(apis, found, exchange)
        : this.answerOrFault(found, exchange, () => this.answer(apis, found, exchange)),
    );
  }

  /** Answers what a transport could not make a whole request of: no check runs, but the delay and the journal do. */
  async refuse(
    api: Service,
    request: WireRequest,
    respond: (exchange: Exchange) => Promise<Answer>,
  ): Promise<Outcome> {
    return this.journalled({ api }, request, respond);
  }

  private async journalled(
    { api, endpoint }: Pick<Found, "api" | "endpoint">,
    request: WireRequest,
    respond: (exchange: Exchange) => Promise<DelayedAnswer>,
  ): Promise<Outcome> {
    const { clock, profile, random } = this.services;
    const exchange: Exchange = { request, now: clock.now().getTime(), profile, random, trace: {} };
    const started = realMilliseconds();
    const { method, path } = request;
    const operation = endpoint?.operation;
    const close = this.journal.open({ time: new Date(exchange.now), api, operation, method, path });
    const record = (result: Omit<RequestResult, "durationMs">) =>
      close({ durationMs: realMilliseconds() - started, ...exchange.trace, ...result });

    try {
      const answer = await this.answerOrFailure(exchange, respond);
      const { refusedBy, reason, delaySeconds } = answer;
      if (answer.reply === undefined) {
        record({ refusedBy, reason });
        await this.delayAnswer(api, delaySeconds);
        const message = refusedBy === undefined ? `${method} ${path}: ${answer.reason}` : answer.reason;
        return { connectionError: { kind: answer.failure, message } };
      }
      const { status, headers, body, resultCode } = answer.reply;
      record({ status, resultCode, refusedBy, reason });
      await this.delayAnswer(api, delaySeconds);
      return { response: { status, headers, body } };
    } catch (error) {
      record({ refusedBy: "emulator", reason: `the request failed: ${messageOf(error)}` });
      throw error;
    }
  }

  private async answerOrFailure(
    exchange: Exchange,
    respond: (exchange: Exchange) => Promise<DelayedAnswer>,
  ): Promise<DelayedAnswer> {
    try {
      return await respond(exchange);
    } catch (error) {
      const failure = this.options.answerFailure?.(error, exchange);
      if (failure === undefined) throw error;
      return failure;
    }
  }

  private async delayAnswer(api: Service, furtherSeconds = 0): Promise<void> {
    const { responseDelaySeconds, delay } = this.services.settings;
    const seconds = (api === "manager" ? 0 : responseDelaySeconds) + furtherSeconds;
    if (seconds > 0) await delay(seconds);
  }

  private async answerOrFault(
    { api, endpoint }: Found,
    exchange: Exchange,
    answer: () => Promise<Answer | NoAnswer>,
  ): Promise<DelayedAnswer> {
    const { settings, random, store } = this.services;
    const request = await faultRequest(api, endpoint?.operation, exchange, store);
    const rule = this.faults.choose(request, random);
    return rule === undefined ? answer() : applyFault(rule, { exchange, request, settings }, answer);
  }

  private async answer(
    apis: readonly Service[],
    found: Found,
    exchange: Exchange,
  ): Promise<Answer | NoAnswer> {
    const { api, endpoint, params, pathIsServed } = found;
    const { request } = exchange;
    const { settings } = this.services;
    if (endpoint !== undefined) {
      const { operation, answer } = endpoint;
      const body = new RequestBody(request.body);
      return answer({ ...exchange, services: this.services, operation, params, body });
    }
    const refusal = api === "target" ? headerLineRefusal(exchange) : undefined;
    if (refusal !== undefined) {
      return { reply: refusal.respond(exchange), refusedBy: headerLinesFit.name, reason: refusal.reason };
    }
    const reason = unservedReason(API_ENDPOINTS, apis, request);
    const answered = pathIsServed || this.options.unservedPaths === "notFound";
    const reply = answered ? await UNSERVED[api](exchange, settings) : undefined;
    const refused = { refusedBy: "route", reason };
    return reply === undefined ? { reply, failure: "refused", ...refused } : { reply, ...refused };
  }
}

interface Found {
  readonly api: Service;
  readonly endpoint?: ServiceEndpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly pathIsServed: boolean;
}

function findEndpoint(apis: readonly [Service, ...Service[]], { method, path }: WireRequest): Found {
  for (const api of apis) {
    for (const endpoint of API_ENDPOINTS[api]) {
      const params = endpoint.method === method ? endpoint.match(path) : undefined;
      if (params !== undefined) return { api, endpoint, params, pathIsServed: true };
    }
  }
  const serving = apis.findLast((api) => API_ENDPOINTS[api].some(({ match }) => match(path) !== undefined));
  return { api: serving ?? apis[0], params: {}, pathIsServed: serving !== undefined };
}
