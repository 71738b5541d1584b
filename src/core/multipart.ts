import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type Busboy from "busboy";

/** Loaded when the first form is read, and not by `import()`, which Jest refuses in CommonJS. */
const loadModule = createRequire(import.meta.url);

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
 * Reads a multipart form. Never fails: parts that did not end, or whose headers are broken, are left out.
 *
 * @param boundary - as the `Content-Type` header has it: one character per byte.
 */
export async function readForm(body: Buffer, boundary: string): Promise<readonly FormPart[]> {
  // A hash of the body does not occur in the body, and needs no quoting.
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
  // So it reports broken part headers, and reads on behind them.
  parser.on("error", () => undefined);
  const closed = new Promise((resolve) => parser.on("close", resolve));
  parser.end(forBusboy(splitParts(body, Buffer.from(boundary, "latin1")), safeBoundary));
  await closed;
  return Promise.all(parts);
}

/** A `filename` parameter, or anything else in quotes; quotes that do not close end with their line. */
const FILE_NAME = /;\s*filename\*?=(?:"(?:[^"\\\r\n]|\\.)*"?|[^;\r\n]*)|"(?:[^"\\\r\n]|\\.)*"?/gi;

/**
 * The parts as one complete body. Every part is declared `application/octet-stream`, which makes busboy hand over its
 * bytes: it would decode, and cut, what it takes for text. File names, which matter to nobody, are made ones that
 * busboy accepts: it takes an empty one for none.
 */
function forBusboy(parts: readonly RawPart[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => {
    const named = headers.replace(FILE_NAME, (found) => (found.startsWith(";") ? '; filename="-"' : found));
    const lines = `--${boundary}\r\nContent-Type: application/octet-stream\r\n${named}\r\n\r\n`;
    return [Buffer.from(lines, "latin1"), content, Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** A part as it stands in a multipart body. */
export interface RawPart {
  /** The header lines without the empty line behind them, one character per byte. */
  readonly headers: string;
  readonly content: Buffer;
}

const HEADERS_END = "\r\n\r\n";
/** Busboy takes 16 KiB; a little is left for what is added. */
const MOST_HEADER_BYTES = 16_000;

/**
 * Finds the parts of a multipart body that ended: another boundary stands behind each of them. What comes before the
 * first boundary or behind the closing one, and what has no end of its headers, is no part.
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

/** Where the first boundary ends; it may begin the body, and then has no line end before it. -1: there is none. */
function firstBoundaryEnd(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(2);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  const found = body.indexOf(delimiter);
  return found === -1 ? -1 : found + delimiter.length;
}

/** Takes apart what stands between two boundaries: the rest of the boundary's line, header lines, content. */
function readPart(between: Buffer): RawPart | undefined {
  const lineEnd = between.indexOf("\r\n");
  if (lineEnd === -1 || between.toString("latin1", 0, lineEnd).trim() !== "") return undefined;
  const headersEnd = between.indexOf(HEADERS_END, lineEnd);
  // Right behind the boundary's line: there are no headers.
  if (headersEnd <= lineEnd || headersEnd > MOST_HEADER_BYTES) return undefined;
  return {
    headers: between.toString("latin1", lineEnd + 2, headersEnd),
    content: between.subarray(headersEnd + HEADERS_END.length),
  };
}

/** A `Content-Type` header, taken apart. */
export interface MediaType {
  /** The part before the first `;`, lower case. */
  readonly main: string;
  /** Parameters by lower-case name, unquoted; the first of repeated ones. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One parameter: its name, and its value in quotes or bare. What is none is skipped up to the next semicolon. */
const PARAMETER = /;\s*([^\s;="]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*)))?[^;]*/gs;

/** Reads a `Content-Type` header with tolerance; type and parameter names are case-insensitive. */
export function parseMediaType(value: string): MediaType {
  const [main = ""] = value.split(";", 1);
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, bare = ""] of value.slice(main.length).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, "$1") ?? bare.trim());
  }
  return { main: main.trim().toLowerCase(), parameters };
}
