import { finish, inTurns, type Steps } from "./scheduling.ts";
import { utf8Decoder } from "./text.ts";

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value, or what is wrong with the text. */
export type ParsedJson = { readonly value: unknown; readonly error?: undefined } | { readonly error: string };

/** What a text may have: parsing, checking and storing more takes long. */
export interface JsonLimits {
  /** Objects and arrays together, and names of fields together. */
  readonly parts: number;
  /** Of one object. */
  readonly fields: number;
  /** Of one array. */
  readonly elements: number;
}

/** No request needs as many. */
const REQUEST_LIMITS: JsonLimits = { parts: 50_000, fields: Number.POSITIVE_INFINITY, elements: 10_000 };
/** A snapshot has an object for each target. */
export const SNAPSHOT_LIMITS: JsonLimits = {
  parts: 5_000_000,
  fields: 200_000,
  elements: 200_000,
};
/** Deeper values are refused: they could not be stored, because the schemas of records have the same limit. */
const MOST_LEVELS = 100;
/** No field's name is as long. */
const LONGEST_NAME = 2 ** 18;
/** An image whose base64 is in lines, or has its slashes escaped, has a million at most. */
const MOST_ESCAPES = 2 ** 22;

/** The position of an error is searched only in a shorter text. */
const LONGEST_SEARCHED = 2 ** 18;
/** What is scanned at a time: less than a millisecond. */
const PLACES_PER_STEP = 2 ** 17;
/** As long as it takes to scan so many places. */
const PLACES_PER_ESCAPE = 32;
const BYTES_PER_STEP = 2 ** 20;

/**
 * Parses JSON. Errors have a kind and a position but never the text, which may contain secrets.
 *
 * @param json - text, or its bytes in UTF-8.
 * @example parseJson('{"name":}') // { error: "unexpected character at position 8" }
 */
export const parseJson = (json: string | Buffer, limits = REQUEST_LIMITS): ParsedJson =>
  finish(parseSteps(json, limits));

/** Like {@link parseJson}, but lets other work run in between. The longest step is that of `JSON.parse`. */
export const parseLargeJson = (json: string | Buffer, limits = REQUEST_LIMITS): Promise<ParsedJson> =>
  inTurns(parseSteps(json, limits));

function* parseSteps(json: string | Buffer, limits: JsonLimits): Steps<ParsedJson> {
  const error = yield* excessSteps(typeof json === "string" ? Buffer.from(json) : json, limits);
  if (error !== undefined) return { error };
  const text = typeof json === "string" ? json : yield* decodingSteps(json);
  if (text === undefined) return { error: "the text is not UTF-8" };
  yield;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: faultIn(text) };
  }
}

