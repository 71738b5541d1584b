import { type ProfileName, profiles } from "../emulator/profiles.ts";
import type { Send } from "./client.ts";
import type { RunClock } from "./exchanges.ts";
import type { Fact, FactApi, Keys, Situation } from "./fact.ts";

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

export const API_KEYS: Readonly<
  Record<FactApi | "user", { readonly names: readonly (keyof Keys)[]; readonly hint: string }>
> = {
  target: {
    names: ["serverAccessKey", "serverSecretKey"],
    hint: "set SERVER_ACCESS_KEY and SERVER_SECRET_KEY",
  },
  query: {
    names: ["clientAccessKey", "clientSecretKey"],
    hint: "set CLIENT_ACCESS_KEY and CLIENT_SECRET_KEY",
  },
  "model-target": {
    names: ["modelTargetClientId", "modelTargetClientSecret"],
    hint: "set MODEL_TARGET_CLIENT_ID and MODEL_TARGET_CLIENT_SECRET",
  },
  user: {
    names: ["modelTargetUsername", "modelTargetPassword"],
    hint: "set MODEL_TARGET_USERNAME and MODEL_TARGET_PASSWORD",
  },
};

export const hasKeys = (keys: Keys, of: FactApi | "user"): boolean =>
  API_KEYS[of].names.every((name) => keys[name] !== undefined && keys[name] !== "");

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
  if (fact.keys !== undefined && !hasKeys(keys, fact.keys)) return `no keys: ${API_KEYS[fact.keys].hint}`;
  return hasKeys(keys, fact.api) || (hasManager && write) ? undefined : `no keys: ${API_KEYS[fact.api].hint}`;
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
