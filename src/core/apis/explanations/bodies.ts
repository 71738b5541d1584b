import { header, type WireRequest } from "../../emulator/message.ts";
import { isJsonObject, type JsonFault, type ParsedJson, parseJson } from "../../general/json.ts";
import { show } from "../../general/text.ts";
import {
  BYTES_AS_TEXT,
  beginningOf,
  NAME_OF_FILE,
  PLACEHOLDER,
  URL_OF_FILE,
} from "../../general/text-kinds.ts";
import type { LostAs } from "../../schema/causes/bodies.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import { malformedJson, mayHoldSecret } from "./json-mistakes.ts";

const BUFFER_IN_JSON = /"([^"\\]{1,80})":\{"type":"Buffer","data":\[/;
const MOST_READ = 4096;
/** Of the end of a body that was cut, in characters. */
const MOST_SHOWN = 20;

/** Whether a text stands for a value that was not read. */
export const isUnreadText = (text: string): boolean =>
  text === "undefined" || text === "null" || /^\[object \w{1,40}\]$/.test(text);

export function notJsonObject(json: ParsedJson, bytes: Buffer): AnyCause {
  if (json.error !== undefined) {
    const { error: problem } = json;
    const beginning = bytes.toString("utf8", 0, MOST_READ);
    const [, field] = BUFFER_IN_JSON.exec(beginning) ?? [];
    // JSON with as many numbers is not read.
    if (field !== undefined && json.fault === "tooLong") return cause("json.too-large", { problem, field });
    if (isUnreadText(beginning)) return cause("json.unset", { problem, text: beginning });
    return endsWithin(bytes, json)
      ? cause("json.cut", { problem, ...(!mayHoldSecret(bytes) && { after: show(endOf(bytes)) }) })
      : malformedJson(bytes, json);
  }
  const { value } = json;
  if (value === null) return cause("json.not-object", { given: show(value), isUnset: true });
  const inner = typeof value === "string" ? parseJson(value) : undefined;
  return inner !== undefined && inner.error === undefined && isJsonObject(inner.value)
    ? cause("json.twice")
    : cause("json.not-object", { given: show(value) });
}

const endOf = (bytes: Buffer): string =>
  bytes
    .subarray(-4 * MOST_SHOWN)
    .toString("utf8")
    .slice(-MOST_SHOWN);

export const endsWithin = (body: Buffer, json?: ParsedJson): boolean =>
  /^\s*[{[]/.test(body.toString("latin1", 0, 64)) && isUnended((json ?? parseJson(body)).fault, body);

/** For long texts, the fault does not tell an unexpected end from a wrong character. */
const isUnended = (fault: JsonFault | undefined, body: Buffer): boolean =>
  fault === "end" ||
  (fault === "characterOrEnd" && !/[}\]]\s*$/.test(body.toString("latin1", body.length - 64)));

/** What JSON lost of a value; undefined if nothing is known. */
export function lostInJson(field: string, value: unknown): AnyCause | undefined {
  const as = lostAs(value);
  return as && cause("bytes.lost", { field, as });
}

function lostAs(value: unknown): LostAs | undefined {
  if (Array.isArray(value)) return value.length > 2 && value.slice(0, 8).every(isByte) ? "array" : undefined;
  if (!isJsonObject(value)) return undefined;
  if (value.type === "Buffer" && Array.isArray(value.data)) return "buffer";
  if (isByte(value["0"])) return "uint8Array";
  if ("_readableState" in value) return "stream";
  return Object.keys(value).length === 0 ? "object" : undefined;
}

const isByte = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

/** What a form lost of an image; undefined if nothing is known. */
export function lostInForm(content: Buffer): AnyCause | undefined {
  const text = content.toString("utf8", 0, 64);
  if (BYTES_AS_TEXT.test(text)) return cause("image.no-file", { isBytes: true });
  return isUnreadText(text) ? cause("image.no-file", { text }) : undefined;
}

export const malformedLength = ({ headers, body }: WireRequest): AnyCause =>
  cause("content-length.malformed", {
    given: show(header({ headers }, "content-length")),
    bytes: body.length,
  });

export function wrongLength({ headers, body }: WireRequest): AnyCause {
  const given = header({ headers }, "content-length");
  const inCharacters = Number(given) < body.length && Number(given) === body.toString("utf8").length;
  return cause("content-length.wrong", { given: show(given), bytes: body.length, inCharacters });
}

