import * as z from "zod/mini";
import type { JournalEntry } from "../core/emulator/journal.ts";
import type { HeaderList, MalformedKind, Result, WireRequest } from "../core/emulator/message.ts";
import { entryFields, type ShortFacts, withoutLongFields } from "../core/schema/journal-entry.ts";
import { record, storedRecord } from "../core/schema/zod/record.ts";
import { anyText, deferred, listOf, oneOf, trueOrFalse, wholeNumber } from "../core/schema/zod/values.ts";
import { decoded } from "../core/store/codec.ts";
import { API_SERVERS } from "../options/option.ts";

/*
 * Messages between an API server and the target manager. Both have the length of a JSON text in four bytes, the text, and the bytes
 * of the client's request or response.
 */

export const FORWARD_PATH = "/internal/forwarded";
/** Its query for requests that are refused already. */
export const REFUSED = "refused";

/**
 * Identifies a server to another: role and instance, such as `query 3f2a…`. API servers refuse requests with it: otherwise one whose
 * manager is an API server would forward in a circle.
 */
export const SERVER_HEADER = "Mock-Cloud-Reco-Server";

export const OVERLOADED = 503;

/** The servers of the emulated service, in front of the emulator that the target manager has. */
export type ApiServerRole = (typeof API_SERVERS)[number];

/** A client's request, as an API server has read it. */
export interface ForwardedRequest {
  readonly role: ApiServerRole;
  readonly request: WireRequest;
  /** Why it could not be read. */
  readonly malformed?: MalformedKind | undefined;
}

export type LoggedFacts = Omit<ShortFacts, "number" | "api">;

export function loggedOf(entry: JournalEntry): LoggedFacts {
  const { number, api, request, response, ...logged } = withoutLongFields(entry);
  return { ...logged, time: entry.time.getTime() };
}

export interface ForwardedResponse {
  readonly result: Result;
  /** Undefined when nothing was recorded. */
  readonly logged: LoggedFacts | undefined;
}

const headers: z.ZodMiniType<HeaderList> = z.lazy(() => listOf(z.readonly(z.tuple([anyText, anyText]))));
const MALFORMED = [
  "contentLength",
  "headersTooLarge",
  "malformed",
  "unended",
  "bodyTooLarge",
  "overloaded",
] as const;

/** The manager keeps the settings of its API servers. */
const LONGEST_SETTINGS = 2 ** 16;
const settingsText = deferred(`text of at most ${LONGEST_SETTINGS} characters`, () =>
  z.string().check(z.maxLength(LONGEST_SETTINGS)),
);

/** Bytes of a question's JSON text: the settings, and the client's request line and headers, whose bytes may be escaped. */
export const LONGEST_QUESTION_HEAD = 2 ** 21;

const question = z.lazy(() =>
  record({
    settings: settingsText,
    role: oneOf(...API_SERVERS),
    method: anyText,
    path: anyText,
    query: anyText,
    headers,
    isCutOff: z.optional(trueOrFalse),
    leftOverOf: z.optional(anyText),
    malformed: z.optional(oneOf(...MALFORMED)),
  }),
);

const { number, api, ...loggedFields } = withoutLongFields(entryFields);
const answer = z.lazy(() =>
  record({
    status: z.optional(wholeNumber),
    headers: z.optional(headers),
    connectionError: z.optional(
      record<{ kind: "refused" | "reset"; message: string }>({
        kind: oneOf("refused", "reset"),
        message: anyText,
      }),
    ),
    logged: z.optional(storedRecord<LoggedFacts>(loggedFields)),
  }),
);

const LENGTH_BYTES = 4;
const NO_BYTES = Buffer.alloc(0);

function framed(facts: object, body: Buffer): readonly [head: Buffer, body: Buffer] {
  const text = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return [Buffer.concat([length, text]), body];
}

/** @throws RangeError, SyntaxError or TypeError. */
function unframed<T>(
  schema: z.ZodMiniType<T>,
  bytes: Buffer,
  name: string,
  longestHead = Number.POSITIVE_INFINITY,
): readonly [facts: T, body: Buffer] {
  const length = bytes.readUInt32BE(0);
  if (length > longestHead)
    throw new RangeError(`${name}: expected a head of at most ${longestHead} bytes; got ${length}`);
  const end = LENGTH_BYTES + length;
  if (end > bytes.length) throw new RangeError(`${name}: expected ${end} bytes or more; got ${bytes.length}`);
  const facts: unknown = JSON.parse(bytes.toString("utf8", LENGTH_BYTES, end));
  return [decoded(schema, facts, name), bytes.subarray(end)];
}

export function packRequest(settings: string, { role, request, malformed }: ForwardedRequest) {
  const { method, path, query, headers: lines, body, isCutOff, leftOverOf } = request;
  const head = { method, path, query, headers: lines, isCutOff, leftOverOf };
  return framed({ settings, role, ...head, malformed }, body);
}

export function unpackRequest(bytes: Buffer): ForwardedRequest & { readonly settings: string } {
  const [{ settings, role, malformed, ...head }, body] = unframed(
    question,
    bytes,
    "request",
    LONGEST_QUESTION_HEAD,
  );
  return { settings, role, malformed, request: { ...head, isCutOff: head.isCutOff === true, body } };
}

export function packResponse({ result, logged }: ForwardedResponse): Buffer {
  const { response, connectionError } = result;
  const facts = { status: response?.status, headers: response?.headers, connectionError };
  return Buffer.concat(framed({ ...facts, logged }, response?.body ?? NO_BYTES));
}

export function unpackResponse(bytes: Buffer): ForwardedResponse {
  const [{ status = 500, headers: lines = [], connectionError, logged }, body] = unframed(
    answer,
    bytes,
    "response",
  );
  return {
    result:
      connectionError === undefined ? { response: { status, headers: lines, body } } : { connectionError },
    logged,
  };
}
