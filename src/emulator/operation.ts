import type { Operation } from "../schema/operation-names.ts";
import { type AnyCheck, type CheckTable, runChecks } from "./check.ts";
import type { ApiResponse, BodyKeys, Context, OperationContext } from "./context.ts";
import type { MaybePromise } from "./message.ts";
import type { Profile } from "./profiles.ts";
import {
  assertDeclared,
  type BodySchema,
  type DeclaredResponses,
  type JsonSchema,
  type PreparedResponse,
  Refusal,
  responsesUnder,
} from "./response.ts";
import { type PathParams, pathMatcher } from "./router.ts";

/** The request body that an operation expects. */
export interface DeclaredBody {
  readonly contentType: string;
  readonly schema: BodySchema | ((profile: Profile) => JsonSchema);
  /** The keys that a JSON object may have. */
  readonly keys?: BodyKeys;
}

/** How requests to an operation authenticate. */
export type SecurityScheme = "serverKeys" | "clientKeys" | "oauthClient" | "bearer";

/** The properties of an operation besides its checks and handler. */
interface OperationFacts {
  readonly method: string;
  /** With parameters: `/targets/{id}`, `/reports/{file:[^/]+\.csv}`. */
  readonly path: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** Absent: no authentication. */
  readonly security?: SecurityScheme;
  readonly body?: DeclaredBody;
  /** Query parameters, by name. */
  readonly query?: (profile: Profile) => Readonly<Record<string, JsonSchema>>;
  /** Every response of the handler, refusals included. */
  readonly responses: DeclaredResponses;
}

/** One operation of one API. */
export interface ApiOperation<Services = never> extends OperationFacts {
  readonly name: Operation;
  /** The checks of its table that concern it, in order. */
  readonly checks: readonly AnyCheck[];
  readonly match: (path: string) => PathParams | undefined;
  readonly answer: (context: OperationContext<Services>) => Promise<OperationResult>;
}

/** A response; if the request was refused, also by which check and why. */
export interface OperationResult {
  readonly response: ApiResponse;
  readonly refusedBy?: string;
  readonly reason?: string;
}

/**
 * Defines an operation. Selects the checks of the table that concern it, once.
 *
 * @param handle - runs when every check has passed; may still refuse (a conflict that only the store can see).
 */
export function operation<
  Services,
  Contexts extends { readonly [Key in keyof Contexts]: OperationContext<Services> },
  Name extends Operation & keyof Contexts,
>({
  name,
  checks: table,
  handle,
  ...facts
}: OperationFacts & {
  readonly name: Name;
  readonly checks: CheckTable<Contexts>;
  readonly handle: (context: Contexts[Name]) => MaybePromise<PreparedResponse>;
}): ApiOperation<Services> {
  const checks = table.for(name);
  return {
    name,
    ...facts,
    checks,
    match: pathMatcher(facts.path),
    answer: async (context) => {
      // Promises are awaited only where there are some: each wait takes as long as a check.
      const checking = runChecks(checks, context);
      const refused = checking instanceof Promise ? await checking : checking;
      if (refused !== undefined) return refusalResult(context, refused.refusal, refused.refusedBy);
      const handling = handle(context as never);
      const handled = handling instanceof Promise ? await handling : handling;
      assertDeclared(`the operation ${name}`, responsesUnder(facts.responses, context.profile), handled);
      return handled instanceof Refusal
        ? refusalResult(context, handled, name)
        : { response: handled.respond(context) };
    },
  };
}

const refusalResult = (context: Context, refusal: Refusal, refusedBy: string): OperationResult => ({
  response: refusal.respond(context),
  ...(!refusal.isNotYet && { refusedBy }),
  reason: refusal.reason,
});
