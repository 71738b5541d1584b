import type { MaybePromise } from "./message.ts";
import type { Operation } from "./operation-names.ts";
import type { Profile } from "./profiles.ts";
import { assertDeclared, type DeclaredResponses, Refusal, refuse, responsesUnder } from "./response.ts";

/** What a check says: the request passes, what was found in it, or why it is refused. */
type Verdict<Found> = true | string | Refusal | Found;

/**
 * One rule that requests must follow, at its place in a table. It returns, and never throws for a bad request.
 *
 * @typeParam In - what of the context it reads; checks before it must have found that.
 * @typeParam Found - what it adds to the context of all that follows.
 * @typeParam Name - the operations that it concerns.
 */
export interface Check<In, Found, Name extends Operation> {
  /** As the journal's `refusedBy` has it. */
  readonly name: string;
  /** Default: every operation of its table. */
  readonly concerns?: readonly Name[];
  /** Every response that it may refuse with. */
  readonly refusals: DeclaredResponses;
  /** A text alone refuses with the only declared response, for that reason. */
  readonly test: (context: In) => MaybePromise<Verdict<Found>>;
}

/**
 * Defines a check.
 *
 * @example
 * export const widthPositive = check({
 *   name: "widthPositive",
 *   concerns: ["addTarget", "updateTarget"],
 *   refusals: [fail],
 *   test: ({ body }: ApiContext) => isPositive(body.fields.width) || "width must be a number above 0",
 * });
 */
export const check = <In extends object, Found extends object, Name extends Operation = Operation>(
  definition: Check<In, Found, Name>,
): Check<In, Found, Name> => definition;

/** A check with the type of its context erased. */
export interface AnyCheck {
  readonly name: string;
  readonly concerns?: readonly Operation[];
  readonly refusals: DeclaredResponses;
  readonly test: (context: never) => MaybePromise<Verdict<object>>;
}

/**
 * Checks in their documented order.
 *
 * @typeParam Contexts - by operation: what is known of a request that has passed all of them.
 */
export class CheckTable<Contexts> {
  private constructor(readonly rows: readonly AnyCheck[]) {}

  /** A table without rows, for operations that start from a context. */
  static on<Start extends object, Name extends Operation>(): CheckTable<{ [Key in Name]: Start }> {
    return new CheckTable<{ [Key in Name]: Start }>([]);
  }

  /** The table with one row more. What it needs must have been found for every operation that it concerns. */
  row<In, Found extends object, Name extends Operation>(
    next: Check<In, Found, Name> &
      (Contexts[keyof Contexts & Name] extends In ? unknown : { needs: "an earlier row" }),
  ): CheckTable<{
    [Key in keyof Contexts]: Key extends Name ? Contexts[Key] & Found : Contexts[Key];
  }> {
    return new CheckTable([...this.rows, next]);
  }

  /** The rows that concern an operation. */
  for(operation: Operation): readonly AnyCheck[] {
    return this.rows.filter(({ concerns }) => concerns === undefined || concerns.includes(operation));
  }
}

/**
 * Runs checks on a context, to which what they find is added; ends with the first that refuses.
 *
 * @throws Error when a check answers with a response that it does not declare: a defect of this package.
 */
export async function runChecks(
  checks: readonly AnyCheck[],
  context: { readonly profile: Profile },
): Promise<{ readonly refusal: Refusal; readonly refusedBy: string } | undefined> {
  for (const check of checks) {
    // Most checks answer at once: awaiting only promises keeps the run short.
    const verdict = check.test(context as never);
    const found = verdict instanceof Promise ? await verdict : verdict;
    if (found === true) continue;
    if (typeof found === "string" || found instanceof Refusal) {
      return { refusal: declaredRefusal(check, found, context.profile), refusedBy: check.name };
    }
    Object.assign(context, found);
  }
  return undefined;
}

function declaredRefusal({ name, refusals }: AnyCheck, refusal: Refusal | string, profile: Profile): Refusal {
  const declared = responsesUnder(refusals, profile);
  if (refusal instanceof Refusal) {
    assertDeclared(`the check ${name}`, declared, refusal);
    return refusal;
  }
  const [only, ...others] = declared;
  if (only === undefined || others.length > 0) {
    throw new Error(
      `the check ${name} declares ${declared.length} responses, and does not say which it means`,
    );
  }
  return refuse<never>(only, refusal, undefined as never);
}
