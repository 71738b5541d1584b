import { ASSUMPTION_FACTS } from "./assumption-facts.ts";
import { CREDENTIAL_FACTS } from "./credential-facts.ts";
import { DATASET_FACTS } from "./dataset-facts.ts";
import type { Fact } from "./fact.ts";
import { OAUTH_FACTS } from "./oauth-facts.ts";
import { QUERY_FACTS } from "./query-facts.ts";
import { REPORT_FACTS } from "./report-facts.ts";
import { TARGET_ANSWERS } from "./target-answers.ts";
import { TARGET_REFUSALS } from "./target-facts.ts";
import { UNSERVED_FACTS } from "./unserved-facts.ts";
import { VUMARK_FACTS } from "./vumark-facts.ts";

/** Everything that this package claims about the APIs and that requests can show. */
export const FACTS: readonly Fact[] = [
  ...TARGET_ANSWERS,
  ...UNSERVED_FACTS,
  ...VUMARK_FACTS,
  ...REPORT_FACTS,
  ...TARGET_REFUSALS,
  ...QUERY_FACTS,
  ...OAUTH_FACTS,
  ...CREDENTIAL_FACTS,
  ...DATASET_FACTS,
  ...ASSUMPTION_FACTS,
];
