import { jsonCauses } from "./json.ts";
import { refusal, remark } from "./row.ts";
import { mistake } from "./signature.ts";
import { unread } from "./words.ts";

const BASE64 = "is not base64 (A-Z, a-z, 0-9, +, / and padding at the end)";

type Place = {
  readonly field: string;
  /** The first character that is not base64, as JSON. */
  readonly character: string;
  /** From 1. */
  readonly position: number;
  readonly length: number;
};

const notBase64 =
  (why: string) =>
  ({ field, character, position, length }: Place): string =>
    `${field} ${BASE64}: the character ${character} at position ${position} of ${length} ${why}`;

const LOST = {
  array: 'is an array of bytes: send them as base64 (Buffer.from(bytes).toString("base64"))',
  buffer: 'is a Buffer that JSON wrote as an object: send it as base64 (toString("base64"))',
  uint8Array:
    'is a Uint8Array that JSON wrote as an object: send it as base64 (Buffer.from(bytes).toString("base64"))',
  stream: "is a stream that JSON wrote as an object: read it to its end, then send its bytes as base64",
  object:
    "is an object that JSON wrote as {}, as it does with a Blob, File, ArrayBuffer, stream or Promise: await its bytes, " +
    'then send them as base64 (Buffer.from(await blob.arrayBuffer()).toString("base64"))',
} as const;
export type LostAs = keyof typeof LOST;

