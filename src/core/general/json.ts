import { utf8TextOf } from "./text.ts";

export type JsonObject = { readonly [key: string]: unknown };

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export type ParsedJson =
  | { readonly value: unknown; readonly error?: undefined; readonly fault?: undefined }
  | {
      /** The fault in words. */
      readonly error: string;
      readonly fault: JsonFault;
    };

/** The position of `characterOrEnd` is unknown. */
export type JsonFault = "tooLong" | "tooDeep" | "notUtf8" | "character" | "end" | "characterOrEnd";

export type MalformedJson = Extract<ParsedJson, { readonly error: string }>;

/** Deeper values are refused: they could not be stored, because the schemas of records have the same limit. */
export const MOST_LEVELS = 100;
/** Limit on bytes outside of long strings. Parsing this many takes 0.2 s; no real request comes close. */
export const MOST_STRUCTURE = 2 ** 20;
const LONG_STRING = 256;
/** The position of an error is searched only in shorter texts. */
export const LONGEST_SEARCHED = 2 ** 18;

/**
 * Parses JSON. Errors have a kind and a position but never the text, which may contain secrets.
 *
 * @param json - text, or its bytes in UTF-8.
 * @param most - bytes besides long strings.
 * @example parseJson('{"name":}') // { error: "unexpected character at position 8", fault: "character" }
 */
export function parseJson(json: string | Buffer, most = MOST_STRUCTURE): ParsedJson {
  const bytes = typeof json === "string" ? Buffer.from(json) : json;
  const excess = excessOf(bytes, most);
  if (excess !== undefined) return excess;
  const text = typeof json === "string" ? json : utf8TextOf(bytes);
  if (text === undefined) return { error: "the text is not UTF-8", fault: "notUtf8" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return faultIn(text);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [BRACKET, BRACKET_END] = [0x5b, 0x5d];
const [BRACE, BRACE_END] = [0x7b, 0x7d];

/** Names the exceeded limit. `JSON.parse` takes much longer for some texts than for others of their length. */
function excessOf(json: Buffer, most: number): MalformedJson | undefined {
  let [levels, structure] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    structure += 1;
    if (structure > most) return { error: `more than ${most} bytes besides long strings`, fault: "tooLong" };
    if (byte === BRACE || byte === BRACKET) levels += 1;
    else if (byte === BRACE_END || byte === BRACKET_END) levels -= 1;
    else if (byte === QUOTE) {
      const start = at;
      let escapes = 1;
      for (; escapes % 2 === 1 && structure <= most; structure += escapes) {
        at = quoteFrom(json, at + 1);
        escapes = escapesBefore(json, start, at, most);
      }
      structure += at - start <= LONG_STRING ? at - start : 1;
    }
    if (levels > MOST_LEVELS)
      return { error: `nested deeper than ${MOST_LEVELS} levels at position ${at}`, fault: "tooDeep" };
  }
  return undefined;
}

/** Index of the next quotation mark, or of the text's end. */
function quoteFrom(json: Buffer, from: number): number {
  const found = json.indexOf(QUOTE, from);
  return found === -1 ? json.length : found;
}

/** Counts the backslashes before a quotation mark, up to a few more than `most`: an odd number escapes it. */
function escapesBefore(json: Buffer, start: number, quote: number, most: number): number {
  if (quote === json.length) return 0;
  const first = Math.max(start, quote - 2 - most);
  let before = quote - 1;
  while (before > first && json[before] === BACKSLASH) before -= 1;
  return quote - 1 - before;
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /["\\/bfnrt]|u[\dA-Fa-f]{4}/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

function faultIn(text: string): MalformedJson {
  if (text.length > LONGEST_SEARCHED)
    return { error: "unexpected character or end of the text", fault: "characterOrEnd" };
  const { at } = malformedAt(text);
  return at < text.length
    ? { error: `unexpected character at position ${at}`, fault: "character" }
    : { error: `unexpected end at position ${text.length}`, fault: "end" };
}

export interface MalformedPlace {
  /** Of the first invalid character, or the length of a text that ends too early. */
  readonly at: number;
  /** Where the string begins that it is in. */
  readonly stringAt: number | undefined;
  /** The characters that may be there; "k" stands for a name, "v" for a value. Empty: only the end. */
  readonly expected: string;
}

/** Finds the first invalid character of malformed JSON. `JSON.parse` gives no position of some errors, and it quotes the text. */
export function malformedAt(text: string): MalformedPlace {
  const endOf = (pattern: RegExp, from: number): number | undefined => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : undefined;
  };
  const closers: string[] = [];
  const afterValue = () => (closers.length === 0 ? "" : `,${closers.at(-1)}`);
  let expected = "v";
  for (let at = 0; ; ) {
    at = endOf(SPACE, at) ?? at;
    const wanted = expected;
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
      end = stringEnd(text, at, endOf);
      if (text[end] !== '"') return { at: end, stringAt: at, expected: wanted };
      end += 1;
      expected = isValue ? afterValue() : ":";
    } else {
      end = isValue ? endOf(LITERAL, at) : undefined;
      expected = afterValue();
    }
    if (end === undefined) return { at, stringAt: undefined, expected: wanted };
    at = end;
  }
}

/** Index of a string's closing quotation mark, or of what is there instead. Not by a pattern: the string may have megabytes. */
function stringEnd(
  text: string,
  start: number,
  endOf: (pattern: RegExp, from: number) => number | undefined,
): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code < 0x20) return at;
    if (code !== BACKSLASH) continue;
    const end = endOf(ESCAPE, at + 1);
    if (end === undefined) return at;
    at = end - 1;
  }
  return at;
}
