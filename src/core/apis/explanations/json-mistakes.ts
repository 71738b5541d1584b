import { namesSecret } from "../../emulator/masking.ts";
import { type MalformedJson, type MalformedPlace, malformedAt } from "../../general/json.ts";
import { utf8TextOf } from "../../general/text.ts";
import { firstInvalidByte, markedEncoding, placeOf } from "../../general/text-place.ts";
import { visible } from "../../general/visible.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { JsonMistake, JsonPlace } from "../../schema/causes/json.ts";

/** The place is searched only in shorter texts: each takes a turn of the event loop. */
const MOST_SEARCHED = 2 ** 22;
const AROUND = 20;

/** Whether a text that cannot be parsed, and so cannot be masked, must not be shown. */
export const mayHoldSecret = (bytes: Buffer): boolean => namesSecret(bytes.toString("latin1"));

/** Explains bytes that are not valid JSON. @param holdsSecrets - shows nothing of the text. */
export function malformedJson(bytes: Buffer, json: MalformedJson, holdsSecrets = false): AnyCause {
  const { error: problem, fault } = json;
  const isLimit = fault === "tooLong" || fault === "tooDeep";
  if (isLimit || bytes.length > MOST_SEARCHED) return cause("json.malformed", { problem });
  const encoding = encodingOf(bytes);
  const valid = utf8TextOf(bytes);
  const isText = valid !== undefined;
  const text = valid ?? bytes.toString("utf8");
  const invalid = firstInvalidByte(bytes);
  const found =
    invalid === undefined
      ? malformedAt(text)
      : { at: bytes.toString("utf8", 0, invalid).length, stringAt: undefined, expected: "" };
  const place = placeIn(text, found.at, problem, holdsSecrets || mayHoldSecret(bytes));
  const format = isText || encoding !== undefined ? undefined : formatOf(text);
  if (format !== undefined)
    return cause("json.format", { ...(format === "picture" ? { problem } : place), is: format });
  const is = encoding ?? (isText ? undefined : "bytes");
  if (is !== undefined) {
    const byte = invalid === undefined ? {} : { character: hexadecimal(bytes[invalid]) };
    return cause("json.encoding", { ...place, ...byte, is });
  }
  return mistakeAt(text, found, place) ?? cause("json.malformed", place);
}

function placeIn(text: string, at: number, problem: string, hides: boolean): JsonPlace {
  const point = text.codePointAt(at);
  const around = `${text.slice(Math.max(0, at - AROUND), at)}▶${text.slice(at, at + AROUND + 1)}`;
  return {
    problem,
    ...placeOf(text, at),
    ...(point !== undefined && { character: visible(JSON.stringify(String.fromCodePoint(point))) }),
    ...(!hides && { around: visible(around) }),
  };
}

const hexadecimal = (byte = 0): string => `0x${byte.toString(16).padStart(2, "0")}`;

