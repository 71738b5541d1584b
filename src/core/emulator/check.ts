import type { AnyCause } from "../schema/causes/causes.ts";
import type { Operation } from "../schema/protocol.ts";
import type { MalformedKind } from "./message.ts";
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
export type Check<In, Added, Name extends Operation> = CheckFacts<Name> & CheckTest<In, Added>;

interface CheckFacts<Name> {
  /** Appears in the journal as `refusedBy`. */
  readonly name: string;
  /** Default: every operation of its table. */
  readonly operations?: readonly Name[];
  /** Every response that it may refuse with. */
  readonly refusals: DeclaredResponses;
  /** Malformed requests of this kind get its refusal instead of their API's. Its test then sees the head only. */
  readonly answersMalformed?: MalformedKind;
}

/** A cause refuses with the only declared response. */
type CheckTest<In, Added> =
  | { readonly test: (context: In) => Verdict<Added>; readonly testLater?: undefined }
  /** For a check that waits: for the store, an image or an explanation. The others are not awaited, which saves time. */
  | { readonly test?: undefined; readonly testLater: (context: In) => Promise<Verdict<Added>> };

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
export const check = <In extends object, Added extends NoPromise, Name extends Operation = Operation>(
  definition: Check<In, Added, Name>,
): Check<In, Added, Name> => definition;

/** Such a check has to declare that it waits. */
type NoPromise = object & { readonly then?: never };

/** A check with the type of its context erased. */
export type AnyCheck = CheckFacts<Operation> & CheckTest<never, object>;

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
export async function runChecks(
  checks: readonly AnyCheck[],
  context: { readonly profile: Profile },
): Promise<RefusedBy | undefined> {
  for (const check of checks) {
    const verdict =
      check.test === undefined ? await check.testLater(context as never) : check.test(context as never);
    const refused = refusedBy(check, verdict, context);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Whether a verdict is a cause, rather than what the check adds to the context. */
const isCause = (verdict: object): verdict is AnyCause => "code" in verdict && "kind" in verdict;

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
