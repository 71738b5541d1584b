import { systemRandom } from "./random.ts";
import { finish, inTurns, type Steps } from "./scheduling.ts";
import { utf8Decoder, utf8TextOf } from "./text.ts";

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
  /** All values together, approximately. */
  readonly values: number;
  /** Bytes besides the contents of long strings. */
  readonly others: number;
}

/** No request needs as many. */
const REQUEST_LIMITS: JsonLimits = {
  parts: 50_000,
  fields: Number.POSITIVE_INFINITY,
  elements: 10_000,
  values: 1_000_000,
  others: 2 ** 23,
};
/** A snapshot has an object for each target. */
export const SNAPSHOT_LIMITS: JsonLimits = {
  parts: 5_000_000,
  fields: 200_000,
  elements: 200_000,
  values: Number.POSITIVE_INFINITY,
  others: Number.POSITIVE_INFINITY,
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
/** A longer string of a large text is parsed by itself, in pieces: `JSON.parse` of everything at once takes long. */
const LONGEST_INNER_STRING = 2 ** 12;
/** Smaller texts are parsed as they are. */
const MOST_AT_ONCE = 2 ** 20;
const BYTES_PER_PIECE = 2 ** 19;
/** In bytes. */
const LONGEST_ESCAPE = 6;
const UNKNOWN_FAULT = "unexpected character or end of the text";
const VALUES_PER_STEP = 10_000;

/**
 * Parses JSON. Errors have a kind and a position but never the text, which may contain secrets.
 *
 * @param json - text, or its bytes in UTF-8.
 * @example parseJson('{"name":}') // { error: "unexpected character at position 8" }
 */
export const parseJson = (json: string | Buffer, limits = REQUEST_LIMITS): ParsedJson =>
  finish(parseSteps(json, limits));

/** Like {@link parseJson}, but lets other work run in between. */
export const parseLargeJson = (json: string | Buffer, limits = REQUEST_LIMITS): Promise<ParsedJson> =>
  inTurns(parseSteps(json, limits));

function* parseSteps(json: string | Buffer, limits: JsonLimits): Steps<ParsedJson> {
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  const found = yield* excessSteps(bytes, limits);
  if (typeof found === "string") return { error: found };
  const isLarge = bytes.length > MOST_AT_ONCE;
  const strings = isLarge ? found : [];
  const mark = strings.length === 0 ? "" : systemRandom.hex(16);
  const text = isLarge ? yield* decodingSteps(withMarks(bytes, strings, mark)) : utf8TextOf(bytes);
  if (text === undefined) return { error: NOT_UTF8.message };
  yield;
  try {
    const value: unknown = JSON.parse(text);
    if (strings.length === 0) return { value };
    const contents: string[] = [];
    for (const string of strings) contents.push(yield* contentSteps(bytes, string));
    return { value: yield* filledSteps(value, mark, contents) };
  } catch (error) {
    if (error === NOT_UTF8) return { error: NOT_UTF8.message };
    return { error: strings.length === 0 ? faultIn(text) : UNKNOWN_FAULT };
  }
}

const NOT_UTF8 = new Error("the text is not UTF-8");

/** The content of a long string, between its quotation marks. */
interface LongString {
  readonly start: number;
  readonly end: number;
  /** Where escapes begin, each at least a piece after the one before; between a piece after one and the next, there are none. */
  readonly escapes: readonly number[];
}

/** A text with a mark and a number in place of the content of each long string. */
function withMarks(bytes: Buffer, strings: readonly LongString[], mark: string): Buffer {
  if (strings.length === 0) return bytes;
  let from = 0;
  const pieces = strings.flatMap(({ start, end }, index) => {
    const before = bytes.subarray(from, start);
    from = end;
    return [before, Buffer.from(mark + index)];
  });
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

/**
 * What a long string says, parsed in pieces.
 *
 * @throws NOT_UTF8, or a SyntaxError.
 */
function* contentSteps(bytes: Buffer, { start, end, escapes }: LongString): Steps<string> {
  const pieces: string[] = [];
  const ends = [...escapes, end];
  for (let from = start; from < end; yield) {
    if (from === ends[0]) ends.shift();
    let until = ends[0] ?? end;
    if (until - from > 2 * BYTES_PER_PIECE) {
      until = from + BYTES_PER_PIECE + LONGEST_ESCAPE;
      // Not within a character.
      for (let back = 0; back < 3 && ((bytes[until] ?? 0) & 0xc0) === 0x80; back += 1) until -= 1;
    }
    const piece = utf8TextOf(bytes.subarray(from, until));
    if (piece === undefined) throw NOT_UTF8;
    pieces.push(JSON.parse(`"${piece}"`));
    from = until;
  }
  return pieces.join("");
}

/** Puts long strings in place of their marks. */
function* filledSteps(root: unknown, mark: string, contents: readonly string[]): Steps<unknown> {
  const textOf = (text: string) => contents[Number(text.slice(mark.length))] ?? text;
  if (typeof root === "string") return textOf(root);
  const open = [root];
  for (let seen = 0; open.length > 0; ) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      seen += 1;
      if (seen % VALUES_PER_STEP === 0) yield;
      if (typeof inner === "object") open.push(inner);
      if (typeof inner !== "string" || !inner.startsWith(mark)) continue;
      // Not assigned, because of the name `__proto__`.
      const given = { configurable: true, enumerable: true, writable: true };
      Object.defineProperty(value, name, { value: textOf(inner), ...given });
    }
  }
  return root;
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
 *
 * @returns what there is too much of, or the long strings.
 */
function* excessSteps(json: Buffer, limits: JsonLimits): Steps<string | readonly LongString[]> {
  const open: { readonly isObject: boolean; entries: number }[] = [];
  let [opened, names, values, escapes, places] = [0, 0, 1, 0, PLACES_PER_STEP];
  const strings: LongString[] = [];
  let others = json.length;
  // The next ones: a string, however long, is skipped by looking for its end.
  let [start, quote, backslash] = [0, -1, -1];
  for (let at = 0; at < json.length; at++, places--) {
    if (places <= 0) {
      places = PLACES_PER_STEP;
      yield;
    }
    const byte = json[at];
    if (byte === QUOTE) {
      start = at + 1;
      const cuts: number[] = [];
      for (at += 1; ; at = backslash + 2) {
        if (quote < at) quote = indexIn(json, QUOTE, at);
        if (backslash < at) backslash = indexIn(json, BACKSLASH, at);
        if (quote <= backslash) break;
        escapes += 1;
        if (backslash - (cuts.at(-1) ?? start) >= BYTES_PER_PIECE) cuts.push(backslash);
        if (escapes > MOST_ESCAPES) return excess(MOST_ESCAPES, "escapes", backslash);
        places -= PLACES_PER_ESCAPE;
        if (places > 0) continue;
        places = PLACES_PER_STEP;
        yield;
      }
      at = quote;
      if (quote !== Number.POSITIVE_INFINITY && quote - start > LONGEST_INNER_STRING) {
        strings.push({ start, end: quote, escapes: cuts });
        others -= quote - start;
      }
    } else if (byte === BRACE || byte === BRACKET) {
      opened += 1;
      if (open.length >= MOST_LEVELS) return `nested deeper than ${MOST_LEVELS} levels at position ${at}`;
      if (opened > limits.parts) return excess(limits.parts, "objects and arrays", at);
      open.push({ isObject: byte === BRACE, entries: 1 });
    } else if (byte === COLON) {
      names += 1;
      if (names > limits.parts) return excess(limits.parts, "names of fields", at);
      if (quote - start > LONGEST_NAME) return excess(LONGEST_NAME, "characters in a name", start - 1);
      if (strings.at(-1)?.start === start) {
        strings.pop();
        others += quote - start;
      }
    } else if (byte === COMMA) {
      const inner = open.at(-1) ?? { isObject: false, entries: 0 };
      inner.entries += 1;
      values += 1;
      if (values > limits.values) return excess(limits.values, "values", at);
      if (inner.isObject && inner.entries > limits.fields)
        return excess(limits.fields, "fields in one object", at);
      if (!inner.isObject && inner.entries > limits.elements)
        return excess(limits.elements, "elements in one array", at);
    } else if (byte === BRACE_END || byte === BRACKET_END) open.pop();
  }
  if (others > limits.others) return `more than ${limits.others} bytes besides long strings`;
  return strings;
}

const excess = (limit: number, what: string, at: number) => `more than ${limit} ${what} at position ${at}`;

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
  if (text.length > LONGEST_SEARCHED) return UNKNOWN_FAULT;
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
