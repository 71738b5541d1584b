import * as z from "zod/mini";
import { factsOf, type Journal, type JournalEntry } from "../core/emulator/journal.ts";
import { RecordedBody, RecordedRequest, RecordedResponse } from "../core/emulator/recorded-message.ts";
import { isJsonObject } from "../core/general/json.ts";
import { entryFields } from "../core/schema/journal-entry.ts";
import { record, storedRecord } from "../core/schema/zod/record.ts";
import { anyText, listOf, trueOrFalse, wholeNumber } from "../core/schema/zod/values.ts";
import { decoded } from "../core/store/codec.ts";
import { pack, unpack } from "./codec.ts";

/** A message without its body's bytes, which are beside the page in the order of the messages. */
const message = z.lazy(() =>
  record({
    headers: listOf(z.readonly(z.tuple([anyText, anyText]))),
    query: anyText,
    /** Whether its bytes were beside the page; otherwise, they were dropped before. */
    kept: trueOrFalse,
    size: wholeNumber,
    holdsSecrets: trueOrFalse,
    isEmulators: trueOrFalse,
  }),
);
type MessageRecord = z.output<typeof message>;
const journalPage = z.lazy(() =>
  record({
    sender: anyText,
    first: wholeNumber,
    dropped: wholeNumber,
    entries: listOf(storedRecord({ ...entryFields, request: message, response: z.optional(message) })),
  }),
);

/** Entries of one server's journal, oldest first. */
export interface JournalPage {
  /** Id of this server process. */
  readonly sender: string;
  /** The sender's number of the first entry: pages may arrive again, with more or fewer entries. */
  readonly first: number;
  /** How many entries the sender dropped before. */
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** Bytes of bodies that all servers keep together, the newest: those of 60 large requests would take 100 MB. */
export const MOST_SHARED_BODY_BYTES = 512 * 1024;

/** A packed page, and the bytes of its newest bodies, which may be dropped before it. */
export interface PackedJournal {
  readonly page: Buffer;
  /** Undefined if there are none, or they were dropped. */
  readonly bodies?: Buffer | undefined;
}

export function packJournal({ entries, ...facts }: JournalPage): PackedJournal {
  const shared = sharedBodies(entries);
  const bodies: Buffer[] = [];
  const recordOf = ({ headerLines, body }: RecordedRequest | RecordedResponse, query = ""): MessageRecord => {
    const bytes = shared.get(body);
    if (bytes !== undefined) bodies.push(bytes);
    return { headers: headerLines, query, kept: bytes !== undefined, size: body.size, ...body.origin };
  };
  const records = entries.map((entry) => ({
    ...factsOf(entry),
    request: recordOf(entry.request, entry.request.query),
    ...(entry.response && { response: recordOf(entry.response) }),
  }));
  return {
    page: pack([{ ...facts, entries: records }]),
    bodies: bodies.length === 0 ? undefined : pack(bodies),
  };
}

/** The newest bodies that fit. */
function sharedBodies(entries: readonly JournalEntry[]): ReadonlyMap<RecordedBody, Buffer> {
  const shared = new Map<RecordedBody, Buffer>();
  let left = MOST_SHARED_BODY_BYTES;
  for (const { request, response } of [...entries].reverse())
    for (const body of [response?.body, request.body]) {
      const bytes = body?.bytes;
      if (body === undefined || bytes === undefined || bytes.length > left) continue;
      left -= bytes.length;
      shared.set(body, bytes);
    }
  return shared;
}

const MOST_ENTRIES = 1000;

/** @throws RangeError, SyntaxError or TypeError when the data is not a packed journal. */
export async function unpackJournal(packed: PackedJournal): Promise<JournalPage> {
  const partsOf = async (bytes: Buffer): Promise<unknown[]> => {
    const parts = await unpack(bytes);
    return Array.isArray(parts) ? parts : [];
  };
  const [value] = await partsOf(packed.page);
  const bodies = packed.bodies && (await partsOf(packed.bodies));
  if (isJsonObject(value) && Array.isArray(value.entries) && value.entries.length > MOST_ENTRIES)
    throw new RangeError(`expected at most ${MOST_ENTRIES} entries; got ${value.entries.length}`);
  const { entries, ...page } = decoded(journalPage, value, "journal");
  const messageIn = ({ headers, query, kept, ...facts }: MessageRecord) => {
    const bytes = kept ? bodies?.shift() : undefined;
    if (kept && bodies !== undefined && !Buffer.isBuffer(bytes))
      throw new RangeError("expected the bytes of all bodies of the journal");
    // A slice would keep all bodies in memory.
    const copy = Buffer.isBuffer(bytes) ? Buffer.from(bytes) : undefined;
    return { headers, query, body: new RecordedBody(copy, { ...facts, headers, isDecoded: true }) };
  };
  return {
    ...page,
    entries: entries.map(({ time, request, response, ...entry }) => ({
      ...entry,
      time: new Date(time),
      request: new RecordedRequest(messageIn(request)),
      ...(response && { response: new RecordedResponse(messageIn(response)) }),
    })),
  };
}

const MOST_SENDERS = 1000;

/** Records requests to other servers, each once, with numbers of this journal. */
export class JournalReceiver {
  /** Number of each sender's latest entry; senders are in order of their latest page. */
  private readonly latest = new Map<string, number>();

  constructor(private readonly journal: Journal) {}

  /** @param isCurrent - false if the journal was cleared since: records nothing. */
  receive({ sender, first, dropped, entries }: JournalPage, isCurrent = true): void {
    const latest = this.latest.get(sender);
    this.latest.delete(sender);
    this.latest.set(sender, Math.max(latest ?? 0, first + entries.length - 1));
    for (const oldest of this.latest.keys()) {
      if (this.latest.size <= MOST_SENDERS) break;
      this.latest.delete(oldest);
    }
    if (!isCurrent) return;
    const known = latest === undefined ? 0 : latest + 1 - first;
    this.journal.countLost(latest === undefined ? dropped : Math.max(0, -known));
    for (const { number, time, api, operation, method, path, request, ...result } of entries.slice(
      Math.max(0, known),
    ))
      this.journal.open({ time, api, operation, method, path, request })(result);
  }
}
