import { API_KEYS, type Fact, type FactApi, type Keys, variableOf } from "./fact.ts";
import type { Verified } from "./verified.ts";

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
