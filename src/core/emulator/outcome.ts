import { type AnyCause, cause, withFurther } from "../schema/causes/causes.ts";
import type { RefusedBy } from "./check.ts";
import type { ApiResponse, Context } from "./context.ts";
import type { FaultEffect } from "./faults.ts";
import { type ConnectionError, header, type WireRequest } from "./message.ts";
import { respond } from "./response.ts";
import type { Route } from "./router.ts";

export interface Outcome {
  /** Undefined: the connection fails. */
  readonly response?: ApiResponse | undefined;
  /** How the connection fails. Default: it is reset. */
  readonly connection?: ConnectionError["kind"];
  readonly refusedBy?: string | undefined;
  readonly cause?: AnyCause | undefined;
}

export const refusedOutcome = ({ refusal, refusedBy }: RefusedBy, context: Context): Outcome => ({
  response: respond(refusal, context),
  ...(!refusal.isNotYet && { refusedBy }),
  cause: refusal.cause,
});

/** Whether a fault leaves it to the operation what happens, at least before the connection is reset or the response replaced. */
export const isExecuted = ({ response, resetConnection = false, executed = false }: FaultEffect): boolean =>
  executed || (response === undefined && !resetConnection);

/**
 * The outcome with a fault.
 *
 * @param own - the outcome of the request itself; empty if it was not executed.
 */
export function applyFault<Services>(
  { response, resetConnection = false, effect }: FaultEffect,
  own: Outcome,
  { api, operation }: Route<Services>,
  context: Context,
): Outcome {
  const { refusedBy } = own;
  const told = own.cause ?? context.entry.cause;
  const isDelayedOnly = response === undefined && !resetConnection;
  // If the request was executed, its own refusal explains more than the fault.
  const why =
    refusedBy !== undefined
      ? (own.cause ?? effect)
      : isDelayedOnly && told !== undefined
        ? withFurther(effect, told)
        : effect;
  if (response === undefined) return resetConnection ? { refusedBy, cause: why } : { ...own, cause: why };
  const prepared =
    "resultCode" in response ? api.failure(response.resultCode, response.status, operation) : response;
  if ("declared" in prepared) return { response: respond(prepared, context), refusedBy, cause: why };
  const { status, headers = {}, body = "" } = prepared;
  return {
    response: { status, headers: Object.entries(headers), body: Buffer.from(body) },
    refusedBy,
    cause: why,
  };
}

/** Adds that the body arrived incomplete, which is the likely cause of any refusal. */
export function withCutOff(
  refused: AnyCause | undefined,
  { isCutOff, body, headers }: WireRequest,
): AnyCause | undefined {
  if (isCutOff !== true) return refused;
  const announced = header({ headers }, "content-length") ?? "an unknown number of";
  const cutOff = cause("body.cut-off", { arrived: body.length, announced });
  return refused === undefined ? cutOff : withFurther(refused, cutOff);
}
