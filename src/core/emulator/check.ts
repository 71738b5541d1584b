import { type AnyCause, isCause } from "../schema/causes/causes.ts";
import type { Operation } from "../schema/protocol.ts";
import type { MalformedKind, MaybePromise } from "./message.ts";
import type { Profile } from "./profiles.ts";
import { assertDeclared, type DeclaredResponses, Refusal, refuse, responsesUnder } from "./response.ts";

/** The result of a check: the request passes, what it adds to the context, or why it is refused. */
type Verdict<Added> = true | AnyCause | Refusal | Added;

/**
 * A rule that requests must follow. It never throws for a bad request.
 *
 * @typeParam In - the part of the context that it reads; earlier checks must have added it.
 * @typeParam Added - what it adds to the context for the checks that follow.
 * @typeParam Name - the operations that it concerns.
 */
export interface Check<In, Added, Name extends Operation> {
  /** Appears in the journal as `refusedBy`. */
  readonly name: string;
  /** Default: every operation of its table. */
  readonly operations?: readonly Name[];
  /** Every response that it may refuse with. */
  readonly refusals: DeclaredResponses;
  /** Malformed requests of this kind get its refusal instead of their API's. Its test then sees the head only. */
  readonly answersMalformed?: MalformedKind;
  /** A cause refuses with the only declared response. */
  readonly test: (context: In) => MaybePromise<Verdict<Added>>;
}

/**
 * Defines a check.
 *
 * @example
 * export const widthPositive = check({
 *   name: "widthPositive",
 *   operations: ["addTarget", "updateTarget"],
 *   refusals: [fail],
 *   test: ({ body }: ApiContext) => isPositive(body.fields.width) || cause("width.wrong", { given: show(body.fields.width) }),
 * });
 */
export const check = <In extends object, Added extends object, Name extends Operation = Operation>(
  definition: Check<In, Added, Name>,
): Check<In, Added, Name> => definition;

/** A check with the type of its context erased. */
export interface AnyCheck {
  readonly name: string;
  readonly operations?: readonly Operation[];
  readonly refusals: DeclaredResponses;
  readonly answersMalformed?: MalformedKind;
  readonly test: (context: never) => MaybePromise<Verdict<object>>;
}

/** @typeParam Contexts - by operation: the context of a request that has passed all checks. */
export class CheckTable<Contexts> {
  private constructor(readonly checks: readonly AnyCheck[]) {}

  /** An empty table, for operations that start from the context `Start`. */
  static on<Start extends object, Name extends Operation>(): CheckTable<{ [Key in Name]: Start }> {
    return new CheckTable<{ [Key in Name]: Start }>([]);
  }

  /** Returns the table with another check. Earlier checks must add what it reads, for each of its operations. */
  and<In, Added extends object, Name extends Operation>(
    next: Check<In, Added, Name> &
      (Contexts[keyof Contexts & Name] extends In ? unknown : { needs: "an earlier check" }),
  ): CheckTable<{
    [Key in keyof Contexts]: Key extends Name ? Contexts[Key] & Added : Contexts[Key];
  }> {
    return new CheckTable([...this.checks, next]);
  }

  for(operation: Operation): readonly AnyCheck[] {
    return this.checks.filter(({ operations }) => operations === undefined || operations.includes(operation));
  }
}

export interface RefusedBy {
  readonly refusal: Refusal;
  readonly refusedBy: string;
}

/** Runs checks in order until one refuses. Throws an Error if a check's response is not declared: a defect of this package. */
export function runChecks(
  checks: readonly AnyCheck[],
  context: { readonly profile: Profile },
): MaybePromise<RefusedBy | undefined> {
  for (const [at, check] of checks.entries()) {
    // Most checks are synchronous; awaiting their results would cost time.
    const verdict = check.test(context as never);
    if (verdict instanceof Promise) {
      const others = checks.slice(at + 1);
      return verdict.then((later) => refusedBy(check, later, context) ?? runChecks(others, context));
    }
    const refused = refusedBy(check, verdict, context);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Adds the result of a check to the context, unless it refuses the request. */
function refusedBy(
  check: AnyCheck,
  verdict: Verdict<object>,
  context: { readonly profile: Profile },
): RefusedBy | undefined {
  if (verdict === true) return undefined;
  if (verdict instanceof Refusal || isCause(verdict)) {
    return { refusal: declaredRefusal(check, verdict, context.profile), refusedBy: check.name };
  }
  Object.assign(context, verdict);
  return undefined;
}

function declaredRefusal(
  { name, refusals }: AnyCheck,
  refusal: Refusal | AnyCause,
  profile: Profile,
): Refusal {
  const declared = responsesUnder(refusals, profile);
  if (refusal instanceof Refusal) {
    assertDeclared(`the check ${name}`, declared, refusal);
    return refusal;
  }
  const [only, ...others] = declared;
  if (only === undefined || others.length > 0) {
    throw new Error(
      `the check ${name} declares ${declared.length} responses; expected a refusal that names one of them`,
    );
  }
  return refuse<never>(only, refusal, undefined as never);
}
