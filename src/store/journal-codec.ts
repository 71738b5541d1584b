import * as z from "zod/mini";
import { factsOf, type Journal, type JournalEntry } from "../emulator/journal.ts";
import { isJsonObject } from "../emulator/json.ts";
import type { HeaderList } from "../emulator/message.ts";
import { RecordedBody } from "../emulator/recorded-body.ts";
import { RecordedRequest, RecordedResponse } from "../emulator/recorded-message.ts";
import { type EntryFacts, entryFields } from "../schema/journal-entry.ts";
import { keptRecord, record } from "../schema/kernel/record.ts";
import { anyText, flag, listOf, orNull, wholeNumber } from "../schema/kernel/values.ts";
import { decoded, fromLargeText, fromText, toText } from "./codec.ts";

/** A message without its body's bytes, which follow the text in the order of the messages. */
interface MessageRecord {
  readonly headers: HeaderList;
  readonly query: string;
  /** How many bytes follow; null: they were dropped. */
  readonly kept: number | null;
  readonly size: number;
  readonly holdsSecrets: boolean;
  readonly madeHere: boolean;
}
interface EntryRecord extends EntryFacts {
  readonly request: MessageRecord;
  readonly response?: MessageRecord | undefined;
}

const message = z.lazy(() =>
  record<MessageRecord>({
    headers: z.array(z.readonly(z.tuple([anyText, anyText]))),
    query: anyText,
    kept: orNull(wholeNumber),
    size: wholeNumber,
    holdsSecrets: flag,
    madeHere: flag,
  }),
);
const entry = z.lazy(() =>
  keptRecord<EntryRecord>({ ...entryFields, request: message, response: z.optional(message) }),
);
const journalPage = z.lazy(() =>
  record<{ readonly dropped: number; readonly entries: readonly EntryRecord[] }>({
    dropped: wholeNumber,
    entries: listOf(entry),
  }),
);

/** The shared journal, oldest entry first, and how many entries it dropped. */
export interface JournalPage {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** Packs a page: text, followed by the bodies' bytes. */
export function packJournal({ dropped, entries }: JournalPage): Buffer {
  const bodies: Buffer[] = [];
  const pack = ({ headerLines, body }: RecordedRequest | RecordedResponse, query = ""): MessageRecord => {
    const { bytes, size, origin } = body;
    if (bytes !== undefined) bodies.push(bytes);
    return {
      headers: headerLines,
      query,
      kept: bytes?.length ?? null,
      size,
      ...origin,
    };
  };
  const records = entries.map((entry) => ({
    ...factsOf(entry),
    request: pack(entry.request, entry.request.query),
    ...(entry.response && { response: pack(entry.response) }),
  }));
  return packWithBytes({ dropped, entries: records }, bodies);
}

/** @throws RangeError, SyntaxError or TypeError when the data is not a packed journal. */
export function unpackJournal(packed: Buffer): JournalPage {
  const { text, bytes } = unpackWithBytes(packed);
  return pageOf(fromText(text), bytes);
}

/** A server sends at most a tenth at a time. */
const MOST_ENTRIES = 1000;

/** Like {@link unpackJournal}, for data from outside. */
export async function unpackSentJournal(packed: Buffer): Promise<JournalPage> {
  const { text, bytes } = unpackWithBytes(packed);
  const value = await fromLargeText(text);
  if (isJsonObject(value) && Array.isArray(value.entries) && value.entries.length > MOST_ENTRIES)
    throw new RangeError(`expected at most ${MOST_ENTRIES} entries; got ${value.entries.length}`);
  return pageOf(value, bytes);
}

function pageOf(value: unknown, bodies: Buffer): JournalPage {
  const { dropped, entries } = decoded(journalPage, value, "journal");
  let at = 0;
  const unpack = ({ headers, query, kept, ...facts }: MessageRecord) => {
    const bytes = kept === null ? undefined : bodies.subarray(at, at + kept);
    at += kept ?? 0;
    if (at > bodies.length) throw new RangeError("expected a journal with the bytes of all its bodies");
    // Copied, because a slice would keep the whole page in memory.
    const body = new RecordedBody(bytes && Buffer.from(bytes), { ...facts, headers, isDecoded: true });
    return { headers, query, body };
  };
  return {
    dropped,
    entries: entries.map(({ time, request, response, ...entry }) => ({
      ...entry,
      time: new Date(time),
      request: new RecordedRequest(unpack(request)),
      ...(response && { response: new RecordedResponse(unpack(response)) }),
    })),
  };
}

/** Records requests to other servers as if they had arrived here: with numbers of this journal. */
export function recordEntries(journal: Journal, entries: readonly JournalEntry[]): void {
  for (const { number, time, api, operation, method, path, request, ...result } of entries)
    journal.open({ time, api, operation, method, path, request })(result);
}

const LENGTH_BYTES = 4;

/** Packs a value and raw bytes: length of the text, text, bytes. */
function packWithBytes(value: unknown, bytes: readonly Buffer[]): Buffer {
  const text = Buffer.from(toText(value));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...bytes]);
}

function unpackWithBytes(packed: Buffer): { readonly text: string; readonly bytes: Buffer } {
  const end = LENGTH_BYTES + packed.readUInt32BE(0);
  if (end > packed.length) throw new RangeError(`expected ${end} bytes or more; got ${packed.length}`);
  return { text: packed.toString("utf8", LENGTH_BYTES, end), bytes: packed.subarray(end) };
}
