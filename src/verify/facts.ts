import { DATASET_FACTS } from "./dataset-facts.ts";
import type { Fact } from "./fact.ts";
import { OAUTH_FACTS } from "./oauth-facts.ts";
import { QUERY_FACTS } from "./query-facts.ts";
import { TARGET_ANSWERS } from "./target-answers.ts";
import { TARGET_REFUSALS } from "./target-refusals.ts";
import { TEMPLATE_AND_REPORT_FACTS } from "./template-facts.ts";

/** Everything that this package claims about the APIs and that requests can show. */
export const FACTS: readonly Fact[] = [
  ...TARGET_ANSWERS,
  ...TEMPLATE_AND_REPORT_FACTS,
  ...TARGET_REFUSALS,
  ...QUERY_FACTS,
  ...OAUTH_FACTS,
  ...DATASET_FACTS,
];
