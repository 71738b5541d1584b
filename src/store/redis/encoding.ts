import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import type { Database } from "../../schema/database.ts";
import { clockSetting, decoded, fromText, type StoredChange, storedChange, toText } from "../codec.ts";
import type { DatabaseRecords } from "../state.ts";
import { uniqueValues } from "../unique-fields.ts";

/* The arguments and replies of the script, which are flat lists of text. */

/** How many pairs follow, and the pairs. */
export const counted = (pairs: readonly (readonly string[])[]): readonly string[] => [
  String(pairs.length),
  ...pairs.flat(),
];

export const uniquePairs = (database: Database): readonly string[] =>
  counted(uniqueValues(database).map(({ conflict, value }) => [conflict, JSON.stringify(value)]));

export const recordPairs = (changes: readonly StoredChange[]): readonly string[] =>
  counted(
    changes.map(({ kind, key, record }) => [
      `${kind} ${JSON.stringify(key)}`,
      record === null ? "" : toText(record),
    ]),
  );

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const pairsOf = (flat: unknown): readonly (readonly [string, string])[] =>
  listOf(flat).flatMap((place, index, all) =>
    index % 2 === 0 ? [[String(place), String(all[index + 1])] as const] : [],
  );

export const changesIn = (flat: unknown): readonly StoredChange[] =>
  pairsOf(flat).map(([place, text]) => {
    const space = place.indexOf(" ");
    const value = {
      kind: place.slice(0, space),
      key: fromText(place.slice(space + 1)),
      record: text === "" ? null : fromText(text),
    };
    return decoded(storedChange, value, "record");
  });

/** When requests were accepted under a limit. */
export function acceptedIn(reply: unknown): DatabaseRecords["accepted"][number] {
  const [limit, moments] = listOf(reply);
  return { limit: String(limit), moments: pairsOf(moments).map(([, moment]) => Number(moment)) };
}

export function clockIn(text: unknown): ClockSetting {
  return typeof text === "string" ? decoded(clockSetting, JSON.parse(text), "clock") : UNMOVED;
}
