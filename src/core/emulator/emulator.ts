import { bounded, messageOf } from "../general/text.ts";
import { cause, sentenceOf } from "../schema/causes/causes.ts";
import type { ApiName } from "../schema/protocol.ts";
import { runChecks } from "./check.ts";
import { type Clock, momentOf, systemClock } from "./clock.ts";
import { type Context, type OperationContext, RequestBody } from "./context.ts";
import type { FaultDelay } from "./fault-delays.ts";
import { type FaultEffect, faultRequest, type SharedFaults } from "./faults.ts";
import type { CloseEntry, Journal } from "./journal.ts";
import { header, type Result, type WireRequest } from "./message.ts";
import type { Api, ApiOperation } from "./operation.ts";
import { applyFault, isExecuted, type Outcome, refusedOutcome, withCutOff } from "./outcome.ts";
import type { Profile } from "./profiles.ts";
import type { Random } from "./random.ts";
import { recordRequest, recordResponse } from "./recorded-message.ts";
import { assertDeclared, type PreparedResponse, Refusal, respond, responsesUnder } from "./response.ts";
import {
  type EarlyRefusal,
  type EarlyRoute,
  type Route,
  route,
  type ServerRefusal,
  unservedCause,
} from "./router.ts";

/** The services that the emulator itself needs; operations may use more. */
export interface EmulatorServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: Profile;
  readonly journal: Journal;
  readonly faults: SharedFaults;
  /** For each request, a store in which a found database stays the same one. */
  readonly store: { forRequest(): EmulatorServices["store"] };
  readonly answerOptions: {
    /** Delay of every response of an API with `isDelayed`, in seconds. */
    readonly responseDelaySeconds: number;
    /** Waits until the time is over, or one of the signals is aborted. */
    readonly delay: (seconds: number, endings: readonly (AbortSignal | undefined)[]) => Promise<void>;
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

/** The emulator behind one function: a request in, a response out. */
export class Emulator<Services extends EmulatorServices> {
  constructor(
    private readonly apis: Readonly<Record<ApiName, Api<Services>>>,
    private readonly services: Services,
    private readonly options: EmulatorOptions,
  ) {}

  get journal(): Journal {
    return this.services.journal;
  }

  /**
   * Answers one request. This is its whole life; `.github/ARCHITECTURE.md` has the drawing.
   *
   * @param served - the APIs of the host; the first one answers requests that match no operation.
   * @param earlyRefusal - no operation gets the request, but it is delayed and recorded like any other.
   * @throws the error of a user's own clock, matcher, rater or store.
   */
  async handle(
    served: readonly [ApiName, ...ApiName[]],
    request: WireRequest,
    earlyRefusal?: EarlyRefusal,
  ): Promise<Result> {
    const services: Services = { ...this.services, store: this.services.store.forRequest() };

    // Find the operation. Without one, an API of the host answers in its own form.
    const routed = route(this.apis, served, request, earlyRefusal);
    const { api, operation, params } = routed;

    // Record the request before anything can fail or wait: a test that hangs shows what it waits for.
    const { context, closeEntry, clockFailure } = openEntry(request, routed, services);

    let fault: FaultEffect | undefined;
    let outcome: Outcome;
    try {
      if (clockFailure !== undefined) throw clockFailure.error;
      // Look for a fault, but not for a request that its server refuses: it does not reach the service.
      if (!services.faults.isEmpty && earlyRefusal === undefined)
        fault = await this.chooseFault(routed, context, services);

      // Answer it: by its server's refusal, by the fault alone, as an unknown path, or by its operation.
      if (earlyRefusal !== undefined) outcome = await refuseEarly(routed, earlyRefusal, context);
      else if (fault !== undefined && !isExecuted(fault)) outcome = {};
      else if (operation === undefined) outcome = await this.refuseUnserved(served, routed, context);
      else {
        // A snapshot, whose images were taken out, may be of any size.
        const body = new RequestBody(request.body, request.images && Number.POSITIVE_INFINITY);
        // The spread is last, as in all objects that each request makes: Node 20 gives an object that begins with one a new hidden
        // class for each property that follows, in every request anew, and all code that reads it has to look them up again.
        outcome = await execute(operation, { services, operation, params, body, ...context });
      }

      // Put the fault's response in place of the answer; the operation may have been executed all the same.
      if (fault !== undefined) outcome = applyFault(fault, outcome, routed, context);

      // Add what the API puts on every response. A response that the test wrote itself stays as it is.
      const isConfigured = fault?.response !== undefined && !("resultCode" in fault.response);
      if (api.encode !== undefined && !isConfigured) outcome = await this.encode(outcome, api, context);
    } catch (error) {
      // End a delay of which no response is left, and let servers answer the error. In process it is thrown.
      fault?.delay?.end();
      fault = undefined;
      outcome = await this.failed(error, api, context, closeEntry);
    }

    // Complete the journal's entry. The transport gets what was recorded.
    const result = this.close(outcome, api, context, closeEntry);

    // Delay the response. Outside the try block: stopping the mock rejects this wait, and the request is recorded already.
    // An overloaded server refuses at once: a delayed refusal would keep a place.
    if (routed.malformed !== "overloaded") await this.delay(api, fault?.delay, request.gone);
    return result;
  }

  /** Waits as configured, and then for a fault: its deletion ends only its own delay. */
  private async delay(
    { isDelayed }: Api<Services>,
    ofFault: FaultDelay | undefined,
    gone: AbortSignal | undefined,
  ): Promise<void> {
    const { responseDelaySeconds, delay } = this.services.answerOptions;
    try {
      if (isDelayed && responseDelaySeconds > 0) await delay(responseDelaySeconds, [gone]);
      if (ofFault !== undefined) await delay(ofFault.seconds, [gone, ofFault.ended]);
    } finally {
      ofFault?.end();
    }
  }

  /** The outcome of a defect, or of an error of a user's clock, matcher, rater or store. */
  private async failed(
    error: unknown,
    api: Api<Services>,
    context: Context,
    closeEntry: CloseEntry,
  ): Promise<Outcome> {
    const failure = this.options.answerFailure?.(error);
    if (failure !== undefined) return this.encode(await refuseEarly({ api }, failure, context), api, context);
    const why = cause("emulator.failed", { error: bounded(messageOf(error)) });
    closeEntry({ ...context.entry, refusedBy: "emulator", cause: why });
    throw error;
  }

  private async chooseFault(
    { api, operation }: Route<Services>,
    context: Context,
    services: Services,
  ): Promise<FaultEffect | undefined> {
    const authorization = header(context.request, "authorization");
    const database = (await api.databaseOf(authorization, services))?.databaseName;
    const request = faultRequest(context, { api: api.name, operation: operation?.name, database });
    const fault = await this.services.faults.choose(request, this.services.random);
    if (fault === undefined) return undefined;
    context.entry.fault = fault.configuredBy;
    if (database !== undefined) context.entry.database = database;
    return fault;
  }

  private async refuseUnserved(
    served: readonly ApiName[],
    { api, pathIsServed }: Route<Services>,
    context: Context,
  ): Promise<Outcome> {
    const refused = await runChecks(api.unservedChecks ?? [], context);
    if (refused !== undefined) return refusedOutcome(refused, context);
    const outcome = {
      refusedBy: "route",
      cause: unservedCause(Object.values(this.apis), served, context.request),
    };
    return !pathIsServed && this.options.unservedPaths === "connectionError"
      ? { ...outcome, connection: "refused" }
      : { ...outcome, response: respond(api.unserved(context), context) };
  }

  private async encode(outcome: Outcome, api: Api<Services>, context: Context): Promise<Outcome> {
    const { response } = outcome;
    if (response === undefined || api.encode === undefined) return outcome;
    return { ...outcome, response: await api.encode(response, context, this.services) };
  }

  private close(
    { response, connection = "reset", refusedBy, cause: given }: Outcome,
    { holdsSecrets }: Api<Services>,
    { request, entry }: Context,
    closeEntry: CloseEntry,
  ): Result {
    const why = refusedBy === undefined ? (given ?? entry.cause) : withCutOff(given, request);
    if (response === undefined) {
      closeEntry({ ...entry, refusedBy, cause: why });
      const said = given === undefined ? "" : sentenceOf(given);
      const message = refusedBy === undefined ? `${request.method} ${request.path}: ${said}` : said;
      return { connectionError: { kind: connection, message } };
    }
    const { status, headers, resultCode, bodyStream: stream } = response;
    const isStreamed = stream !== undefined && this.options.sendsStreams === true;
    const body = stream === undefined || isStreamed ? response.body : Buffer.concat([...stream.chunks()]);
    const recorded = recordResponse({ headers, body: isStreamed ? stream : body }, holdsSecrets);
    closeEntry(Object.assign({}, entry, { response: recorded, status, resultCode, refusedBy, cause: why }));
    return { response: { status, headers, body, ...(isStreamed && { stream: () => stream.chunks() }) } };
  }
}

/**
 * Reads the clock, once for the whole request, and opens its journal entry. If a user's clock fails, the request fails too, and is
 * recorded at the system's time.
 */
function openEntry<Services extends EmulatorServices>(
  request: WireRequest,
  { api, operation }: Route<Services>,
  { clock, journal, profile, random }: Services,
) {
  let preciseNow: number;
  let clockFailure: { readonly error: unknown } | undefined;
  try {
    preciseNow = momentOf(clock);
  } catch (error) {
    preciseNow = momentOf(systemClock);
    clockFailure = { error };
  }
  const context: Context = { request, now: Math.floor(preciseNow), preciseNow, profile, random, entry: {} };
  const closeEntry = journal.open({
    time: new Date(context.now),
    api: api.name,
    operation: operation?.name,
    method: request.method,
    path: bounded(request.path),
    request: recordRequest(request, api.holdsSecrets),
  });
  return { context, closeEntry, clockFailure };
}

async function execute<Services>(
  operation: ApiOperation<Services>,
  context: OperationContext<Services>,
): Promise<Outcome> {
  const { name, checks, responses } = operation;
  const refused = await runChecks(checks, context);
  if (refused !== undefined) return refusedOutcome(refused, context);
  const handled = await operation.handle(context);
  assertDeclared(`the operation ${name}`, responsesUnder(responses, context.profile), handled);
  if (handled instanceof Refusal) return refusedOutcome({ refusal: handled, refusedBy: name }, context);
  return { response: respond(handled, context) };
}

async function refuseEarly<Services>(
  { api, malformed, answering }: EarlyRoute<Services>,
  earlyRefusal: EarlyRefusal,
  context: Context,
): Promise<Outcome> {
  const own = answering && (await runChecks([answering], context));
  if (own !== undefined) return refusedOutcome(own, context);
  const { refusedBy, cause: why } = earlyRefusal;
  if ("connection" in earlyRefusal) return { connection: earlyRefusal.connection, refusedBy, cause: why };
  const prepared: PreparedResponse =
    "malformed" in earlyRefusal
      ? { declared: api.malformed[earlyRefusal.malformed], details: sentenceOf(why) }
      : { declared: api.serverText(earlyRefusal.status), details: earlyRefusal.line ?? sentenceOf(why) };
  const check = malformed && api.malformedChecks[malformed];
  return { response: respond(prepared, context), refusedBy: check?.name ?? refusedBy, cause: why };
}
