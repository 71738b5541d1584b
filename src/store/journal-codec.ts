import type { ConsideredTarget, JournalEntry } from "../runtime/journal.ts";
import { isOperation, SERVICES } from "../runtime/operation.ts";
import { decoded, fromText, toText } from "./codec.ts";
import {
  exactly,
  type Guard,
  isBoolean,
  isNumber,
  isText,
  listOf,
  objectOf,
  partOf,
} from "./record-guards.ts";

/** An entry that another server sends; the journal that keeps it numbers it. */
export type SentEntry = Omit<JournalEntry, "number">;
type EntryRecord = Omit<SentEntry, "time"> & { readonly time: number };

const isConsidered: Guard<ConsideredTarget> = objectOf({
  targetId: isText,
  name: isText,
  matched: isBoolean,
  why: isText,
});
const hasRequest = objectOf({
  time: isNumber,
  api: exactly(...SERVICES),
  method: isText,
  path: isText,
  durationMs: isNumber,
});
const hasAnswer = partOf({
  operation: isOperation,
  status: isNumber,
  resultCode: isText,
  refusedBy: isText,
  fault: isText,
  reason: isText,
  database: isText,
  considered: listOf(isConsidered),
});
const isEntry: Guard<EntryRecord> = (value): value is EntryRecord => hasRequest(value) && hasAnswer(value);
const isPage = objectOf({ dropped: isNumber, entries: listOf(isEntry) });

/** The journal of all servers, oldest first, and how many entries it dropped. */
export interface JournalPage {
  readonly dropped: number;
  readonly entries: readonly SentEntry[];
}

export function packJournal({ dropped, entries }: JournalPage): Buffer {
  const records = entries.map(({ time, ...entry }) => ({
    ...entry,
    time: time.getTime(),
    number: undefined,
  }));
  return Buffer.from(toText({ dropped, entries: records }));
}

/** @throws SyntaxError or TypeError when it is no journal. */
export function unpackJournal(bytes: Buffer): JournalPage {
  const { dropped, entries } = decoded(isPage, fromText(bytes.toString()), "a journal");
  return { dropped, entries: entries.map((entry) => ({ ...entry, time: new Date(entry.time) })) };
}