/** The bytes as UTF-8; undefined when they are not valid. */
function* decodingSteps(bytes: Buffer): Steps<string | undefined> {
  const pieces: string[] = [];
  const decoding = utf8Decoder();
  try {
    for (let start = 0; start < bytes.length; start += BYTES_PER_STEP, yield)
      pieces.push(decoding.decode(bytes.subarray(start, start + BYTES_PER_STEP), { stream: true }));
    pieces.push(decoding.decode());
  } catch {
    return undefined;
  }
  return pieces.join("");
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [BRACKET, BRACKET_END] = [0x5b, 0x5d];
const [BRACE, BRACE_END] = [0x7b, 0x7d];

/**
 * Looks for what is slow to parse: of 64 MiB, `JSON.parse` needs 7 s for `[],`, 1 s for numbers and 0.3 s for escapes, but
 * 0.05 s for one string. Malformed text may be counted wrongly.
 */
function* excessSteps(json: Buffer, limits: JsonLimits): Steps<string | undefined> {
  const open: { readonly isObject: boolean; entries: number }[] = [];
  const excess = (limit: number, what: string, at: number) => `more than ${limit} ${what} at position ${at}`;
  let [opened, names, escapes, places] = [0, 0, 0, PLACES_PER_STEP];
  // The next ones: a string, however long, is skipped by looking for its end.
  let [start, quote, backslash] = [0, -1, -1];
  for (let at = 0; at < json.length; at++, places--) {
    if (places <= 0) {
      places = PLACES_PER_STEP;
      yield;
    }
    const byte = json[at];
    if (byte === QUOTE) {
      start = at;
      for (at += 1; ; at = backslash + 2) {
        if (quote < at) quote = indexIn(json, QUOTE, at);
        if (backslash < at) backslash = indexIn(json, BACKSLASH, at);
        if (quote <= backslash) break;
        escapes += 1;
        if (escapes > MOST_ESCAPES) return excess(MOST_ESCAPES, "escapes", backslash);
        places -= PLACES_PER_ESCAPE;
        if (places > 0) continue;
        places = PLACES_PER_STEP;
        yield;
      }
      at = quote;
    } else if (byte === BRACE || byte === BRACKET) {
      opened += 1;
      if (open.length >= MOST_LEVELS) return `nested deeper than ${MOST_LEVELS} levels at position ${at}`;
      if (opened > limits.parts) return excess(limits.parts, "objects and arrays", at);
      open.push({ isObject: byte === BRACE, entries: 1 });
    } else if (byte === COLON) {
      names += 1;
      if (names > limits.parts) return excess(limits.parts, "names of fields", at);
      if (quote - start > LONGEST_NAME) return excess(LONGEST_NAME, "characters in a name", start);
    } else if (byte === COMMA) {
      const inner = open.at(-1) ?? { isObject: false, entries: 0 };
      inner.entries += 1;
      if (inner.isObject && inner.entries > limits.fields)
        return excess(limits.fields, "fields in one object", at);
      if (!inner.isObject && inner.entries > limits.elements)
        return excess(limits.elements, "elements in one array", at);
    } else if (byte === BRACE_END || byte === BRACKET_END) open.pop();
  }
  return undefined;
}

/** The index of a byte from there on; infinite when there is none. */
function indexIn(json: Buffer, byte: number, from: number): number {
  const found = json.indexOf(byte, from);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

const SPACE = /[ \t\n\r]*/y;
const STRING_START = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/**
 * Where malformed JSON is wrong: the first character that nothing valid has there. `JSON.parse` does not tell of every error, and
 * it quotes the text.
 */
function faultIn(text: string): string {
  if (text.length > LONGEST_SEARCHED) return "unexpected character or end of the text";
  const endOf = (pattern: RegExp, from: number): number | undefined => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : undefined;
  };
  const unexpected = (at: number) =>
    at < text.length ? `unexpected character at position ${at}` : `unexpected end at position ${text.length}`;
  const closers: string[] = [];
  const afterValue = () => (closers.length === 0 ? "" : `,${closers.at(-1)}`);
  // Punctuation, and "k" for a name, "v" for a value.
  let expected = "v";
  for (let at = 0; ; ) {
    at = endOf(SPACE, at) ?? at;
    const character = text[at] ?? "";
    const isValue = expected.startsWith("v");
    let end: number | undefined = at + 1;
    if (/[,:}\]]/.test(character) && expected.includes(character)) {
      if (character === ":") expected = "v";
      else if (character === ",") expected = closers.at(-1) === "}" ? "k" : "v";
      else {
        closers.pop();
        expected = afterValue();
      }
    } else if (isValue && (character === "{" || character === "[")) {
      closers.push(character === "{" ? "}" : "]");
      expected = character === "{" ? "k}" : "v]";
    } else if (character === '"' && /^[kv]/.test(expected)) {
      end = endOf(STRING_START, at) ?? at;
      if (text[end] !== '"') return unexpected(end);
      end += 1;
      expected = isValue ? afterValue() : ":";
    } else {
      end = isValue ? endOf(LITERAL, at) : undefined;
      expected = afterValue();
    }
    if (end === undefined) return unexpected(at);
    at = end;
  }
}