/** Which encoding the bytes have instead of UTF-8, or what of an encoding is left in them. */
function encodingOf(bytes: Buffer): JsonMistake["json.encoding"] | undefined {
  const head = bytes.toString("latin1", 0, 4);
  const marked = markedEncoding(bytes);
  if (marked === "utf-8") return "mark";
  if (marked !== undefined || /^(?:[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/.test(head)) return "utf16";
  if (head.startsWith("\u001f\u008b")) return "compressed";
  if (/[}\]"]\s*\0+$/.test(bytes.toString("latin1", Math.max(0, bytes.length - 64)))) return "nul";
  if (utf8TextOf(bytes) !== undefined) return undefined;
  return /^\s*[{["]/.test(head) ? "latin1" : undefined;
}

/** Formats that begin in their own way, besides JSON. */
const FORMATS: readonly (readonly [JsonMistake["json.format"], RegExp])[] = [
  ["percent", /^%(?:7B|5B|22)/i],
  ["multipart", /^--\S/],
  ["picture", /^\ufffd(?:PNG|\ufffd\ufffd)/],
  ["object", /^(?:Array\s*\(|<[\w.]+ object at|(?:System|java|com|org)\.[\w.`[\]$@,]+$|#<)/],
  ["xml", /^\s*<[?!\w]/],
  ["call", /^(?:[\w.$]+\s*[(=]\s*[{[]|\)\]\}'|while\s*\(|for\s*\()/],
  ["form", /^[\w.%+[\]-]+=/],
  ["yaml", /^(?:---\s|[\w-]+:\s)/],
];

function formatOf(text: string): JsonMistake["json.format"] | undefined {
  const beginning = text.slice(0, 400);
  const isBase64 = /^[\w+/-]{8,}=*$/.test(beginning.slice(0, 64).replace(/\s+/g, ""));
  if (isBase64 && /^\s*[{[]/.test(Buffer.from(beginning.slice(0, 8), "base64").toString("latin1")))
    return "base64";
  return FORMATS.find(([, form]) => form.test(beginning))?.[0];
}

/** What a malformed text looks like, at the first invalid character. */
function mistakeAt(text: string, found: MalformedPlace, place: JsonPlace): AnyCause | undefined {
  const { at, stringAt, expected } = found;
  if (at === 0) {
    const format = formatOf(text);
    if (format !== undefined) return cause("json.format", { ...place, is: format });
  }
  const rest = text.slice(at, at + 40);
  const before = text.slice(Math.max(0, at - 40), at);
  if (stringAt !== undefined) return cause("json.text", { ...place, is: inText(rest) });
  const character = rest[0] ?? "";
  const isValue = expected.startsWith("v");
  const literal = isValue ? literalIn(rest) : undefined;
  if (literal !== undefined) return cause("json.literal", { ...place, is: literal });
  const number = numberIn(rest, before, isValue);
  if (number !== undefined) return cause("json.number", { ...place, is: number });
  const punctuation = punctuationAt(rest, before, expected);
  if (punctuation !== undefined) return cause("json.punctuation", { ...place, is: punctuation });
  const quotes = quotesAt(text, at, character, expected);
  if (quotes !== undefined) return cause("json.quotes", { ...place, is: quotes });
  // Where a text has ended too early, a word follows.
  if (/"\s*$/.test(before) && /^[\p{L}\p{N}_ ./\\-]/u.test(character) && !isValue)
    return cause("json.text", { ...place, is: "quote" });
  return undefined;
}

function inText(rest: string): JsonMistake["json.text"] {
  if (rest.startsWith("\\")) return "backslash";
  return /^\r?\n/.test(rest) ? "lineFeed" : "control";
}

const LITERALS: readonly (readonly [JsonMistake["json.literal"], RegExp])[] = [
  ["python", /^(?:True|False|None)\b/],
  ["notNumber", /^[+-]?(?:NaN|Infinity|inf|nan)\b/],
  ["undefined", /^undefined\b/],
  ["nil", /^(?:nil|NULL|Nothing|\(null\)|Null)(?!\w)/],
  ["case", /^(?:true|false|null)\b/i],
];

const literalIn = (rest: string) => LITERALS.find(([, form]) => form.test(rest))?.[0];

function numberIn(rest: string, before: string, isValue: boolean): JsonMistake["json.number"] | undefined {
  // A comma after a number in an object, and digits where a name should be.
  if (!isValue && /\d,$/.test(before) && /^\d/.test(rest)) return "comma";
  if (!isValue) return undefined;
  if (/^[+]\.?\d/.test(rest)) return "sign";
  if (/^-?0\d/.test(rest)) return "zero";
  if (/^-?(?:\.\d|\d+\.(?!\d))/.test(rest)) return "point";
  return /^-?\d/.test(rest) ? "other" : undefined;
}

/** White space that is none of JSON's. */
const SPACES = /^(?![ \t\n\r])[\s\u200b]/;

function punctuationAt(
  rest: string,
  before: string,
  expected: string,
): JsonMistake["json.punctuation"] | undefined {
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return "comment";
  if (/^[}\]]/.test(rest) && /,\s*$/.test(before)) return "trailingComma";
  if (/^,/.test(rest) && /[,[{]\s*$/.test(before)) return "trailingComma";
  if (rest.startsWith("=>")) return "arrow";
  if (rest.startsWith("=") && /[:}]/.test(expected)) return "equals";
  if (rest.startsWith(";") && expected !== "") return "semicolon";
  if (SPACES.test(rest)) return "space";
  if (expected === "" && rest !== "") return "rest";
  if (/^["{[\d]/.test(rest) && expected.startsWith(",")) return "missingComma";
  if (/^["{[\d,}]/.test(rest) && expected === ":") return "missingColon";
  return /^[}\]]/.test(rest) && expected.startsWith(",") ? "close" : undefined;
}

function quotesAt(
  text: string,
  at: number,
  character: string,
  expected: string,
): JsonMistake["json.quotes"] | undefined {
  if (!/^[kv]/.test(expected)) return undefined;
  if (character === "'") return at === 0 && /^'\s*[{[]/.test(text) ? "shell" : "single";
  if (/[\u2018-\u201f\u00ab\u00bb\u300c-\u300f]/.test(character)) return "curly";
  if (character === "\\") return "escaped";
  if (character === "`") return "backtick";
  return /[\p{L}_$]/u.test(character) && at > 0 ? "bare" : undefined;
}
