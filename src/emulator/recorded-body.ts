import { gunzipSync } from "node:zlib";
import { decodeServiceBase64 } from "../schema/base64.ts";
import { isJsonObject } from "../schema/forms/values.ts";
import { formatOf, type ImageFormat, pixelSizeOf } from "./image-header.ts";
import { parseJson } from "./json.ts";
import { HIDDEN, isSecretName, maskJson, maskParameters, maskSentence } from "./masking.ts";
import { type HeaderList, header } from "./message.ts";
import { type FormPart, type MediaType, parseMediaType, readForm } from "./multipart.ts";
import { utf8TextOf } from "./text.ts";

/** An image in a body. */
export interface RecordedImage {
  /** Detected by its first bytes, whatever type was declared. */
  readonly format: ImageFormat;
  /** In pixels, from the image's header; undefined when the header is damaged. */
  readonly width: number | undefined;
  /** In pixels, from the image's header; undefined when the header is damaged. */
  readonly height: number | undefined;
  /** In bytes. */
  readonly size: number;
  /** The file itself. */
  readonly bytes: Buffer;
}

/** A file part of a multipart form. */
export interface RecordedFile {
  /** The `filename` parameter, possibly empty. */
  readonly filename: string;
  /** The part's own `Content-Type`. */
  readonly contentType: string | undefined;
  /** Exactly the bytes between the part's headers and the next boundary. */
  readonly bytes: Buffer;
  /** The image, if the file is one. */
  readonly image: RecordedImage | undefined;
}

/** How to read a body. */
export interface BodyFacts {
  /** The body's size as sent; masked bytes may differ in number. */
  readonly size: number;
  /** Headers of the message, which describe the body. */
  readonly headers: HeaderList;
  /** The bytes have no content encoding, whatever the headers say. */
  readonly isDecoded?: boolean;
  /** The API's bodies contain secrets by design: one that cannot be parsed, and so cannot be masked, is not shown at all. */
  readonly holdsSecrets?: boolean;
  /** Made by the emulator, not by a client. */
  readonly madeHere?: boolean;
}

interface Contents {
  readonly bytes: Buffer;
  /** Undefined: it is no multipart form. */
  readonly parts: readonly FormPart[] | undefined;
}

const SECRET_WORD = /secret|password|token|api[-_]?key/i;
/** A longer form is not split into its fields. */
const LONGEST_FORM = 2 ** 18;
/** Parsing a larger body, to mask or shorten it, takes long. */
const MOST_MASKED_BYTES = 2 ** 22;
const MOST_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * A body as recorded in the journal. Parsed only on access; a view that does not fit the body is undefined, and never throws.
 * Values of secret fields are masked in all views.
 *
 * @example
 * const { body } = mock.requests[0].request;
 * body.fields; // { image: { filename: "picture.jpg", bytes: <Buffer …>, … }, max_num_results: "5" }
 * String(body); // "image: ‹JPEG of 320x240 pixels, 20311 bytes›\nmax_num_results: 5"
 */
export class RecordedBody {
  /** In bytes, as it was sent. */
  readonly size: number;
  /** Private, because its headers are not masked. */
  readonly #facts: BodyFacts;
  #kept: Buffer | undefined;
  #whyDropped = "";

  /** @internal */
  constructor(bytes: Buffer | undefined, facts: BodyFacts) {
    this.size = facts.size;
    this.#facts = facts;
    this.#kept = bytes && withoutSurroundings(bytes);
    if (bytes === undefined) this.#whyDropped = "the journal no longer held it";
  }

  /** Whether the bytes were dropped to make room for newer bodies; see the option `journalBodyBytes`. */
  get dropped(): boolean {
    return this.#kept === undefined;
  }

  /**
   * Whether the API's bodies contain secrets by design, and whether the emulator made this one.
   *
   * @internal
   */
  get origin(): Required<Pick<BodyFacts, "holdsSecrets" | "madeHere">> {
    const { holdsSecrets = false, madeHere = false } = this.#facts;
    return { holdsSecrets, madeHere };
  }

  /**
   * Releases the bytes.
   *
   * @internal
   */
  drop(why: string): void {
    this.#kept = undefined;
    this.#whyDropped = why;
  }

  /** The bytes, decoded if they were sent with a content encoding; undefined when they were dropped. */
  get bytes(): Buffer | undefined {
    return this.#read()?.bytes;
  }

  /** The bytes as UTF-8. */
  get text(): string | undefined {
    return textOf(this.bytes);
  }

  /** The JSON value. */
  get json(): unknown {
    return jsonOf(this.text);
  }

  /** The fields of a form by name, as text or file; of repeated names, the first. */
  get fields(): Readonly<Record<string, string | RecordedFile>> | undefined {
    return this.#fieldsIn(this.#read());
  }

  /** The image: the body itself, the field `image` of a form, or the decoded `image` of a JSON object. */
  get image(): RecordedImage | undefined {
    const contents = this.#read();
    const itself = imageOf(contents?.bytes);
    if (itself !== undefined) return itself;
    const file = this.#fieldsIn(contents)?.image;
    if (typeof file === "object") return file.image;
    const json = jsonOf(textOf(contents?.bytes));
    const text = isJsonObject(json) ? json.image : undefined;
    return typeof text === "string" ? imageOf(decodeServiceBase64(text)) : undefined;
  }

