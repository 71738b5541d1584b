import type Busboy from "busboy";
import { loadOnceInProcess } from "../general/load-module.ts";

export interface FormPart {
  /** The field's name, with case; empty when it has none. */
  readonly name: string;
  /** The `filename` parameter, possibly empty; undefined when the part is no file. */
  readonly filename: string | undefined;
  /** The part's own `Content-Type`. */
  readonly contentType: string | undefined;
  /** The bytes between the part's headers and the next boundary, or the end of a truncated body. */
  readonly content: Buffer;
  /** The body ends within the part. */
  readonly isCutOff: boolean;
}

export interface MultipartForm {
  readonly parts: readonly FormPart[];
  /** More than {@link MOST_PARTS} boundaries begin a part, well-formed or not; the further ones are not read. */
  readonly isCut: boolean;
  /** A part has no `Content-Disposition` header, or the body ends within it. */
  readonly lacksDisposition: boolean;
}

/** More than any real form has. */
export const MOST_PARTS = 100;
/** Busboy's limit for the headers of a part. */
export const MOST_HEADER_BYTES = 16 * 1024;
const NO_FORM: MultipartForm = { parts: [], isCut: false, lacksDisposition: false };

/**
 * Splits a multipart form. Never fails: leaves out parts with malformed headers.
 *
 * @param boundary - from the `Content-Type` header, one character per byte.
 */
export function readForm(body: Buffer, boundary: string): MultipartForm {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const parts: FormPart[] = [];
  let lacksDisposition = false;
  let begun = 0;
  // At the start of the body, no line break precedes the first boundary.
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  let at = isFirst ? delimiter.length - 2 : endOf(body, delimiter, 0);
  while (at !== undefined && body.toString("latin1", at, at + 2) !== "--") {
    // As in the service, a body that ends right after a boundary has no parts.
    if (body.length - at < 2) return NO_FORM;
    // Malformed parts count too: they take as long.
    begun += 1;
    if (begun > MOST_PARTS) break;
    const next: number | undefined = endOf(body, delimiter, at);
    // Includes the end of the boundary's line.
    const part = body.subarray(at, next === undefined ? body.length : next - delimiter.length);
    const line = part.subarray(0, MOST_HEADER_BYTES).indexOf("\r\n");
    if (line !== -1 && part.toString("latin1", 0, line).trim() === "") {
      const read = readPart(part.subarray(line + 2), next === undefined);
      if (read.kind === "part") parts.push(read.part);
      lacksDisposition ||= read.kind === "noDisposition";
    }
    at = next;
  }
  return { parts, isCut: begun > MOST_PARTS, lacksDisposition };
}

function endOf(body: Buffer, bytes: Buffer, from: number): number | undefined {
  const found = body.indexOf(bytes, from);
  return found === -1 ? undefined : found + bytes.length;
}

const LINE_END = "\r\n";
const DISPOSITION = /^content-disposition:.*(?:\r\n[ \t].*)*/im;