/** Bodies, JSON and base64, in requests to any API. */
export const bodyCauses = {
  "body.unexpected": refusal<{ readonly method: string; readonly bytes: number }>(
    "The request has a body where none is allowed.",
    ({ method, bytes }) => `a ${method} request must not have a body; got ${bytes} bytes`,
    "Send no body.",
    "DELETE /targets/{id}\n\n{}",
  ),
  "body.empty": refusal(
    "The body is empty.",
    () => "the body is empty; expected a JSON object",
    "Send a JSON object.",
    "POST /targets with an empty body",
  ),
  "body.cut-off": refusal<{ readonly arrived: number; readonly announced: string }>(
    "Fewer bytes arrived than were announced.",
    ({ arrived, announced }) => `the body was cut off: ${arrived} of ${announced} bytes arrived`,
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
    ({ problem, text }) => `the body is not valid JSON: ${problem}; ${unread(text)}`,
    "Check the variable that holds the body, await it, and write it as JSON.",
    "POST /targets\n\nundefined",
  ),
  "json.cut": refusal<{ readonly problem: string; readonly after?: string | undefined }>(
    "The body ends within its JSON.",
    ({ problem, after }) =>
      `the body is not valid JSON: ${problem}; the body ends within its JSON${after === undefined ? "" : `, after ${after}`} (a Content-Length counts bytes, not characters: Buffer.byteLength)`,
    "Send the whole body: a Content-Length counts bytes, not characters.",
    'POST /targets\n\n{"name": "a',
  ),
  "json.too-large": refusal<{ readonly problem: string; readonly field: string }>(
    "The body has a Buffer that JSON wrote as an object, too large to be read.",
    ({ problem, field }) => `the body is not valid JSON: ${problem}; ${field} ${LOST.buffer}`,
    "Send the bytes of the image as base64, rather than as an object.",
    "POST /targets with a large Buffer as image, which JSON writes as an object",
  ),
  "json.twice": refusal(
    "The body is JSON that was written as JSON once more.",
    () => "the body is JSON that was written as JSON once more: call JSON.stringify once",
    "Call `JSON.stringify` once.",
    'POST /targets\n\n"{}"',
  ),
  "json.not-object": refusal<{ readonly given: string; readonly isUnset?: boolean }>(
    "The body is JSON, but no object.",
    ({ given, isUnset }) =>
      `the body must be a JSON object; got ${given}${isUnset === true ? ": check the variable that holds it" : ""}`,
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
      `${within === undefined ? "" : `send the object of the key ${within} as the body itself: `}the body is missing required keys: ${fields}` +
      (unknown === undefined || within !== undefined
        ? ""
        : `; it has unknown keys (${unknown}): correct their names`),
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
      `the body has unknown keys (${fields})${meant === undefined ? "" : `; is ${meant} meant?`}; expected only ${known}`,
    "Remove the unknown keys, or correct their names.",
    'POST /targets\n\n{ …, "activeFlag": true }',
  ),
  "bytes.lost": refusal<{ readonly field: string; readonly as: LostAs }>(
    "JSON lost the bytes of a field.",
    ({ field, as }) => `${field} ${LOST[as]}`,
    "Send bytes as base64: JSON cannot hold a Buffer, a Blob or a stream.",
    'POST /targets\n\n{ …, "image": {} }',
  ),
  "base64.unset": refusal<{ readonly field: string; readonly text: string }>(
    "A field is the text of a value that was not set, rather than base64.",
    ({ field, text }) => `${field} ${BASE64}: ${unread(text)}`,
    "Check the variable that holds the value, and await it.",
    'POST /targets\n\n{ …, "image": "[object Promise]" }',
  ),
  "base64.bytes": refusal<{ readonly field: string }>(
    "A field is a list of bytes as text, rather than base64.",
    ({ field }) =>
      `${field} ${BASE64}: it is bytes written as text; send Buffer.from(bytes).toString("base64")`,
    'Send `Buffer.from(bytes).toString("base64")`.',
    'POST /targets\n\n{ …, "image": "137,80,78,71" }',
  ),
  "base64.text": refusal<{ readonly field: string }>(
    "A field is plain text, rather than base64.",
    ({ field }) => `${field} ${BASE64}: it is plain text; send Buffer.from(text).toString("base64")`,
    'Encode the text: `Buffer.from(text).toString("base64")`.',
    'POST /targets\n\n{ …, "application_metadata": "Hello, world!" }',
  ),
  "base64.data-uri": refusal<{ readonly field: string; readonly prefix: string }>(
    "A field is a data URI, rather than base64.",
    ({ field, prefix }) => `${field} ${BASE64}: it is a data URI; send only what follows ${prefix}`,
    "Send only what follows the comma of the data URI.",
    'POST /targets\n\n{ …, "image": "data:image/png;base64,iVBORw0KGgo=" }',
  ),
  "base64.file-name": refusal<{ readonly field: string; readonly isUrl: boolean }>(
    "A field is the name or the URL of a file, rather than base64.",
    ({ field, isUrl }) =>
      `${field} ${BASE64}: it is ${isUrl ? "a URL: download" : "the name of a file: read"} the file, and send the base64 of its bytes`,
    "Read or download the file, and send the base64 of its bytes.",
    'POST /targets\n\n{ …, "image": "https://example.com/poster.png" }',
  ),
  "base64.quoted": refusal<{ readonly field: string; readonly isPython: boolean }>(
    "Base64 is in quotation marks or brackets.",
    ({ field, isPython }) =>
      `${field} ${BASE64}: send it without quotation marks or brackets${isPython ? " (it is Python's text of bytes: decode them)" : ""}`,
    "Send the base64 alone: in Python, `b64encode(data).decode()`.",
    'POST /targets\n\n{ …, "image": "b\'iVBORw0KGgo=\'" }',
  ),
  "base64.cut": refusal<{ readonly field: string; readonly isShortened?: boolean }>(
    "Base64 was cut off, or joined from two texts.",
    ({ field, isShortened }) =>
      isShortened === true
        ? `send the whole base64 in ${field}: it ends with dots, as a text that was shortened`
        : `${field} ${BASE64}: it has padding (=) before its end, or ends within a byte, because it was cut off or joined from two texts`,
    "Send the whole text, encoded at once.",
    'POST /targets\n\n{ …, "image": "iVBOR=w0" }',
  ),
  "base64.url": refusal<Place>(
    "A field is base64url, rather than base64.",
    notBase64('belongs to base64url; encode with + and / ("base64", not "base64url")'),
    'Encode with `toString("base64")`, not `"base64url"`.',
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo-_w==" }',
  ),
  "base64.percent": refusal<Place>(
    "Base64 was percent-encoded.",
    notBase64("comes from percent-encoding; send the base64 as it is"),
    "Send the base64 as it is, without percent-encoding.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo%3D" }',
  ),
  "base64.escaped": refusal<Place>(
    "Base64 has the escapes of another format.",
    notBase64("comes from an escape, such as \\n, \\/ or &#43;; send the base64 as it is"),
    "Send the base64 as it is, without escapes of JSON, shells or HTML.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo\\\\nAAAA" }',
  ),
  "base64.spaces": refusal<Place>(
    "Base64 has spaces in place of +.",
    notBase64("is a space, probably a + that form encoding replaced"),
    "Keep each + of the base64: form encoding replaces it by a space.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgoAAAANSUhEUgAA BBBB" }',
  ),
  "base64.trim": refusal<Place>(
    "Base64 has white space around it.",
    notBase64("is surrounding white space; trim it"),
    "Trim the base64.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo= " }',
  ),
  "base64.decoded": refusal<Place>(
    "A field has bytes that were read as text, rather than base64.",
    notBase64("comes from bytes that were read as text; encode the file's bytes"),
    "Read the file as bytes (a Buffer), and encode these.",
    'POST /targets\n\n{ …, "image": "\ufffdPNG" }',
  ),
  "base64.malformed": refusal<{ readonly field: string } & Partial<Place>>(
    "A field is not base64.",
    ({ field, character, position, length }) =>
      character === undefined
        ? `${field} ${BASE64}`
        : `${field} ${BASE64}: the character ${character} at position ${position} of ${length} is not a base64 character; encode the file's bytes as base64`,
    "Encode the file's bytes as base64.",
    'POST /targets\n\n{ …, "image": "iVBORw0KGgo*" }',
  ),
  "base64.lines": remark<{ readonly field: string; readonly characters: number }>(
    "Base64 is in lines; their breaks are skipped.",
    ({ field, characters }) =>
      `${field} is base64 in lines of ${characters} characters, whose line breaks are skipped`,
    "Nothing: the service skips line breaks. Encode without line breaks to send less.",
    'POST /targets\n\n{ …, "application_metadata": "YWJj\\nYWJj" }',
  ),
};