  /** A short description: images as format, pixels and size; long text truncated. */
  toString(): string {
    const { size } = this;
    const contents = this.#read();
    if (contents === undefined) return `‹${size} bytes, dropped: ${this.#whyDropped}›`;
    const { bytes } = contents;
    if (bytes.length === 0) return "";
    const itself = imageOf(bytes);
    if (itself !== undefined) return showImage(itself);
    const fields = this.#fieldsIn(contents);
    if (fields !== undefined) {
      return Object.entries(fields)
        .map(([name, value]) => `${name}: ${typeof value === "string" ? cut(value) : showFile(value)}`)
        .join("\n");
    }
    if (bytes.length > MOST_MASKED_BYTES) return `‹${size} bytes, too many to be shown›`;
    const text = textOf(bytes);
    if (text === undefined) return `‹${size} bytes: ${bytes.toString("hex", 0, 16)}${size > 16 ? "…" : ""}›`;
    const json = jsonOf(text);
    return json === undefined ? cut(text) : JSON.stringify(shortened(json));
  }

  /** The JSON value with images described and long text truncated. */
  get shortJson(): unknown {
    return shortened(this.json);
  }

  /** For `JSON.stringify`: without bytes. */
  toJSON(): object {
    return { size: this.size, ...(this.dropped && { dropped: true }), text: this.toString() };
  }

  get #decoded(): Buffer | undefined {
    const isGzip =
      this.#facts.isDecoded !== true && header(this.#facts, "content-encoding")?.toLowerCase() === "gzip";
    if (this.#kept === undefined || !isGzip) return this.#kept;
    try {
      return gunzipSync(this.#kept, { maxOutputLength: MOST_DECODED_BYTES });
    } catch {
      return this.#kept;
    }
  }

  /** Each view decodes, parses and masks once; nothing of that is kept, because it may be as large as the body. */
  #read(): Contents | undefined {
    const decoded = this.#decoded;
    if (decoded === undefined) return undefined;
    const parts = this.#partsOf(decoded);
    const bytes = this.#withoutSecrets(decoded, parts);
    return { bytes, parts: bytes === decoded ? parts : parts && [] };
  }

  #fieldsIn(contents: Contents | undefined): Readonly<Record<string, string | RecordedFile>> | undefined {
    if (contents?.parts !== undefined) return firstOf(contents.parts.map(readField));
    const isForm = this.#mediaType.main === "application/x-www-form-urlencoded";
    if (!isForm || contents === undefined || contents.bytes.length > LONGEST_FORM) return undefined;
    return firstOf([...new URLSearchParams(textOf(contents.bytes) ?? "")]);
  }

  get #mediaType(): MediaType {
    return parseMediaType(header(this.#facts, "content-type") ?? "");
  }

  #partsOf(bytes: Buffer): readonly FormPart[] | undefined {
    const { main, parameters } = this.#mediaType;
    const boundary = parameters.get("boundary");
    if (main !== "multipart/form-data" || !boundary) return undefined;
    return readForm(bytes, boundary).parts;
  }

  #withoutSecrets(bytes: Buffer, parts: readonly FormPart[] | undefined): Buffer {
    const { holdsSecrets, madeHere } = this.origin;
    if (parts?.some(({ name }) => isSecretName(name))) return this.#notShown;
    const text = parts === undefined && formatOf(bytes) === undefined ? textOf(bytes) : undefined;
    if (text === undefined) return holdsSecrets && !madeHere && bytes.length > 0 ? this.#notShown : bytes;
    if (text === "" || !(holdsSecrets || SECRET_WORD.test(text))) return bytes;
    if (bytes.length > MOST_MASKED_BYTES) return this.#notShown;
    const json = jsonOf(text);
    if (json !== undefined) return Buffer.from(JSON.stringify(maskJson(json, holdsSecrets && !madeHere)));
    if (text.length <= LONGEST_FORM && /^[^\s{["]*=/.test(text)) return Buffer.from(maskParameters(text));
    if (madeHere) return Buffer.from(maskSentence(text));
    return holdsSecrets || /^\s*[{["]/.test(text) ? this.#notShown : bytes;
  }

  get #notShown(): Buffer {
    return Buffer.from(`‹${this.size} bytes, not shown because they may contain a secret›`);
  }
}

/** The bytes in a buffer of their own, if they are the smaller part of a larger one, such as what a socket received. */
function withoutSurroundings(bytes: Buffer): Buffer {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

const textOf = (bytes: Buffer | undefined): string | undefined => bytes && utf8TextOf(bytes);

function jsonOf(text: string | undefined): unknown {
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.error === undefined ? parsed?.value : undefined;
}

/** Of repeated names, the first counts. */
function firstOf<Value>(fields: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const named = new Map<string, Value>();
  for (const [name, value] of fields) if (!named.has(name)) named.set(name, value);
  return Object.fromEntries(named);
}

const readField = ({ name, filename, contentType, content }: FormPart): [string, string | RecordedFile] => [
  name,
  filename === undefined
    ? content.toString()
    : { filename, contentType, bytes: content, image: imageOf(content) },
];

function imageOf(bytes: Buffer | undefined): RecordedImage | undefined {
  const format = bytes === undefined ? undefined : formatOf(bytes);
  if (bytes === undefined || format === undefined) return undefined;
  const pixels = pixelSizeOf(bytes);
  return { format, width: pixels?.width, height: pixels?.height, size: bytes.length, bytes };
}

function showImage({ format, width, height, size }: RecordedImage): string {
  return `‹${format} of ${width ?? "?"}x${height ?? "?"} pixels, ${size} bytes›`;
}

const showFile = ({ image, bytes }: RecordedFile): string =>
  image === undefined ? `‹file of ${bytes.length} bytes, neither PNG nor JPEG›` : showImage(image);

const LONGEST_TEXT = 300;

const cut = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)`;

function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    const image = value.length < 32 || value === HIDDEN ? undefined : imageOf(decodeServiceBase64(value));
    return image === undefined ? cut(value) : showImage(image);
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
