import { jsonCauses } from "./json.ts";
import { refusal, remark } from "./row.ts";
import { mistake } from "./signature.ts";
import { unset } from "./words.ts";

const BASE64 = "base64 (A-Z, a-z, 0-9, +, / and padding at the end)";

type WrongCharacter = {
  readonly field: string;
  /** The first character that is not base64, as JSON. */
  readonly character: string;
  /** From 1. */
  readonly position: number;
  readonly length: number;
};

const notBase64 =
  (advice: string, why: string) =>
  ({ field, character, position, length }: WrongCharacter): string =>
    `${advice}: ${field} is not ${BASE64}; the character ${character} at position ${position} of ${length} ${why}`;

/** How the bytes become base64, and what JSON made of them. */
const LOST = {
  array: ['Buffer.from(bytes).toString("base64")', "an array of bytes"],
  buffer: ['toString("base64")', "a Buffer that JSON wrote as an object"],
  uint8Array: ['Buffer.from(bytes).toString("base64")', "a Uint8Array that JSON wrote as an object"],
  stream: ["read the stream to its end first", "a stream that JSON wrote as an object"],
  object: [
    'Buffer.from(await blob.arrayBuffer()).toString("base64")',
    "an object that JSON wrote as {}, as it does with a Blob, File, ArrayBuffer, stream or Promise",
  ],
} as const;
export type LostAs = keyof typeof LOST;

const lost = (field: string, as: LostAs): string =>
  `send the bytes of ${field} as base64 (${LOST[as][0]}): it is ${LOST[as][1]}`;

