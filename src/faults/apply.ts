import type { Answer, NoAnswer } from "../http/endpoint.ts";
import type { FaultRule, FaultSite } from "./fault-rule.ts";

/** An answer, and how long the client waits for it beside the configured delay. */
export type DelayedAnswer = (Answer | NoAnswer) & { readonly delaySeconds?: number };

/**
 * Answers a request as a fault has it.
 *
 * @param answer - what the emulator would do.
 */
export async function applyFault(
  rule: FaultRule,
  site: FaultSite,
  answer: () => Promise<Answer | NoAnswer>,
): Promise<DelayedAnswer> {
  const { respond, cutConnection = false, carriedOut = false, delaySeconds = 0, effect } = rule;
  const { trace } = site.exchange;
  trace.fault = rule.origin;
  if (site.request.database !== undefined) trace.database = site.request.database;
  const own = carriedOut || (respond === undefined && !cutConnection) ? await answer() : undefined;
  // Who refused a request that was carried out all the same is worth more than what was done to the answer.
  const { refusedBy, reason = effect } = own ?? {};
  const told = { reason, delaySeconds, ...(refusedBy !== undefined && { refusedBy }) };
  if (cutConnection) return { reply: undefined, failure: "reset", ...told };
  if (respond !== undefined) return { reply: await respond(site), ...told };
  return { ...(own ?? (await answer())), ...told };
}
