import type Busboy from "busboy";
import { loadModule } from "./package.ts";
import { systemRandom } from "./random.ts";
import { finish, inTurns, type Steps } from "./scheduling.ts";

/** One part of a multipart form. */
export interface FormPart {
  /** The field's name, with case; empty when it has none. */
  readonly name: string;
  /** The `filename` parameter, possibly empty; undefined when the part is no file. */
  readonly filename: string | undefined;
  /** The part's own `Content-Type`. */
  readonly contentType: string | undefined;
  /** Exactly the bytes between the part's headers and the next boundary. */
  readonly content: Buffer;
}

/** A multipart form. */
export interface Form {
  readonly parts: readonly FormPart[];
  /** It has more than {@link MOST_PARTS} parts, of which the further ones are not read. */
  readonly isCut: boolean;
}

/** No form has as many. */
export const MOST_PARTS = 100;

/**
 * Parses a multipart form. Never fails: leaves out incomplete parts and those with malformed headers.
 *
 * @param boundary - from the `Content-Type` header, one character per byte.
 */
export const readForm = (body: Buffer, boundary: string): Form => finish(formSteps(body, boundary));

/** Like {@link readForm}, but lets other work run in between. */
export const readLargeForm = (body: Buffer, boundary: string): Promise<Form> =>
  inTurns(formSteps(body, boundary));

/** A `filename` parameter, or anything else in quotes; an unclosed quote ends with its line. */
const FILE_NAME = /;\s*filename\*?=(?:"((?:[^"\\\r\n]|\\.)*)"?|([^;\r\n]*))|"(?:[^"\\\r\n]|\\.)*"?/gi;

/**
 * Busboy reads only the parts' headers, and so at once: it would decode text, emit contents later, and take a part with an empty
 * file name, which browsers send, for a field. It gets numbers in place of file names, and each part's number as its transfer
 * encoding.
 */
function* formSteps(body: Buffer, boundary: string): Steps<Form> {
  const found = yield* partSteps(body, Buffer.from(boundary, "latin1"));
  const raw = found.slice(0, MOST_PARTS);
  // Unguessable, so that no part's headers can contain it. It needs no quoting.
  const safeBoundary = systemRandom.hex(64);
  const busboy: typeof Busboy = loadModule("busboy");
  const parser = busboy({
    headers: { "content-type": `multipart/form-data; boundary=${safeBoundary}` },
    preservePath: true,
  });
  const filenames: string[] = [];
  const parts: FormPart[] = [];
  parser.on("file", (name: string | undefined, stream, info: { filename?: string; encoding: string }) => {
    stream.resume();
    const { headers, content } = raw[Number(info.encoding)] ?? { headers: "", content: Buffer.alloc(0) };
    const [, contentType] = /^content-type\s*:\s*(.*)$/im.exec(headers) ?? [];
    const filename = info.filename === undefined ? undefined : filenames[Number(info.filename)];
    parts.push({ name: name ?? "", filename, contentType: contentType?.trim(), content });
  });
  // Emitted for malformed part headers, after which busboy reads on.
  parser.on("error", () => undefined);
  const pieces = raw.map(({ headers }, index) => {
    const numbered = headers.replace(FILE_NAME, (found, quoted?: string, bare = "") => {
      if (!found.startsWith(";")) return found;
      const written = quoted?.replace(/\\(.)/g, "$1") ?? bare.trim();
      return `; filename="${filenames.push(Buffer.from(written, "latin1").toString()) - 1}"`;
    });
    return (
      `--${safeBoundary}\r\nContent-Transfer-Encoding: ${index}\r\nContent-Type: application/octet-stream\r\n` +
      `${numbered}\r\n\r\n\r\n`
    );
  });
  parser.end(Buffer.from(`${pieces.join("")}--${safeBoundary}--\r\n`, "latin1"));
  return { parts, isCut: found.length > MOST_PARTS };
}

/** An unparsed part of a multipart body. */
interface RawPart {
  /** The header lines without the empty line after them, one character per byte. */
  readonly headers: string;
  readonly content: Buffer;
}

const HEADERS_END = "\r\n\r\n";
/** Busboy's limit is 16 KiB; {@link formSteps} adds a little. */
const MOST_HEADER_BYTES = 16_000;
const BOUNDARIES_PER_STEP = 1000;
const BYTES_PER_STEP = 2 ** 22;

/**
 * Finds the complete parts of a multipart body, up to one more than is read: those that another boundary follows. Ignores anything before the first
 * boundary or after the closing one, and parts whose headers do not end.
 */
function* partSteps(body: Buffer, boundary: Buffer): Steps<readonly RawPart[]> {
  const bare = Buffer.concat([Buffer.from("--"), boundary]);
  const delimiter = Buffer.concat([Buffer.from("\r\n"), bare]);
  const parts: RawPart[] = [];
  // At the start of the body, no line break precedes the first boundary.
  let start = body.subarray(0, bare.length).equals(bare) ? bare.length : 0;
  for (let boundaries = 1; parts.length <= MOST_PARTS; boundaries += 1) {
    const isPart = start > 0;
    if (isPart && body.toString("latin1", start, start + 2) === "--") break;
    if (boundaries % BOUNDARIES_PER_STEP === 0) yield;
    const end = yield* indexSteps(body, delimiter, start);
    if (end === -1) break;
    const part = isPart ? readPart(body.subarray(start, end)) : undefined;
    if (part !== undefined) parts.push(part);
    start = end + delimiter.length;
  }
  return parts;
}

/** Whether the bytes occur in a body, in steps. */
export const occursIn = async (body: Buffer, bytes: Buffer): Promise<boolean> =>
  (await inTurns(indexSteps(body, bytes, 0))) !== -1;

function* indexSteps(body: Buffer, bytes: Buffer, from: number): Steps<number> {
  for (let start = from; start < body.length; start += BYTES_PER_STEP, yield) {
    const found = body.subarray(start, start + BYTES_PER_STEP + bytes.length - 1).indexOf(bytes);
    if (found !== -1) return start + found;
  }
  return -1;
}

/** Parses what is between two boundaries: the rest of the boundary's line, header lines, content. */
function readPart(between: Buffer): RawPart | undefined {
  // Searching all of a long part takes long.
  const beginning = between.subarray(0, 2 * MOST_HEADER_BYTES);
  const lineEnd = beginning.indexOf("\r\n");
  if (lineEnd === -1 || between.toString("latin1", 0, lineEnd).trim() !== "") return undefined;
  const headersEnd = beginning.indexOf(HEADERS_END, lineEnd);
  // Directly after the boundary's line: there are no headers.
  if (headersEnd <= lineEnd || headersEnd > MOST_HEADER_BYTES) return undefined;
  return {
    headers: between.toString("latin1", lineEnd + 2, headersEnd),
    content: between.subarray(headersEnd + HEADERS_END.length),
  };
}

/** A parsed `Content-Type` header. */
export interface MediaType {
  /** The part before the first `;`, lower case. */
  readonly main: string;
  /** Parameters by lower-case name, unquoted; the first of repeated ones. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One parameter: its name, and its value, quoted or not. Anything else is skipped up to the next semicolon. */
const PARAMETER = /;\s*([^\s;="]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*)))?[^;]*/gs;

/** Parses a `Content-Type` header leniently; type and parameter names are case-insensitive. */
export function parseMediaType(value: string): MediaType {
  const [main = ""] = value.split(";", 1);
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, bare = ""] of value.slice(main.length).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, "$1") ?? bare.trim());
  }
  return { main: main.trim().toLowerCase(), parameters };
}
