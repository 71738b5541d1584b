import { MOST_HEADER_BYTES, type MultipartForm } from "../../emulator/multipart.ts";
import { formatOf } from "../../general/image-header.ts";
import { show } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { BodyFormat } from "../../schema/causes/queries.ts";
import { nearest } from "../../schema/zod/problems.ts";
import { isUnreadText } from "./bodies.ts";

/** The longest line that is taken for a delimiter; boundaries have at most 70 characters. */
const LONGEST_DELIMITER = 200;

/** Explains a body in which the boundary of the `Content-Type` header does not occur. */
export function boundaryAbsent(body: Buffer, boundary: string): AnyCause {
  const is = otherFormatOf(body);
  if (is !== undefined) return cause("form.missing", { is, bytes: body.length });
  const found = delimiterIn(body);
  if (found !== undefined && withoutDashes(found) === withoutDashes(boundary))
    return cause("form.delimiter", { given: show(found), expected: show(`--${boundary}`) });
  return cause("boundary.absent", {
    boundary: show(boundary),
    bytes: body.length,
    ...(found !== undefined && { found: show(found.replace(/^--/, "")) }),
  });
}

function otherFormatOf(body: Buffer): BodyFormat | undefined {
  if (body.length === 0) return "empty";
  const picture = formatOf(body);
  if (picture !== undefined) return picture;
  const text = body.toString("utf8", 0, 400);
  if (isUnreadText(text)) return "unset";
  if (/^\s*[{[]/.test(text)) return "json";
  if (/^[A-Za-z_][\w.%[\]-]*=/.test(text)) return "encoded";
  return /^[A-Za-z0-9+/\r\n]{60,}/.test(text) ? "base64" : undefined;
}

/** The first line of dashes and other characters, without spaces around it. */
function delimiterIn(body: Buffer): string | undefined {
  const text = body.toString("latin1", 0, 2 * LONGEST_DELIMITER);
  return /^\s*(-+[^\s-][^\r\n]*?)[ \t]*(?:[\r\n]|$)/.exec(text)?.[1];
}

const withoutDashes = (text: string): string => text.replace(/^-+|-+$/g, "");

/** Explains a form without a part named image, in which the boundary occurs. */
export function imageMissing(body: Buffer, boundary: string, { parts }: MultipartForm): AnyCause {
  const missing = cause("image.missing");
  if (parts.length > 0) return headOf(body, `\r\n--${boundary}`) ?? headOf(body, `--${boundary}`) ?? missing;
  const given = delimiterIn(body);
  const isOther = given !== undefined && given.replace(/--$/, "") !== `--${boundary}`;
  if (isOther && withoutDashes(given) === withoutDashes(boundary))
    return cause("form.delimiter", { given: show(given), expected: show(`--${boundary}`) });
  if (given === undefined && /^\s*[^\s-]/.test(body.toString("latin1", 0, 8)) && startsWith(body, boundary))
    return cause("form.delimiter", { given: show(boundary), expected: show(`--${boundary}`) });
  return headOf(body, `--${boundary}`) ?? missing;
}

const startsWith = (body: Buffer, text: string): boolean =>
  body.toString("latin1", 0, LONGEST_DELIMITER).trimStart().startsWith(text);

const HEADER = /^[\w-]+[ \t]*:/;

/** What is wrong with the headers of a part that was not read; undefined if nothing is known. */
function headOf(body: Buffer, delimiter: string): AnyCause | undefined {
  const bytes = Buffer.from(delimiter, "latin1");
  let first: AnyCause | undefined;
  for (let at = body.indexOf(bytes), count = 0; at >= 0 && count < 10; count += 1) {
    const begin = at + bytes.length;
    const text = body.toString("latin1", begin, begin + MOST_HEADER_BYTES);
    first ??= mistakeIn(text, delimiter);
    at = body.indexOf(bytes, begin);
  }
  return first;
}

/** @param text - what follows a delimiter. */
function mistakeIn(text: string, delimiter: string): AnyCause | undefined {
  if (text.startsWith("--")) return undefined;
  const [blank] = /\r\n[ \t]*\r\n|\n\n|\r\r|\n\r\n/.exec(text) ?? [];
  const end = blank === undefined ? text.length : text.indexOf(blank);
  const [lineEnd] = /\r\n|\n|\r/.exec(text) ?? [];
  if (lineEnd === "\n" || lineEnd === "\r" || (blank !== undefined && !/^\r\n[ \t]*\r\n$/.test(blank)))
    return cause("form.line-ends", { are: lineEnd === "\r" || blank === "\r\r" ? "CR" : "LF" });
  const next = text.indexOf(delimiter);
  const lines = text
    .slice(0, next >= 0 && next < end ? next : end)
    .split("\r\n")
    .slice(1);
  const content = lines.findIndex((line) => line !== "" && !HEADER.test(line) && !/^[ \t]/.test(line));
  if (content > 0 && (blank === undefined || content < lines.length))
    return cause("form.blank-line", { after: show(lines[content - 1] ?? "") });
  return undefined;
}

export function unknownFields({ parts }: MultipartForm, known: readonly string[]): AnyCause {
  const unknown = parts.map(({ name }) => name).filter((name) => !known.includes(name));
  // A form with a file of another name, and without an image, means its file.
  const isFile = parts.some(({ name, filename }) => filename !== undefined && !known.includes(name));
  const file = isFile && !parts.some(({ name }) => name === "image") ? "image" : undefined;
  const meant = unknown.flatMap((name) => nearest(name, known) ?? [])[0] ?? file;
  return cause("form.fields", {
    fields: show(unknown.join(", ")),
    ...(meant !== undefined && { meant }),
    ...(unknown.includes("") && { isUnnamed: true }),
  });
}

/** Explains a part whose `Content-Disposition` is not `form-data`, or missing, by what is there. */
export function dispositionMissing(body: Buffer, boundary: string): AnyCause {
  const given = otherDisposition(body, boundary);
  return cause("form.disposition", given === undefined ? {} : { given: show(given) });
}

/** The first line in the place of `Content-Disposition: form-data` in any part. */
export function otherDisposition(body: Buffer, boundary: string): string | undefined {
  const delimiter = Buffer.from(`--${boundary}\r\n`, "latin1");
  for (let at = body.indexOf(delimiter), count = 0; at >= 0 && count < 10; count += 1) {
    const begin = at + delimiter.length;
    const [head = ""] = body.toString("latin1", begin, begin + MOST_HEADER_BYTES).split("\r\n\r\n");
    const lines = head.split("\r\n");
    const disposition = lines.find((line) => /^content-disposition\b/i.test(line));
    if (disposition === undefined || !/^content-disposition:\s*form-data\s*(?:;|$)/i.test(disposition))
      return disposition ?? lines[0];
    at = body.indexOf(delimiter, begin);
  }
  return undefined;
}
