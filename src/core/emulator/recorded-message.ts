import { gunzipSync } from "node:zlib";
import { formatOf } from "../general/image-header.ts";
import { bounded } from "../general/text.ts";
import {
  BodyContent,
  LONGEST_FORM,
  MOST_MASKED_BYTES,
  type RecordedFile,
  type RecordedImage,
} from "./body-content.ts";
import { isSecretName, maskHeaders, maskJson, maskParameters, maskSentence, namesSecret } from "./masking.ts";
import { type BodyStream, type HeaderList, header, headersByName, type WithHeaders } from "./message.ts";
import { type FormPart, type MediaType, parseMediaType, readForm } from "./multipart.ts";

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
  readonly isEmulators?: boolean;
}

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
  get origin(): { readonly holdsSecrets: boolean; readonly isEmulators: boolean } {
    const { holdsSecrets = false, isEmulators = false } = this.#facts;
    return { holdsSecrets, isEmulators };
  }

  /** Whether it has these bytes, or as many if it was dropped. @internal */
  isOf(bytes: Buffer): boolean {
    return this.#kept?.equals(bytes) ?? this.size === bytes.length;
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
    return this.content()?.bytes;
  }

  /** The bytes as UTF-8. */
  get text(): string | undefined {
    return this.content()?.text();
  }

  /** The JSON value. */
  get json(): unknown {
    return this.content()?.json();
  }

  /** The fields of a form by name, as text or file; of repeated names, the first. */
  get fields(): Readonly<Record<string, string | RecordedFile>> | undefined {
    return this.content()?.fields();
  }

  /** The image: the body itself, the field `image` of a form, or the decoded `image` of a JSON object. */
  get image(): RecordedImage | undefined {
    return this.content()?.image();
  }

  /** A short description: images as format, pixels and size; long text truncated. */
  toString(): string {
    const { size } = this;
    return this.content()?.describe(size) ?? `‹${size} bytes, dropped: ${this.#whyDropped}›`;
  }

  /** For `JSON.stringify`: without bytes. */
  toJSON(): object {
    return { size: this.size, ...(this.dropped && { dropped: true }), text: this.toString() };
  }

  /**
   * Returns the content without secrets; undefined when it was dropped. The body does not keep it, because it may be larger than the
   * bytes as sent: readers of several views ask once.
   *
   * @internal
   */
  content(): BodyContent | undefined {
    const decoded = this.#decoded;
    if (decoded === undefined) return undefined;
    const type = parseMediaType(header(this.#facts, "content-type") ?? "");
    const content = new BodyContent(decoded, type, partsOf(decoded, type));
    const shown = this.#withoutSecrets(content);
    return shown === decoded ? content : new BodyContent(shown, type, content.parts && []);
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

  #withoutSecrets(content: BodyContent): Buffer {
    const { bytes, parts } = content;
    const { holdsSecrets, isEmulators } = this.origin;
    if (parts?.some(({ name }) => isSecretName(name))) return this.#notShown;
    const text = parts === undefined && formatOf(bytes) === undefined ? content.text() : undefined;
    if (text === undefined) return holdsSecrets && !isEmulators && bytes.length > 0 ? this.#notShown : bytes;
    if (text === "" || !(holdsSecrets || namesSecret(text))) return bytes;
    if (bytes.length > MOST_MASKED_BYTES) return this.#notShown;
    const json = content.json();
    if (json !== undefined) return Buffer.from(JSON.stringify(maskJson(json, holdsSecrets && !isEmulators)));
    if (text.length <= LONGEST_FORM && /^[^\s{["]*=/.test(text)) return Buffer.from(maskParameters(text));
    if (isEmulators) return Buffer.from(maskSentence(text));
    return holdsSecrets || /^\s*[{["]/.test(text) ? this.#notShown : bytes;
  }

  get #notShown(): Buffer {
    return Buffer.from(`‹${this.size} bytes, not shown because they may contain a secret›`);
  }
}

function partsOf(bytes: Buffer, { main, parameters }: MediaType): readonly FormPart[] | undefined {
  const boundary = parameters.get("boundary");
  if (main !== "multipart/form-data" || !boundary) return undefined;
  return readForm(bytes, boundary).parts;
}

/** The bytes in a buffer of their own, if they are the smaller part of a larger one, such as what a socket received. */
function withoutSurroundings(bytes: Buffer): Buffer {
  if (bytes.length * 2 >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** The recorded parts of a message. */
interface Parts {
  readonly headers: HeaderList;
  /** Of requests. */
  readonly query?: string;
  readonly body: RecordedBody;
}

abstract class RecordedMessage {
  readonly #parts: Parts;
  /** The body, as bytes and in parsed form. */
  readonly body: RecordedBody;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.body = parts.body;
  }

  /** Whether its `Authorization` ends with this signature, which is never shown. @internal */
  isSignedWith(signature: string): boolean {
    return header(this.#parts, "authorization")?.endsWith(`:${signature}`) === true;
  }

  /** Whether its `Authorization` names this access key. @internal */
  namesKey(accessKey: string): boolean {
    return header(this.#parts, "authorization")?.includes(` ${accessKey}:`) === true;
  }

  /** Header lines in order, with their case as far as the transport preserves it. Credentials are masked. */
  get headerLines(): HeaderList {
    return maskHeaders(this.#parts.headers);
  }

  /** Headers by lower-case name; repeated ones are joined with `, `. Credentials are masked. */
  get headers(): Readonly<Record<string, string>> {
    return headersByName({ headers: this.headerLines });
  }

  /** @internal */
  protected get maskedQuery(): string {
    return maskParameters(this.#parts.query ?? "");
  }
}

/**
 * A request as it arrived.
 *
 * @example
 * const { headers, body } = mock.requests[0].request;
 * headers["content-type"]; // "application/json"
 * body.json; // { name: "poster", width: 1, image: "iVBORw0…" }
 * body.image; // { format: "PNG", width: 320, height: 240, size: 20311, bytes: <Buffer …> }
 */
export class RecordedRequest extends RecordedMessage {
  /** The query string without its `?`; empty when there is none. Values of secret parameters are masked. */
  get query(): string {
    return this.maskedQuery;
  }

  /** For `JSON.stringify`: without bytes. */
  toJSON(): object {
    return { headers: this.headers, query: this.query, body: this.body };
  }
}

/**
 * A response as the client got it.
 *
 * @example mock.requests[0].response?.body.json // { result_code: "Success", … }
 */
export class RecordedResponse extends RecordedMessage {
  /** For `JSON.stringify`: without bytes. */
  toJSON(): object {
    return { headers: this.headers, body: this.body };
  }
}

/** Of all header lines. Most requests have a tenth. */
export const MOST_CHARACTERS = 16_384;

/** The header lines that fit into the journal; usually all, as they are. */
function boundedLines(headers: HeaderList): HeaderList {
  const lines: (readonly [string, string])[] = [];
  let length = 0;
  let isShort = true;
  for (const [name, value] of headers) {
    length += name.length + value.length;
    if (length > MOST_CHARACTERS) break;
    const line = [name, bounded(value)] as const;
    isShort &&= line[1] === value;
    lines.push(line);
  }
  const left = headers.length - lines.length;
  if (left > 0) return [...lines, ["…", `${left} more header lines, not kept`]];
  return isShort ? headers : lines;
}

/** @param holdsSecrets - whether the API's bodies contain secrets by design. */
export function recordRequest(
  { headers, query, body }: WithHeaders & { readonly query: string; readonly body: Buffer },
  holdsSecrets: boolean,
): RecordedRequest {
  const kept = boundedLines(headers);
  const facts = { size: body.length, headers: kept, holdsSecrets };
  return new RecordedRequest({ headers: kept, body: new RecordedBody(body, facts), query: bounded(query) });
}

/** @param holdsSecrets - whether the API's bodies contain secrets by design. */
export function recordResponse(
  { headers, body }: { readonly headers: HeaderList; readonly body: Buffer | BodyStream },
  holdsSecrets: boolean,
): RecordedResponse {
  const facts = { size: body.length, headers, holdsSecrets, isEmulators: true };
  return new RecordedResponse({
    headers,
    body: new RecordedBody("chunks" in body ? undefined : body, facts),
  });
}
