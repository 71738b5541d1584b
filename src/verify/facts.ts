import type { Fact } from "./fact.ts";
import { MODEL_TARGET_FACTS } from "./model-target-facts.ts";
import { QUERY_FACTS } from "./query-facts.ts";
import { TARGET_ANSWERS } from "./target-answers.ts";
import { TARGET_REFUSALS } from "./target-facts.ts";

/** Everything that this package claims about the APIs and that requests can show. */
export const FACTS: readonly Fact[] = [
  ...TARGET_ANSWERS,
  ...TARGET_REFUSALS,
  ...QUERY_FACTS,
  ...MODEL_TARGET_FACTS,
];