/** Bodies, JSON and base64, in requests to any API. */
export const bodyCauses = {
  "body.unexpected": refusal<{ readonly method: string; readonly bytes: number }>(
    "The request has a body where none is allowed.",
    ({ method, bytes }) => `send no body with ${method}: got ${bytes} bytes`,
    "Send no body.",
    "DELETE /targets/{id}\n\n{}",
  ),
  "body.empty": refusal(
    "The body is empty.",
    () => "send a JSON object: the body is empty",
    "Send a JSON object.",
    "POST /targets with an empty body",
  ),
  "body.cut-off": refusal<{ readonly arrived: number; readonly announced: string }>(
    "Fewer bytes arrived than were announced.",
    ({ arrived, announced }) => `send the whole body: ${arrived} of ${announced} bytes arrived`,
    "Send the whole body: a Content-Length counts bytes. Look whether the client ended the request early.",
    "POST /targets, ended before as many bytes were sent as its Content-Length says",
  ),
  "body.too-large": refusal(
    "The body is too large for the server.",
    () => "the request body is larger than 64 MiB",
    "Send a smaller body.",
    "POST /targets with a body of more than 64 MiB",
  ),
  "body.reencoded": mistake<{
    readonly as: "latin1" | "replacement";
    /** Of the first U+FFFD, in bytes, from 1. */
    readonly position?: number;
  }>(
    "The body's bytes were read as text and encoded again on their way.",
    ({ as, position }) =>
      "send the bytes as they are, never as text: the body was encoded again on its way " +
      (as === "latin1"
        ? "(it was read as Latin-1 and written as UTF-8)"
        : `(byte ${position} begins U+FFFD, which decoders write in place of bytes that are not UTF-8)`),
    "Send the bytes (a Buffer) that were signed, and let no proxy, client or template read them as text.",
    "POST /v1/query with a form whose picture was read as text after it was signed",
  ),
  ...jsonCauses,
  "json.unset": refusal<{ readonly problem: string; readonly text: string }>(
    "The body is the text of a value that was not set.",
    ({ problem, text }) => `${unset("the body", text)}; it is not valid JSON: ${problem}`,
    "Check the variable that holds the body, await it, and write it as JSON.",
    "POST /targets\n\nundefined",
  ),
  "json.cut": refusal<{ readonly problem: string; readonly after?: string | undefined }>(
    "The body ends within its JSON.",
    ({ problem, after }) =>
      `send the whole body (a Content-Length counts bytes, not characters: Buffer.byteLength): it ends within its JSON${after === undefined ? "" : `, after ${after}`}; it is not valid JSON: ${problem}`,
    "Send the whole body: a Content-Length counts bytes, not characters.",
    'POST /targets\n\n{"name": "a',
  ),
  "json.too-large": refusal<{ readonly problem: string; readonly field: string }>(
    "The body has a Buffer that JSON wrote as an object, too large to be read.",
    ({ problem, field }) => `${lost(field, "buffer")}; the body is not valid JSON: ${problem}`,
    "Send the bytes of the image as base64, rather than as an object.",
    "POST /targets with a large Buffer as image, which JSON writes as an object",
  ),
  "json.twice": refusal(
    "The body is JSON that was written as JSON once more.",
    () => "call JSON.stringify once: the body is JSON that was written as JSON once more",
    "Call `JSON.stringify` once.",
    'POST /targets\n\n"{}"',
  ),
  "json.not-object": refusal<{ readonly given: string; readonly isUnset?: boolean }>(
    "The body is JSON, but no object.",
    ({ given, isUnset }) =>
      `${isUnset === true ? "check the variable that holds the body" : "send a JSON object as the body"}: got ${given}`,
    "Send a JSON object.",
    "POST /targets\n\n[]",
  ),
  "fields.missing": refusal<{
    readonly fields: string;
    /** Keys that the body has, but which are not known. */
    readonly unknown?: string;
    /** The key whose value has the fields. */
    readonly within?: string;
  }>(
    "The body lacks required fields.",
    ({ fields, unknown, within }) =>
      (within !== undefined
        ? `send the object of the key ${within} as the body itself`
        : unknown === undefined
          ? "add the missing keys"
          : `correct the names of the unknown keys (${unknown})`) +
      `: the body is missing required keys: ${fields}`,
    "Add the missing keys.",
    "POST /targets\n\n{}",
  ),
  "fields.unknown": refusal<{
    readonly fields: string;
    readonly meant?: string | undefined;
    readonly known: string;
  }>(
    "The body has unknown fields.",
    ({ fields, meant, known }) =>
      `${meant === undefined ? "remove the unknown keys" : `write ${meant}`}: the body has unknown keys (${fields}); expected only ${known}`,
    "Remove the unknown keys, or correct their names.",
    'POST /targets\n\n{ …, "activeFlag": true }',
  ),
  "bytes.lost": refusal<{ readonly field: string; readonly as: LostAs }>(
    "JSON lost the bytes of a field.",
    ({ field, as }) => lost(field, as),
    "Send bytes as base64: JSON cannot hold a Buffer, a Blob or a stream.",
    'POST /targets\n\n{ …, "image": {} }',
  ),
  "base64.unset": refusal<{ readonly field: string; readonly text: string }>(
    "A field is the text of a value that was not set, rather than base64.",
    ({ field, text }) => `${unset(field, text)}; expected ${BASE64}`,
    "Check the variable that holds the value, and await it.",
    'POST /targets\n\n{ …, "image": "[object Promise]" }',
  ),
  "base64.bytes": refusal<{ readonly field: string }>(
    "A field is a list of bytes as text, rather than base64.",
    ({ field }) =>
      `send Buffer.from(bytes).toString("base64") as ${field}: it is bytes written as text, rather than ${BASE64}`,
    'Send `Buffer.from(bytes).toString("base64")`.',
    'POST /targets\n\n{ …, "image": "137,80,78,71" }',
  ),
  "base64.text": refusal<{ readonly field: string }>(
    "A field is plain text, rather than base64.",
    ({ field }) =>
      `send Buffer.from(text).toString("base64") as ${field}: it is plain text, rather than ${BASE64}`,
    'Encode the text: `Buffer.from(text).toString("base64")`.',
    'POST /targets\n\n{ …, "application_metadata": "Hello, world!" }',
  ),
  "base64.data-uri": refusal<{ readonly field: string; readonly prefix: string }>(
    "A field is a data URI, rather than base64.",
    ({ field, prefix }) =>
      `send only what follows ${prefix} in ${field}: it is a data URI, rather than ${BASE64}`,
    "Send only what follows the comma of the data URI.",
    'POST /targets\n\n{ …, "image": "data:image/png;base64,iVBORw0KGgo=" }',
  ),
  "base64.file-name": refusal<{ readonly field: string; readonly isUrl: boolean }>(
    "A field is the name or the URL of a file, rather than base64.",
    ({ field, isUrl }) =>
      `${isUrl ? "download" : "read"} the file, and send the base64 of its bytes as ${field}: it is ${isUrl ? "a URL" : "the name of a file"}, rather than ${BASE64}`,
    "Read or download the file, and send the base64 of its bytes.",
    'POST /targets\n\n{ …, "image": "https://example.com/poster.png" }',
  ),
  "base64.quoted": refusal<{ readonly field: string; readonly isPython: boolean }>(
    "Base64 is in quotation marks or brackets.",
    ({ field, isPython }) =>
      `send ${field} without quotation marks or brackets${isPython ? " (it is Python's text of bytes: decode them)" : ""}: it is not ${BASE64}`,
    "Send the base64 alone: in Python, `b64encode(data).decode()`.",
    'POST /targets\n\n{ …, "image": "b\'iVBORw0KGgo=\'" }',
  ),
  "base64.cut": refusal<{ readonly field: string; readonly isShortened?: boolean }>(
    "Base64 was cut off, or joined from two texts.",
    ({ field, isShortened }) =>
      isShortened === true
        ? `send the whole base64 in ${field}: it ends with dots, as a text that was shortened`
        : `send the whole base64 in ${field}, encoded at once: it has padding (=) before its end, or ends within a byte, because it was cut off or joined from two texts`,
    "Send the whole text, encoded at once.",
    'POST /targets\n\n{ …, "image": "iVBOR=w0" }',
  ),
  "base64.url": refusal<WrongCharacter>(
    "A field is base64url, rather than base64.",
    notBase64('encode with + and / ("base64", not "base64url")', "belongs to base64url"),
    'Encode with `toString("base64")`, not `"base64url"`.',
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo-_w==" }',
  ),
  "base64.percent": refusal<WrongCharacter>(
    "Base64 was percent-encoded.",
    notBase64("send the base64 as it is", "comes from percent-encoding"),
    "Send the base64 as it is, without percent-encoding.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo%3D" }',
  ),
  "base64.escaped": refusal<WrongCharacter>(
    "Base64 has the escapes of another format.",
    notBase64("send the base64 as it is", "comes from an escape, such as \\n, \\/ or &#43;"),
    "Send the base64 as it is, without escapes of JSON, shells or HTML.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo\\\\nAAAA" }',
  ),
  "base64.spaces": refusal<WrongCharacter>(
    "Base64 has spaces in place of +.",
    notBase64("keep each + of the base64", "is a space, probably a + that form encoding replaced"),
    "Keep each + of the base64: form encoding replaces it by a space.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgoAAAANSUhEUgAA BBBB" }',
  ),
  "base64.trim": refusal<WrongCharacter>(
    "Base64 has white space around it, or tabs in it.",
    notBase64("remove the white space from the base64", "is white space"),
    "Trim the base64, and remove tabs.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo= " }',
  ),
  "base64.other": refusal<{ readonly field: string; readonly is: "base32" | "Ascii85" }>(
    "A field is in base32 or Ascii85, rather than base64.",
    ({ field, is }) => `encode ${field} as base64: it is ${is}, rather than ${BASE64}`,
    'Encode the bytes with `toString("base64")`.',
    'POST /targets\n\n{ …, "image": "<~9jqo^BlbD-BleB1DJ+*~>" }',
  ),
  "base64.decoded": refusal<WrongCharacter>(
    "A field has bytes that were read as text, rather than base64.",
    notBase64("encode the file's bytes", "comes from bytes that were read as text"),
    "Read the file as bytes (a Buffer), and encode these.",
    'POST /targets\n\n{ …, "image": "\ufffdPNG" }',
  ),
  "base64.malformed": refusal<{ readonly field: string } & Partial<WrongCharacter>>(
    "A field is not base64.",
    ({ field, character, position, length }) =>
      character === undefined
        ? `encode the file's bytes as base64: ${field} is not ${BASE64}`
        : `encode the file's bytes as base64: ${field} is not ${BASE64}; the character ${character} at position ${position} of ${length} is another one`,
    "Encode the file's bytes as base64.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo*" }',
  ),
  "base64.lines": remark<{ readonly field: string; readonly characters: number }>(
    "Base64 is in lines; their breaks are skipped.",
    ({ field, characters }) =>
      `leave it, or encode without line breaks: ${field} is base64 in lines of ${characters} characters, whose breaks are skipped`,
    "Nothing: the service skips line breaks. Encode without line breaks to send less.",
    'POST /targets\n\n{ …, "application_metadata": "YWJj\\nYWJj" }',
  ),
};
