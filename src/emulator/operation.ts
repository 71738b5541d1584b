import type { Operation } from "../schema/operation-names.ts";
import type { AnyCheck, CheckTable } from "./check.ts";
import type { BodyKeys, OperationContext } from "./context.ts";
import type { MaybePromise } from "./message.ts";
import type { Profile } from "./profiles.ts";
import type { BodySchema, DeclaredResponses, JsonSchema, PreparedResponse } from "./response.ts";
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
  /** Runs when every check has passed; may still refuse (a conflict that only the store can see). */
  handle(context: OperationContext<Services>): MaybePromise<PreparedResponse>;
}

/** Defines an operation. Selects the checks of the table that concern it, once. */
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
  return { name, ...facts, checks: table.for(name), match: pathMatcher(facts.path), handle };
}
