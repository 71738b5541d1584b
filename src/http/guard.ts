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

/** Checks in their documented order; the first that fails ends the run. */
export class Checks<In, Out> {
  private constructor(
    /** The checks' names, in order. */
    readonly names: readonly string[],
    readonly run: (context: In) => Promise<Verdict<Out>>,
  ) {}

  static on<Context>(): Checks<Context, Context> {
    return new Checks<Context, Context>([], async (context) => ({ context }));
  }

  checking(...guards: readonly Guard<Out>[]): Checks<In, Out> {
    return new Checks([...this.names, ...guards.map(({ name }) => name)], async (start) => {
      const verdict = await this.run(start);
      if (verdict.refusal !== undefined) return verdict;
      for (const { name, check } of guards) {
        // Most checks answer at once: awaiting only promises keeps the run short.
        const answer = check(verdict.context);
        const refusal = answer instanceof Promise ? await answer : answer;
        if (refusal !== undefined) return { refusal, refusedBy: name };
      }
      return verdict;
    });
  }

  adding<Found extends object>({ name, enter }: Step<Out, Found>): Checks<In, Out & Found> {
    return new Checks([...this.names, name], async (start) => {
      const verdict = await this.run(start);
      if (verdict.refusal !== undefined) return verdict;
      const found = await enter(verdict.context);
      if (found instanceof Refusal) return { refusal: found, refusedBy: name };
      return { context: { ...verdict.context, ...found } };
    });
  }
}