const QUOTED_BASE64 = /^b?['"\u201c<`[][A-Za-z0-9+/]{8}/;
const LONGEST_NAME = 2048;
const MOST_SEARCHED = 2 ** 22;

/** Explains where a field's base64 is invalid, and the likely cause. */
export function explainBase64(field: string, text: string): AnyCause {
  if (isUnreadText(text)) return cause("base64.unset", { field, text });
  if (BYTES_AS_TEXT.test(text)) return cause("base64.bytes", { field });
  const other = otherBaseOf(text);
  if (other !== undefined) return cause("base64.other", { field, is: other });
  const dataUri = /^(?:data:[^,]{0,200}|(?:image\/\w{1,20};)?base64),/i.exec(text);
  if (dataUri !== null) return cause("base64.data-uri", { field, prefix: show(dataUri[0]) });
  const isFile = field === "image" ? fileNamedBy(text) : undefined;
  if (isFile !== undefined) return cause("base64.file-name", { field, isUrl: isFile === "url" });
  if (PLACEHOLDER.test(text)) return textAs(field, text);
  if (QUOTED_BASE64.test(text)) return cause("base64.quoted", { field, isPython: text.startsWith("b") });
  if (looksLikeText(text) || text.startsWith("-----BEGIN") || fileNamedBy(text) !== undefined)
    return textAs(field, text);
  if (/^[A-Za-z0-9+/]{64}.*(?:\.{3}|…)$/s.test(text))
    return cause("base64.cut", { field, isShortened: true });
  if (field === "image" && isShorterThanPictures(text)) return textAs(field, text);
  const at = text.slice(0, MOST_SEARCHED).search(/[^A-Za-z0-9+/=\r\n]/);
  if (at < 0 && text.length > MOST_SEARCHED) return cause("base64.malformed", { field });
  if (at < 0) return cause("base64.cut", { field });
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return cause(likely(text, character), {
    field,
    character: JSON.stringify(character),
    position: at + 1,
    length: text.length,
  });
}

/** Base32 has eight characters for five bytes, and digits from 2 to 7 only; without padding, short texts may be words. */
function otherBaseOf(text: string): "base32" | "Ascii85" | undefined {
  if (text.startsWith("<~")) return "Ascii85";
  return text.length % 8 === 0 && /^[A-Z2-7]{24,}={1,6}$/.test(text.slice(0, MOST_SEARCHED))
    ? "base32"
    : undefined;
}

function fileNamedBy(text: string): "url" | "name" | undefined {
  const beginning = text.slice(0, LONGEST_NAME);
  if (URL_OF_FILE.test(beginning)) return "url";
  return NAME_OF_FILE.test(beginning) ? "name" : undefined;
}

const textAs = (field: string, text: string): AnyCause =>
  field === "image"
    ? cause("image.text", { text: beginningOf(text), isField: true })
    : cause("base64.text", { field });

/** The base64 of the smallest PNG is longer. */
const FEWEST_CHARACTERS = 88;

/** A text, decoded or not, that is no beginning of a picture, and shorter than any. */
const isShorterThanPictures = (text: string): boolean =>
  text.length < FEWEST_CHARACTERS && !/iVBOR|\/9j\/|[\r\n]/.test(text) && !READ_AS_TEXT.test(text);

/** The first bytes of a PNG or JPEG, read as UTF-8, Latin-1 or Windows-1252. */
const READ_AS_TEXT = /^(?:[\u0089\u2030\ufffd]PNG|\u00ff\u00d8|\ufffd{2})/;

/** Why base64 that decodes to no known kind of file is no picture. */
export function explainUnknown(text: string, otherwise: AnyCause): AnyCause {
  if (isShorterThanPictures(text)) return textAs("image", text);
  const is = otherBaseOf(text);
  return is === undefined ? otherwise : cause("base64.other", { field: "image", is });
}

/** Words, or JSON. Base64 in which spaces replaced each `+` has far longer ones. */
function looksLikeText(text: string): boolean {
  const beginning = text.slice(0, 1000).trim();
  if (/^[[{"]/.test(beginning)) return true;
  if (LABEL.test(beginning)) return true;
  const words = beginning.split(/ +/);
  return words.length > 1 && words.every((word) => /^[\p{L}\p{N}.,:;!?'"()-]{1,20}$/u.test(word));
}

/** Words or numbers with signs between them, such as `sku-42` or `a_b@example.com`; base64url mixes cases. */
const LABEL =
  /^(?:\p{Lu}?[\p{Ll}\p{N}]{1,20}|[\p{Lu}\p{N}]{1,20})(?:[-_.,:;@#&'](?:\p{Lu}?[\p{Ll}\p{N}]{1,20}|[\p{Lu}\p{N}]{1,20})){0,8}$/u;

function likely(text: string, character: string) {
  if (/[-_]/.test(character)) return "base64.url";
  if (character === "%") return "base64.percent";
  if (character === "\\" || character === "&") return "base64.escaped";
  if (character === "\t" || character === "\f" || character === "\v") return "base64.trim";
  if (character === " ") return / /.test(text.trim()) ? "base64.spaces" : "base64.trim";
  return character === "\ufffd" || READ_AS_TEXT.test(text) ? "base64.decoded" : "base64.malformed";
}
