import type { Awaitable } from "../runtime/awaitable.ts";
import type { Operation } from "../runtime/operation.ts";
import type { Exchange, Reply } from "./exchange.ts";
import { type Checks, Refusal } from "./guard.ts";
import type { ConnectionError } from "./outcome.ts";
import type { RequestBody } from "./request-body.ts";
import { type PathParams, pathMatcher } from "./route.ts";

/** What an endpoint's checks start from: the request, what it asked for, and the emulator's parts. */
export interface Call<Services = unknown> extends Exchange {
  readonly operation: Operation;
  readonly params: PathParams;
  readonly services: Services;
  readonly body: RequestBody;
}

/** A reply, and who refused the request and why, if it was refused. */
export interface Answer {
  readonly reply: Reply;
  readonly refusedBy?: string;
  readonly reason?: string;
}

/** No response: the client's connection fails with the reason. */
export interface NoAnswer {
  readonly reply: undefined;
  readonly failure: ConnectionError["kind"];
  readonly refusedBy?: string;
  readonly reason: string;
}

/** One operation of one API: its route, its checks in order, its handler. */
export interface Endpoint<Services> {
  readonly operation: Operation;
  readonly method: string;
  readonly pattern: string;
  /** Names of the checks that a request has to pass, in order. */
  readonly checks: readonly string[];
  readonly match: (path: string) => PathParams | undefined;
  readonly answer: (call: Call<Services>) => Promise<Answer>;
}

/**
 * Defines an operation.
 *
 * @param handle - runs when every check has passed; may still refuse (a conflict that only the store can see).
 */
export function endpoint<Services, Context extends Call<Services>>(
  operation: Operation,
  method: string,
  pattern: string,
  checks: Checks<Call<Services>, Context>,
  handle: (context: Context) => Awaitable<Reply | Refusal>,
): Endpoint<Services> {
  return {
    operation,
    method,
    pattern,
    checks: checks.names,
    match: pathMatcher(pattern),
    answer: async (call) => {
      const verdict = await checks.run(call);
      if (verdict.refusal !== undefined) return refused(call, verdict.refusal, verdict.refusedBy);
      const reply = await handle(verdict.context);
      return reply instanceof Refusal ? refused(call, reply, operation) : { reply };
    },
  };
}

const refused = (call: Exchange, { respond, reason }: Refusal, refusedBy: string): Answer => ({
  reply: respond(call),
  refusedBy,
  reason,
});
