import type { Awaitable } from "../runtime/awaitable.ts";
import type { Respond } from "./exchange.ts";

/** A request refused: the response, and one plain sentence that says what to change (without any secret in it). */
export class Refusal {
  constructor(
    readonly respond: Respond,
    readonly reason: string,
  ) {}
}

export const refuse = (respond: Respond, reason: string): Refusal => new Refusal(respond, reason);

/** One check: refuses, or lets the request pass. Never throws for a bad request. */
export interface Guard<Context> {
  readonly name: string;
  check(context: Context): Awaitable<Refusal | undefined>;
}

/** A check that, when it passes, adds what it found out to the context of all that follows. */
export interface Step<Context, Found> {
  readonly name: string;
  enter(context: Context): Awaitable<Refusal | Found>;
}

export const guard = <Context>(name: string, check: Guard<Context>["check"]): Guard<Context> => ({
  name,
  check,
});

export const step = <Context, Found>(
  name: string,
  enter: Step<Context, Found>["enter"],
): Step<Context, Found> => ({ name, enter });

/** How a run of checks ended: refused by one of them, or passed with a richer context. */
export type Verdict<Context> =
  | { readonly refusal: Refusal; readonly refusedBy: string }
  | { readonly refusal?: undefined; readonly context: Context };

/** A check or a step, with the type of its context erased. */
interface AnyCheck {
  readonly name: string;
  readonly run: (context: never) => Awaitable<Refusal | object | undefined>;
}

/** Checks in their documented order; the first that fails ends the run. */
export class Checks<In extends object, Out extends In> {
  private constructor(private readonly all: readonly AnyCheck[]) {}

  static on<Context extends object>(): Checks<Context, Context> {
    return new Checks<Context, Context>([]);
  }

  /** The checks' names, in order. */
  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  checking(...guards: readonly Guard<Out>[]): Checks<In, Out> {
    return new Checks([...this.all, ...guards.map(({ name, check }) => ({ name, run: check }))]);
  }

  adding<Found extends object>({ name, enter }: Step<Out, Found>): Checks<In, Out & Found> {
    return new Checks([...this.all, { name, run: enter }]);
  }

  /** Runs on `start` itself, which it takes over: what the steps find is added to it. */
  async run(start: In): Promise<Verdict<Out>> {
    // What is added is what the types of `checking` and `adding` say it is, one check after the other.
    const context = start as Out;
    for (const { name, run } of this.all) {
      // Most checks answer at once: awaiting only promises keeps the run short.
      const answer = run(context as never);
      const found = answer instanceof Promise ? await answer : answer;
      if (found instanceof Refusal) return { refusal: found, refusedBy: name };
      if (found !== undefined) Object.assign(context, found);
    }
    return { context };
  }
}
