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
  // Who refused a request that was carried out all the same is worth more than what was done to the answer.
  const told = ({ refusedBy, reason = effect }: Pick<Answer, "refusedBy" | "reason"> = {}) => ({
    reason,
    delaySeconds,
    ...(refusedBy !== undefined && { refusedBy }),
  });
  if (respond === undefined && !cutConnection) {
    const own = await answer();
    return { ...own, ...told(own) };
  }
  const facts = told(carriedOut ? await answer() : undefined);
  return respond === undefined
    ? { reply: undefined, failure: "reset", ...facts }
    : { reply: await respond(site), ...facts };
}
