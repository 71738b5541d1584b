import type { Situation } from "./fact.ts";
import type { Verified } from "./verified.ts";

export const TOKEN = "‹token›";

/** A situation in which nothing was prepared. */
export const placeholder = (
  verified: Pick<Verified, "profile" | "keys" | "prefix">,
  now: Date,
): Situation => ({
  profile: verified.profile,
  now,
  keys: { databaseId: "‹database id›", ...verified.keys },
  targetId: "‹target id›",
  targetName: `${verified.prefix}existing`,
  named: (name) => verified.prefix + name,
  newName: `${verified.prefix}new`,
  token: TOKEN,
  given: (name) => `‹${name}›`,
});
