import { isUtf8 } from "node:buffer";
import { visible } from "./visible.ts";

/** The bytes as UTF-8; undefined when they are not valid. A byte-order mark is kept. */
export const utf8TextOf = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString("utf8") : undefined;

/** A value as text. `String` throws for objects without a prototype, and for those whose own conversion throws. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Also of another realm: in Jest, Node's own errors are. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";

/** An error's message. Users' functions may throw anything. */
export const messageOf = (error: unknown): string => (isError(error) ? error.message : textOf(error));

export const codeOf = (error: unknown): unknown =>
  isError(error) && "code" in error ? error.code : undefined;

/**
 * A value as compact JSON in ASCII: every character outside U+0020..U+007E is escaped as `\uxxxx`.
 *
 * @param replace - as for `JSON.stringify`.
 */
export function asciiJson(value: unknown, replace?: (key: string, inner: unknown) => unknown): string {
  return asciiOnly(JSON.stringify(value, replace));
}

/** JSON with other characters escaped. Most texts have none, and testing is cheaper than replacing. */
export const asciiOnly = (json: string): string =>
  /[\u007f-\uffff]/.test(json)
    ? json.replace(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;

/** A length in words: `1 character`, `2 characters`. */
export const characters = (length: number): string => `${length} character${length === 1 ? "" : "s"}`;

const LONGEST_SHOWN = 80;
/** Quoting megabytes only to truncate them takes long. */
const LONGEST_QUOTED = 10_000;

/** Formats a value for a reason: as JSON, truncated if long. */
export function show(value: unknown): string {
  if (typeof value === "string") {
    const text = visible(JSON.stringify(value.slice(0, LONGEST_QUOTED)));
    if (text.length <= LONGEST_SHOWN) return text;
    return `${text.slice(0, LONGEST_SHOWN)}… (${characters(Math.max(value.length, text.length))})`;
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "bigint" ? `${value}n` : String(value);
}

export const LONGEST_RECORDED = 8192;

/** A text for the journal, which keeps thousands: truncated if very long. */
export function bounded(text: string): string {
  if (text.length <= LONGEST_RECORDED) return text;
  // Copied, because a slice would keep the whole text in memory.
  const beginning = Buffer.from(text.slice(0, LONGEST_RECORDED), "utf16le").toString("utf16le");
  return `${beginning}… (${characters(text.length)})`;
}

/** Formats a value that a user's function returned, with its type. */
export const showWithType = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : `${textOf(value)} (${typeof value})`;

/** Formats an unknown key: only its beginning, because it may be a misplaced secret. */
export function showUnknownKey(key: string | undefined): string {
  if (key === undefined) return "none";
  return `"${key.slice(0, Math.min(4, key.length / 4))}…" (${characters(key.length)})`;
}

const LONGEST_LINE = 100;

/** Breaks long lines for a terminal, and indents what follows. A word, or a text in quotation marks, stays in one line. */
export const wrapped = (text: string): string => text.split("\n").map(wrappedLine).join("\n");

function wrappedLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const [indent = ""] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent;
  for (const word of line.match(/(?:"(?:[^"\\]|\\.)*"|\S)+/g) ?? []) {
    const isFirst = current.trim() === "";
    if (!isFirst && current.length + 1 + word.length > LONGEST_LINE) {
      lines.push(current);
      current = `${indent}  ${word}`;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current].join("\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

/** Characters that XML 1.0 does not allow, even as references: control characters and lone surrogates. */
const IMPOSSIBLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Text as the content of an XML element; characters that XML does not allow become U+FFFD. */
export function xmlText(text: string): string {
  return text.replace(IMPOSSIBLE, "\ufffd").replace(/[&<>"'\r]/g, (found) => ESCAPES[found] ?? found);
}

/** Text as the content of HTML, in the escapes of the real service's pages. */
export const htmlText = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => (found === "'" ? "&#x27;" : (ESCAPES[found] ?? found)));

/** Leaves malformed escapes unchanged: such a name or id matches nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Text of unset values. */
export const TEXTS_OF_NOTHING: readonly string[] = [
  "",
  "undefined",
  "null",
  "NaN",
  "[object Promise]",
  "[object Object]",
];

/** Whether a text stands for a value that was not set. */
export const isUnset = (text: string): boolean => TEXTS_OF_NOTHING.includes(text);
