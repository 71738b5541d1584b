import { header, type WireRequest } from "../../emulator/message.ts";
import { isJsonObject, type ParsedJson, parseJson } from "../../general/json.ts";
import { show } from "../../general/text.ts";

const BUFFER_IN_JSON = /"([^"\\]{1,80})":\{"type":"Buffer","data":\[/;
/** A Uint8Array as text: bytes with commas. */
const BYTES_AS_TEXT = /^\d{1,3}(,\d{1,3}){2}/;
const MOST_READ = 4096;

/** Reports text that stands for an unread value; otherwise undefined. */
export function unreadText(text: string): string | undefined {
  if (text === "undefined" || text === "null")
    return `it is the text "${text}": check the variable that holds it`;
  if (text === "[object Promise]") return `it is the text "${text}": await the value first`;
  if (/^\[object \w{1,40}\]$/.test(text))
    return `it is the text "${text}", in place of what the object contains`;
  return undefined;
}

export function notJsonObjectReason(json: ParsedJson, bytes: Buffer): string {
  const beginning = bytes.toString("utf8", 0, MOST_READ);
  if (json.error !== undefined) {
    const [, field] = BUFFER_IN_JSON.exec(beginning) ?? [];
    // JSON with as many numbers is not read.
    const why =
      (field !== undefined && json.error.startsWith("more than") ? `${field} ${BUFFER}` : undefined) ??
      unreadText(beginning) ??
      cutAdvice(bytes, json);
    return `the body is not valid JSON: ${json.error}${why === undefined ? "" : `; ${why}`}`;
  }
  const { value } = json;
  const found = `the body must be a JSON object; got ${show(value)}`;
  if (value === null) return `${found}: check the variable that holds it`;
  if (typeof value !== "string") return found;
  const inner = parseJson(value);
  return inner.error === undefined && isJsonObject(inner.value)
    ? `the body is JSON that was written as JSON once more: call JSON.stringify once`
    : found;
}

/** Reports a body that ends within its JSON; otherwise undefined. */
export const cutAdvice = (body: Buffer, json?: ParsedJson): string | undefined =>
  /^\s*[{[]/.test(body.toString("latin1", 0, 64)) && isUnended((json ?? parseJson(body)).error, body)
    ? "the body ends within its JSON (a Content-Length counts bytes, not characters: Buffer.byteLength)"
    : undefined;

/** For long texts, the error does not report an unexpected end. */
const isUnended = (error = "", body: Buffer): boolean =>
  error.startsWith("unexpected end") ||
  (error.endsWith("end of the text") && !/[}\]]\s*$/.test(body.toString("latin1", body.length - 64)));

const BUFFER = 'is a Buffer that JSON wrote as an object: send it as base64 (toString("base64"))';

/** Reports what JSON lost of a value, and what to send; undefined if nothing is known. */
export function lostInJson(field: string, value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.length > 2 && value.slice(0, 8).every(isByte)
      ? `${field} is an array of bytes: send them as base64 (Buffer.from(bytes).toString("base64"))`
      : undefined;
  if (!isJsonObject(value)) return undefined;
  if (value.type === "Buffer" && Array.isArray(value.data)) return `${field} ${BUFFER}`;
  if (isByte(value["0"]))
    return `${field} is a Uint8Array that JSON wrote as an object: send it as base64 (Buffer.from(bytes).toString("base64"))`;
  if ("_readableState" in value)
    return `${field} is a stream that JSON wrote as an object: read it to its end, then send its bytes as base64`;
  if (Object.keys(value).length === 0)
    return (
      `${field} is an object that JSON wrote as {}, as it does with a Blob, File, ArrayBuffer, stream or Promise: await its bytes, ` +
      'then send them as base64 (Buffer.from(await blob.arrayBuffer()).toString("base64"))'
    );
  return undefined;
}

const isByte = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

/** Reports what a form lost of an image, and what to append; undefined if nothing is known. */
export function lostInForm(content: Buffer): string | undefined {
  const text = content.toString("utf8", 0, 64);
  const unread = BYTES_AS_TEXT.test(text) ? "it is bytes written as text" : unreadText(text);
  return unread && `${unread}; append a Blob and a file name`;
}

/** Why the `Content-Length` of a request was refused. */
export function contentLengthReason({ headers, body }: WireRequest): string {
  const given = header({ headers }, "content-length");
  const found = `the Content-Length header is ${show(given)}; the body has ${body.length} bytes`;
  return Number(given) < body.length && Number(given) === body.toString("utf8").length
    ? `${found}: it was counted in characters; count bytes (Buffer.byteLength)`
    : found;
}

const MOST_SEARCHED = 2 ** 22;

/** Explains where base64 is invalid, and the likely cause. */
export function explainBase64(text: string): string {
  const rule = "is not base64 (A-Z, a-z, 0-9, +, / and padding at the end)";
  const unread = unreadText(text);
  if (unread !== undefined) return `${rule}: ${unread}`;
  if (BYTES_AS_TEXT.test(text))
    return `${rule}: it is a Uint8Array written as text; send Buffer.from(bytes).toString("base64")`;
  if (looksLikeText(text)) return `${rule}: it is plain text; send Buffer.from(text).toString("base64")`;
  const dataUri = /^data:[^,]{0,200},/i.exec(text);
  if (dataUri !== null) {
    return `${rule}: it is a data URI; send only what follows ${show(dataUri[0])}`;
  }
  const at = text.slice(0, MOST_SEARCHED).search(/[^A-Za-z0-9+/=\r\n]/);
  if (at < 0 && text.length > MOST_SEARCHED) return rule;
  if (at < 0)
    return `${rule}: it has padding (=) before its end, or ends within a byte; was it cut off, or joined from two texts?`;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `${rule}: the character ${JSON.stringify(character)} at position ${at + 1} of ${text.length} ${likely(text, character)}`;
}

/** Words, or JSON. Base64 in which spaces replaced each `+` has far longer ones. */
function looksLikeText(text: string): boolean {
  const beginning = text.slice(0, 1000).trim();
  if (/^[[{"]/.test(beginning)) return true;
  const words = beginning.split(/ +/);
  return words.length > 1 && words.every((word) => /^[\p{L}\p{N}.,:;!?'"()-]{1,20}$/u.test(word));
}

function likely(text: string, character: string): string {
  if (/[-_]/.test(character)) return 'belongs to base64url; encode with + and / ("base64", not "base64url")';
  if (character === "%") return "comes from percent-encoding; send the base64 as it is";
  if (character === " ") {
    return / /.test(text.trim())
      ? "is a space, probably a + that form encoding replaced"
      : "is surrounding white space; trim it";
  }
  if (character === "\ufffd") return "comes from bytes that were read as text; encode the file's bytes";
  return "is not a base64 character; encode the file's bytes as base64";
}
