import { expect, type TestContext } from "vitest";
import { sides } from "./engine/differences.ts";
import type { Fact } from "./engine/fact.ts";
import { redactor } from "./engine/redact.ts";
import type { Outcome, Run } from "./engine/run.ts";

/** The name of a fact's test. */
export const titleOf = ({ id, sentence }: Fact): string => `${id}: ${sentence}`;

/** Tries a fact: skips it where it cannot be tried, and fails where it does not hold. Shows no secret. */
export async function holds(
  fact: Fact,
  run: Run,
  { skip }: Pick<TestContext, "skip">,
  note: (outcome: Outcome) => void = () => {},
): Promise<void> {
  const why = run.whyNot(fact);
  if (why !== undefined) skip(why);
  const outcome = await run.try(fact);
  note(outcome);
  if (outcome.result === "holds") return;
  if (run.isStopped) skip("stopped before");
  const hide = redactor(run.secrets);
  const { by, how } = fact.known;
  if (outcome.result === "notTried") return expect.fail(hide(`not tried: ${outcome.why}`));
  const lines = outcome.differences.map((one) => {
    const [expected, got] = sides(one);
    return `${one.what}\n  expected ${expected}\n  got      ${got}`;
  });
  expect.fail(hide([`${fact.sentence} (${by}: ${how})`, ...lines].join("\n")));
}
