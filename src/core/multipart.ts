import { createHash } from "node:crypto";
import type Busboy from "busboy";
import { loadModule } from "./load-module.ts";

/** One part of a multipart form. */
export interface FormPart {
  /** The field's name, with case; empty when it has none. */
  readonly name: string;
  /** Whether it has a `filename` parameter, possibly an empty one. */
  readonly isFile: boolean;
  /** Exactly the bytes between the part's headers and the next boundary. */
  readonly content: Buffer;
}

/**
 * Parses a multipart form. Never fails: leaves out incomplete parts and those with malformed headers.
 *
 * @param boundary - from the `Content-Type` header, one character per byte.
 */
export async function readForm(body: Buffer, boundary: string): Promise<readonly FormPart[]> {
  // A hash of the body cannot occur in the body, and needs no quoting.
  const safeBoundary = createHash("sha256").update(body).digest("hex");
  const busboy: typeof Busboy = loadModule("busboy");
  const parser = busboy({
    headers: { "content-type": `multipart/form-data; boundary=${safeBoundary}` },
    preservePath: true,
  });
  const parts: Promise<FormPart>[] = [];
  parser.on("file", (name: string | undefined, stream, { filename }: { filename: string | undefined }) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    parts.push(
      new Promise((resolve) => {
        stream.on("end", () =>
          resolve({ name: name ?? "", isFile: filename !== undefined, content: Buffer.concat(chunks) }),
        );
      }),
    );
  });
  // Emitted for malformed part headers, after which busboy reads on.
  parser.on("error", () => undefined);
  const closed = new Promise((resolve) => parser.on("close", resolve));
  parser.end(forBusboy(splitParts(body, Buffer.from(boundary, "latin1")), safeBoundary));
  await closed;
  return Promise.all(parts);
}

/** A `filename` parameter, or anything else in quotes; an unclosed quote ends with its line. */
const FILE_NAME = /;\s*filename\*?=(?:"(?:[^"\\\r\n]|\\.)*"?|[^;\r\n]*)|"(?:[^"\\\r\n]|\\.)*"?/gi;

/**
 * Joins the parts into one complete body. Declares every part `application/octet-stream`, because busboy decodes and
 * truncates text. Replaces file names, which nothing reads, because busboy treats an empty one as missing.
 */
function forBusboy(parts: readonly RawPart[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => {
    const named = headers.replace(FILE_NAME, (found) => (found.startsWith(";") ? '; filename="-"' : found));
    const lines = `--${boundary}\r\nContent-Type: application/octet-stream\r\n${named}\r\n\r\n`;
    return [Buffer.from(lines, "latin1"), content, Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** An unparsed part of a multipart body. */
export interface RawPart {
  /** The header lines without the empty line after them, one character per byte. */
  readonly headers: string;
  readonly content: Buffer;
}

const HEADERS_END = "\r\n\r\n";
/** Busboy's limit is 16 KiB; {@link forBusboy} adds a little. */
const MOST_HEADER_BYTES = 16_000;

/**
 * Finds the complete parts of a multipart body: those that another boundary follows. Ignores anything before the first
 * boundary or after the closing one, and parts whose headers do not end.
 */
export function splitParts(body: Buffer, boundary: Buffer): readonly RawPart[] {
  const delimiter = Buffer.concat([Buffer.from("\r\n--"), boundary]);
  const parts: RawPart[] = [];
  let start = firstBoundaryEnd(body, delimiter);
  while (start !== -1 && body.toString("latin1", start, start + 2) !== "--") {
    const end = body.indexOf(delimiter, start);
    if (end === -1) break;
    const part = readPart(body.subarray(start, end));
    if (part !== undefined) parts.push(part);
    start = end + delimiter.length;
  }
  return parts;
}

/** The end of the first boundary, or -1. At the start of the body, no line break precedes it. */
function firstBoundaryEnd(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(2);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  const found = body.indexOf(delimiter);
  return found === -1 ? -1 : found + delimiter.length;
}

/** Parses what is between two boundaries: the rest of the boundary's line, header lines, content. */
function readPart(between: Buffer): RawPart | undefined {
  const lineEnd = between.indexOf("\r\n");
  if (lineEnd === -1 || between.toString("latin1", 0, lineEnd).trim() !== "") return undefined;
  const headersEnd = between.indexOf(HEADERS_END, lineEnd);
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
