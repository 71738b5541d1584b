import { type ProfileName, profiles } from "../emulator/profiles.ts";
import type { Send } from "./client.ts";
import { DATASET_FACTS } from "./dataset-facts.ts";
import type { RunClock } from "./exchanges.ts";
import { API_KEYS, type Fact, type FactApi, type Keys, type Situation, variableOf } from "./fact.ts";
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

/** A service to verify, and how. */
export interface Verified {
  readonly urls: {
    readonly target: string;
    readonly query: string;
    readonly modelTarget: string;
    /** A target manager like this package's: states, quotas and limits can then be tried. */
    readonly manager?: string | undefined;
  };
  readonly keys: Keys;
  readonly profile: ProfileName;
  /** Also sends requests that add and delete. */
  readonly write: boolean;
  /** Also spends trainings, and sends more than the documented rates; with a target manager that costs nothing. */
  readonly spend?: boolean;
  readonly send: Send;
  readonly clock: RunClock;
  /** How long a target may be processed. */
  readonly waitSeconds: number;
  /** What everything begins with that is added. */
  readonly prefix: string;
  /** Aborts when the run is stopped; then only its additions are removed. */
  readonly stopped: AbortSignal;
  /** Aborts when that has no more time either. */
  readonly closed: AbortSignal;
}

export const hasKeys = (keys: Keys, of: FactApi | "user"): boolean =>
  API_KEYS[of].every((name) => keys[name] !== undefined && keys[name] !== "");

const noKeys = (of: FactApi | "user"): string => `no keys: set ${API_KEYS[of].map(variableOf).join(" and ")}`;

/** Why a fact cannot be tried at a service, if that is known without asking it. */
export function whyNot(
  fact: Fact,
  { urls, keys, write, spend }: Pick<Verified, "urls" | "keys" | "write" | "spend">,
): string | undefined {
  const hasManager = urls.manager !== undefined;
  const needsManager = (fact.database !== undefined && fact.isUsual !== true) || fact.template !== undefined;
  if ((fact.needs !== "reading" || fact.database !== undefined) && !write) return "needs --write";
  if (needsManager && !hasManager)
    return `needs a ${fact.template === undefined ? "database in another state" : "VuMark database"}: --manager-url`;
  if (fact.needs === "spending" && spend !== true && !hasManager)
    return "needs --spend: costs a training, or exceeds the documented rates";
  if (fact.overTls === true && !urls.target.startsWith("https:")) return "needs an https URL";
  if (fact.keys !== undefined && !hasKeys(keys, fact.keys)) return noKeys(fact.keys);
  return hasKeys(keys, fact.api) || (hasManager && write) ? undefined : noKeys(fact.api);
}

export const TOKEN = "‹token›";

/** A situation in which nothing was prepared, to show what would be sent. */
export const placeholder = (
  verified: Pick<Verified, "profile" | "keys" | "prefix">,
  now: Date,
): Situation => ({
  profile: profiles[verified.profile],
  now,
  keys: { databaseId: "‹database id›", ...verified.keys },
  targetId: "‹target id›",
  targetName: `${verified.prefix}existing`,
  named: (name) => verified.prefix + name,
  newName: `${verified.prefix}new`,
  token: TOKEN,
  given: (name) => `‹${name}›`,
});
