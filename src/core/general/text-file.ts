import { LONGEST_SEARCHED, malformedAt } from "./json.ts";
import { firstInvalidByte, markedEncoding, placeOf } from "./text-place.ts";

/** A file is not text in an encoding that is read, or not JSON. The message says where, without quoting it: it may hold secrets. */
export class TextFileError extends SyntaxError {
  override readonly name = "TextFileError";
}

/**
 * Reads a text file: UTF-8 with or without a byte-order mark, or UTF-16 with one.
 *
 * @throws TextFileError naming the place of the first other byte.
 */
export function textIn(bytes: Uint8Array): string {
  const encoding = markedEncoding(bytes);
  if (encoding === undefined && (bytes[0] === 0 || bytes[1] === 0)) throw new TextFileError(UNMARKED);
  try {
    return new TextDecoder(encoding ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TextFileError(whyUnread(bytes, encoding));
  }
}

const UNMARKED = "it is UTF-16 without a byte-order mark: save it as UTF-8";

function whyUnread(bytes: Uint8Array, encoding: string | undefined): string {
  if (encoding?.startsWith("utf-16") === true) return "it is damaged UTF-16: save it as UTF-8";
  if (bytes.includes(0)) return UNMARKED;
  const at = firstInvalidByte(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) ?? 0;
  const found = (bytes[at] ?? 0).toString(16).padStart(2, "0");
  const place = shown(Buffer.from(bytes.subarray(0, at)).toString("utf8"));
  return `it is not UTF-8, but perhaps Windows-1252: the byte ${found} at ${place}; save it as UTF-8`;
}

/** The place behind a text, in words. */
function shown(before: string): string {
  const { line, column } = placeOf(before, before.length);
  return `line ${line}, column ${column}`;
}

/**
 * Reads a JSON file in one of the encodings of {@link textIn}.
 *
 * @throws TextFileError naming the place of the first error.
 */
export function jsonIn(bytes: Uint8Array): unknown {
  const text = textIn(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new TextFileError(whyNotJson(text));
  }
}

function whyNotJson(text: string): string {
  if (text.trim() === "") return "expected JSON; the file is empty";
  if (text.length > LONGEST_SEARCHED) return "expected JSON";
  const { at } = malformedAt(text);
  const place = shown(text.slice(0, at));
  const character = text[at];
  if (character === undefined) return `expected JSON; it ends too early, at ${place}`;
  return `expected JSON; unexpected ${JSON.stringify(character)} at ${place}${hint(text, at)}`;
}

const hint = (text: string, at: number): string => {
  const character = text[at] ?? "";
  if (character === "/" || character === "#") return ": remove the comment";
  if (character === "'" || character === "“" || character === "”") return ': write " around texts and names';
  if (character === "\\") return ": write each backslash as \\\\";
  if (/[}\]]/.test(character) && /,\s*$/.test(text.slice(0, at))) return ": remove the comma before it";
  return /^\s*[\w-]+:\s/.test(text) ? ": write JSON, not YAML" : "";
};