/** Matches unclosed quotes too: a search for their end at each of many quotes would take too long. */
const QUOTED = /"(?:[^"\\]|\\.)*("?)/gs;
/** The last parameter has a value. */
const WHOLE_DISPOSITION = /^content-disposition:[^"]*;\s*[^\s;="]+=[^\s;"]+$/i;
const WHOLE_HEADER = /^(?!content-disposition)[^\s:]+:[^"]*$/i;

/** Removes the last line of truncated headers, unless only its end is missing: it has a name, and its quotes are closed. */
function withoutCutLine(head: string): string {
  const lines = head.replace(/\r$/, "");
  const last = lines.split(/\r\n(?![ \t])/).at(-1) ?? "";
  const header = last.replace(QUOTED, (_, end: string) => (end === "" ? '"' : "quoted"));
  const isWhole = WHOLE_DISPOSITION.test(header) || WHOLE_HEADER.test(header);
  return isWhole ? lines : head.slice(0, head.lastIndexOf(LINE_END));
}

/** `ignored`: the headers are malformed, or do not make it form data. */
type ReadPart =
  | { readonly kind: "part"; readonly part: FormPart }
  | { readonly kind: "noDisposition" }
  | { readonly kind: "ignored" };

/** Parses header lines, which may be truncated, and content. */
function readPart(part: Buffer, isLast: boolean): ReadPart {
  // Without headers, the line end before them is their end.
  const head = LINE_END + part.toString("latin1", 0, MOST_HEADER_BYTES);
  const end = head.indexOf("\r\n\r\n");
  if (end === -1 && (!isLast || part.length > MOST_HEADER_BYTES)) return { kind: "ignored" };
  const headers = (end === -1 ? withoutCutLine(head) : head.slice(0, end)).slice(LINE_END.length);
  const { filename, others } = takeFileName(headers);
  const field = readField(others);
  if (field.kind === "malformed") return { kind: "ignored" };
  if (!DISPOSITION.test(headers)) return { kind: "noDisposition" };
  if (field.kind === "notFormData") return { kind: "ignored" };
  const { name } = field;
  const contentType = /^content-type:(.*)$/im.exec(headers)?.[1]?.trim();
  const content = part.subarray(end === -1 ? part.length : end + LINE_END.length);
  return { kind: "part", part: { name, filename, contentType, content, isCutOff: isLast } };
}

/** A `filename` parameter, or anything else in quotes, where the text of such a parameter is only a value. */
const FILE_NAME =
  /;\s*filename\*?=(?:"((?:[^"\\]|\\.)*)(?:"(?=\s*(?:;|$))|$)|((?!")[^;]*))|"(?:[^"\\]|\\.)*"?/gi;

/**
 * Takes the file name out of the header lines, before busboy reads the others: busboy takes an empty name, which browsers send, for none,
 * and refuses blanks.
 */
function takeFileName(headers: string): { readonly filename: string | undefined; readonly others: string } {
  let filename: string | undefined;
  const others = headers.replace(DISPOSITION, (disposition) =>
    disposition.replace(FILE_NAME, (found, quoted?: string, bare = "") => {
      if (!found.startsWith(";")) return found;
      filename ??= Buffer.from(quoted?.replace(/\\(.)/g, "$1") ?? bare.trim(), "latin1").toString();
      return "";
    }),
  );
  return { filename, others };
}

/** `field`: form data, whose name is empty if it has none. */
type Field =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "notFormData" }
  | { readonly kind: "malformed" };

const BOUNDARY = "boundary-between-headers";

/** As clients write them. Short, because busboy refuses long ones. */
const PLAIN_HEADERS =
  /^content-disposition: form-data; name="([\w-]{1,200})"(?:\r\n(?!content-disposition:)[\w-]{1,200}: [ -~]{1,200}){0,9}$/i;

/**
 * Reads header lines with busboy, as those of the only part of a form without content, unless they are plain: loading it and the first
 * form take a fifth of the time of a test's first query. Why headers only: decision 0004.
 */
function readField(headers: string): Field {
  if (headers === "") return { kind: "notFormData" };
  const plain = PLAIN_HEADERS.exec(headers)?.[1];
  if (plain !== undefined) return { kind: "field", name: plain };
  const busboy: typeof Busboy = loadOnceInProcess("busboy");
  const parser = busboy({ headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` } });
  // Unless busboy reports anything, as for another disposition.
  let field: Field = { kind: "notFormData" };
  parser.on("field", (name: string | undefined) => {
    field = { kind: "field", name: name ?? "" };
  });
  parser.on("file", (name: string | undefined, stream) => {
    stream.resume();
    field = { kind: "field", name: name ?? "" };
  });
  parser.on("error", () => {
    field = { kind: "malformed" };
  });
  parser.end(Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n\r\n--${BOUNDARY}--\r\n`, "latin1"));
  return field;
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
